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

/* `bits`: of the modulus. */
struct bear_keygen_param {
    const struct bear_keygen_lane *lane;
    unsigned bits;
};

/* Once a process: the generator is seeded by the system. */
const char *bear_seed(void);
/* What rows draw from that have it: the generator, or one that counts. */
const br_prng_class **bear_generator(void);
int bear_ec_keygen_setup(cs_case *c);
int bear_x25519_keygen(cs_case *c);
int bear_p256_keygen(cs_case *c);
int bear_p384_keygen(cs_case *c);
int bear_p521_keygen(cs_case *c);
const char *bear_rsa_keygen_unavailable(const cs_op *op);
int bear_rsa_keygen_setup(cs_case *c);
int bear_rsa_keygen(cs_case *c);

/* The `param` of an agreement. `key_len`: of a scalar and of the secret. */
struct bear_curve {
    int id;
    size_t key_len;
    size_t pub_len;
};
extern const struct bear_curve bear_agree_x25519, bear_agree_p256, bear_agree_p384;
int bear_agree_setup(cs_case *c);
int bear_agree(cs_case *c);

#define AGREE(ALGORITHM, CURVE)                                                                                        \
    {.id = ALGORITHM "/agree",                                                                                         \
     .impl = "default",                                                                                                \
     .name = "br_ec_keygen, br_ec_compute_pub, br_ec_get_default mul",                                                 \
     .setup = bear_agree_setup,                                                                                        \
     .call = bear_agree,                                                                                               \
     .rekey = cs_key_in_call,                                                                                          \
     .teardown = bear_free,                                                                                            \
     .param = &bear_agree_##CURVE,                                                                                     \
     .seed = bear_seed,                                                                                                \
     .counts_random = 1}
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
#define RSA_KEYGEN_OF(ALGORITHM, BITS, IMPL, NAME, LANE)                                                               \
    {.id = ALGORITHM "/keygen",                                                                                        \
     .impl = IMPL,                                                                                                     \
     .name = NAME,                                                                                                     \
     .setup = bear_rsa_keygen_setup,                                                                                   \
     .call = bear_rsa_keygen,                                                                                          \
     .teardown = bear_free,                                                                                            \
     .param = &(const struct bear_keygen_param){&bear_keygen_##LANE, BITS},                                            \
     .unavailable = bear_rsa_keygen_unavailable,                                                                       \
     .seed = bear_seed,                                                                                                \
     .counts_random = 1}
/* A search for large primes takes minutes: 3072 bits by words of 62 bits alone, 4096 by none. */
#define RSA_KEYGEN_2048(IMPL, NAME, LANE) RSA_KEYGEN_OF("rsa-2048", 2048, IMPL, NAME, LANE)
#define RSA_KEYGEN(IMPL, NAME, LANE)                                                                                   \
    RSA_KEYGEN_2048(IMPL, NAME, LANE), RSA_KEYGEN_OF("rsa-3072", 3072, IMPL, NAME, LANE)
#define KEYGENS                                                                                                        \
    AGREE("x25519", x25519), AGREE("p-256", p256), AGREE("p-384", p384), EC_KEYGEN("x25519", bear_x25519_keygen),      \
        EC_KEYGEN("p-256", bear_p256_keygen), RSA_KEYGEN("default", "br_rsa_keygen_get_default", default),             \
        RSA_KEYGEN_2048("i15", "br_rsa_i15_keygen", i15), RSA_KEYGEN_2048("i31", "br_rsa_i31_keygen", i31),            \
        RSA_KEYGEN("i62", "br_rsa_i62_keygen", i62)

#endif
