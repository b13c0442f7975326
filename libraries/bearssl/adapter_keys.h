/* SPDX-License-Identifier: Apache-2.0
 *
 * BearSSL adapter: the rows of key generation, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_BEARSSL_KEYS_H
#define CIPHERSTONE_BEARSSL_KEYS_H

#include "adapter.h"

struct bear_keygen_lane {
    br_rsa_keygen generate;
    br_rsa_keygen (*get)(void);
    const char *missing;
};
extern const struct bear_keygen_lane bear_keygen_default, bear_keygen_i15, bear_keygen_i31, bear_keygen_i62;

/* Once a process: the generator is seeded by the system. */
const char *bear_seed(void);
int bear_ec_keygen_setup(cs_case *c);
int bear_x25519_keygen(cs_case *c);
int bear_p256_keygen(cs_case *c);
const char *bear_rsa_keygen_unavailable(const cs_op *op);
int bear_rsa_keygen_setup(cs_case *c);
int bear_rsa_keygen(cs_case *c);

#define EC_KEYGEN(ALGORITHM, CALL)                                                                                     \
    {.id = ALGORITHM "/keygen",                                                                                        \
     .impl = "default",                                                                                                \
     .name = "br_ec_keygen, br_ec_compute_pub",                                                                        \
     .setup = bear_ec_keygen_setup,                                                                                    \
     .call = CALL,                                                                                                     \
     .teardown = bear_free,                                                                                            \
     .seed = bear_seed,                                                                                                \
     .counts_random = 1,                                                                                               \
     .seeded = 1}
#define RSA_KEYGEN(IMPL, NAME, LANE)                                                                                   \
    {.id = "rsa-2048/keygen",                                                                                          \
     .impl = IMPL,                                                                                                     \
     .name = NAME,                                                                                                     \
     .setup = bear_rsa_keygen_setup,                                                                                   \
     .call = bear_rsa_keygen,                                                                                          \
     .teardown = bear_free,                                                                                            \
     .param = &bear_keygen_##LANE,                                                                                     \
     .unavailable = bear_rsa_keygen_unavailable,                                                                       \
     .seed = bear_seed,                                                                                                \
     .counts_random = 1}
#define KEYGENS                                                                                                        \
    EC_KEYGEN("x25519", bear_x25519_keygen), EC_KEYGEN("p-256", bear_p256_keygen),                                     \
        RSA_KEYGEN("default", "br_rsa_keygen_get_default", default), RSA_KEYGEN("i15", "br_rsa_i15_keygen", i15),      \
        RSA_KEYGEN("i31", "br_rsa_i31_keygen", i31), RSA_KEYGEN("i62", "br_rsa_i62_keygen", i62)

#endif
