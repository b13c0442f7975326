/* SPDX-License-Identifier: Apache-2.0
 *
 * Mbed TLS: the rows of key generation, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_MBEDTLS_KEYS_H
#define CIPHERSTONE_MBEDTLS_KEYS_H

#include <mbedtls/ecp.h>

#include "adapter.h"

int setup_ec_keygen(cs_case *c);
int call_ec_keygen(cs_case *c);
void teardown_ec_keygen(cs_case *c);
int setup_ec_base(cs_case *c);
int call_ec_base(cs_case *c);
int setup_rsa_keygen(cs_case *c);
int setup_agree(cs_case *c);
int call_agree(cs_case *c);
void teardown_agree(cs_case *c);
int call_rsa_keygen(cs_case *c);

/* `param` is the curve. */
#define EC_KEYGEN_ROW(ALGORITHM, CURVE)                                                                                \
    {.id = ALGORITHM "/keygen",                                                                                        \
     .impl = "default",                                                                                                \
     .name = "mbedtls_ecp_gen_keypair",                                                                                \
     .setup = setup_ec_keygen,                                                                                         \
     .call = call_ec_keygen,                                                                                           \
     .teardown = teardown_ec_keygen,                                                                                   \
     .param = &(const mbedtls_ecp_group_id){CURVE},                                                                    \
     .seed = seed_drbg,                                                                                                \
     .counts_random = 1,                                                                                               \
     .seeded = 1}
#define BASE_ROW(ALGORITHM, CURVE)                                                                                     \
    {.id = ALGORITHM "/multiply-base",                                                                                 \
     .impl = "default",                                                                                                \
     .name = "mbedtls_ecp_mul",                                                                                        \
     .setup = setup_ec_base,                                                                                           \
     .call = call_ec_base,                                                                                             \
     .teardown = teardown_ec_keygen,                                                                                   \
     .param = &(const mbedtls_ecp_group_id){CURVE},                                                                    \
     .seed = seed_drbg,                                                                                                \
     .counts_random = 1}
/* `param` is the length of the modulus in bits. */
#define RSA_KEYGEN_ROW(ALGORITHM, BITS)                                                                                \
    {.id = ALGORITHM "/keygen",                                                                                        \
     .impl = "default",                                                                                                \
     .name = "mbedtls_rsa_gen_key",                                                                                    \
     .setup = setup_rsa_keygen,                                                                                        \
     .call = call_rsa_keygen,                                                                                          \
     .param = &(const unsigned){BITS},                                                                                 \
     .seed = seed_drbg,                                                                                                \
     .counts_random = 1}
#define AGREE_ROW(ALGORITHM, CURVE)                                                                                    \
    {.id = ALGORITHM "/agree",                                                                                         \
     .impl = "default",                                                                                                \
     .name = "mbedtls_ecdh_make_public, mbedtls_ecdh_calc_secret",                                                     \
     .setup = setup_agree,                                                                                             \
     .call = call_agree,                                                                                               \
     .rekey = cs_key_in_call,                                                                                          \
     .teardown = teardown_agree,                                                                                       \
     .param = &(const mbedtls_ecp_group_id){CURVE},                                                                    \
     .seed = seed_drbg,                                                                                                \
     .counts_random = 1}
#define KEYGEN_ROWS                                                                                                    \
    BASE_ROW("x25519", MBEDTLS_ECP_DP_CURVE25519), BASE_ROW("p-256", MBEDTLS_ECP_DP_SECP256R1),                        \
        BASE_ROW("p-384", MBEDTLS_ECP_DP_SECP384R1), BASE_ROW("p-521", MBEDTLS_ECP_DP_SECP521R1),                      \
        BASE_ROW("secp256k1", MBEDTLS_ECP_DP_SECP256K1), AGREE_ROW("x25519", MBEDTLS_ECP_DP_CURVE25519),               \
        AGREE_ROW("p-256", MBEDTLS_ECP_DP_SECP256R1), AGREE_ROW("p-384", MBEDTLS_ECP_DP_SECP384R1),                    \
        EC_KEYGEN_ROW("x25519", MBEDTLS_ECP_DP_CURVE25519), EC_KEYGEN_ROW("p-256", MBEDTLS_ECP_DP_SECP256R1),          \
        EC_KEYGEN_ROW("secp256k1", MBEDTLS_ECP_DP_SECP256K1), RSA_KEYGEN_ROW("rsa-2048", 2048),                        \
        RSA_KEYGEN_ROW("rsa-3072", 3072), RSA_KEYGEN_ROW("rsa-4096", 4096)

#endif
