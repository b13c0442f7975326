/* SPDX-License-Identifier: Apache-2.0
 *
 * Nettle: the rows of key generation, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_NETTLE_KEYS_H
#define CIPHERSTONE_NETTLE_KEYS_H

#include "adapter.h"

int keygen_setup(cs_case *c);
void keygen_teardown(cs_case *c);
int x25519_keygen_call(cs_case *c);
int ed25519_keygen_call(cs_case *c);
int x448_keygen_call(cs_case *c);
int ed448_keygen_call(cs_case *c);
int ec_keygen_call(cs_case *c);
int rsa_keygen_call(cs_case *c);
int x25519_agree_setup(cs_case *c);
int x25519_agree_call(cs_case *c);
int ec_agree_call(cs_case *c);
int x25519_base_call(cs_case *c);
int ec_base_setup(cs_case *c);
int ec_base_call(cs_case *c);

#define KEYGEN_PARAM_ROW(ALGORITHM, NAME, CALL, SEEDED, PARAM)                                                         \
    {.id = ALGORITHM "/keygen",                                                                                        \
     .impl = "default",                                                                                                \
     .name = NAME,                                                                                                     \
     .setup = keygen_setup,                                                                                            \
     .call = CALL,                                                                                                     \
     .teardown = keygen_teardown,                                                                                      \
     .param = PARAM,                                                                                                   \
     .seed = seed_random,                                                                                              \
     .counts_random = 1,                                                                                               \
     .seeded = SEEDED}
#define KEYGEN_ROW(ALGORITHM, NAME, CALL, SEEDED) KEYGEN_PARAM_ROW(ALGORITHM, NAME, CALL, SEEDED, NULL)
/* `param` is the length of the modulus in bits. */
#define RSA_KEYGEN_ROW(ALGORITHM, BITS)                                                                                \
    KEYGEN_PARAM_ROW(ALGORITHM, "rsa_generate_keypair", rsa_keygen_call, 0, &(const unsigned){BITS})
#define KEYGEN_ROWS                                                                                                    \
    KEYGEN_ROW("x25519", "curve25519_mul_g", x25519_keygen_call, 1),                                                   \
        KEYGEN_ROW("ed25519", "ed25519_sha512_public_key", ed25519_keygen_call, 1),                                    \
        KEYGEN_ROW("p-256", "ecdsa_generate_keypair", ec_keygen_call, 1), RSA_KEYGEN_ROW("rsa-2048", 2048),            \
        RSA_KEYGEN_ROW("rsa-3072", 3072), RSA_KEYGEN_ROW("rsa-4096", 4096)

#endif
