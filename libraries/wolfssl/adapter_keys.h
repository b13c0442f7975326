/* SPDX-License-Identifier: Apache-2.0
 *
 * wolfSSL: the rows of key generation and of ML-KEM, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_WOLFSSL_KEYS_H
#define CIPHERSTONE_WOLFSSL_KEYS_H

#include "adapter.h"

int x25519_keygen_setup(cs_case *c);
int x25519_keygen_call(cs_case *c);
void x25519_keygen_teardown(cs_case *c);
int ed25519_keygen_setup(cs_case *c);
int ed25519_keygen_call(cs_case *c);
void ed25519_keygen_teardown(cs_case *c);
int ec_keygen_setup(cs_case *c);
int ec_keygen_call(cs_case *c);
void ec_keygen_teardown(cs_case *c);
int x25519_agree_setup(cs_case *c);
int x25519_agree_call(cs_case *c);
void x25519_agree_teardown(cs_case *c);
int ec_agree_setup(cs_case *c);
int ec_agree_call(cs_case *c);
void ec_agree_teardown(cs_case *c);
int x25519_base_setup(cs_case *c);
int x25519_base_call(cs_case *c);
int ec_base_setup(cs_case *c);
int ec_base_call(cs_case *c);
int rsa_keygen_setup(cs_case *c);
int rsa_keygen_call(cs_case *c);

#define KEYGEN_ROW(ALGORITHM, NAME, CALLS, TEARDOWN, ...)                                                              \
    {.id = ALGORITHM "/keygen",                                                                                        \
     .impl = "default",                                                                                                \
     .name = NAME,                                                                                                     \
     .setup = CALLS##_keygen_setup,                                                                                    \
     .call = CALLS##_keygen_call,                                                                                      \
     .teardown = TEARDOWN,                                                                                             \
     .seed = seed_random,                                                                                              \
     .counts_random = 1,                                                                                               \
     __VA_ARGS__}
/* `param` is the length of the modulus in bits. */
#define RSA_KEYGEN_ROW(ALGORITHM, BITS)                                                                                \
    KEYGEN_ROW(ALGORITHM, "wc_MakeRsaKey", rsa, free_state, .param = &(const int){BITS})
#define AGREE_ROW(ALGORITHM, NAME, CALLS, ...)                                                                         \
    {.id = ALGORITHM "/agree",                                                                                         \
     .impl = "default",                                                                                                \
     .name = NAME,                                                                                                     \
     .setup = CALLS##_agree_setup,                                                                                     \
     .call = CALLS##_agree_call,                                                                                       \
     .rekey = cs_key_in_call,                                                                                          \
     .teardown = CALLS##_agree_teardown,                                                                               \
     .seed = seed_random,                                                                                              \
     .counts_random = 1,                                                                                               \
     __VA_ARGS__}
#define BASE_ROW(ALGORITHM, CURVE)                                                                                     \
    {.id = ALGORITHM "/multiply-base",                                                                                 \
     .impl = "default",                                                                                                \
     .name = "wc_ecc_make_pub_ex, wc_ecc_export_x963",                                                                 \
     .setup = ec_base_setup,                                                                                           \
     .call = ec_base_call,                                                                                             \
     .teardown = ec_keygen_teardown,                                                                                   \
     .param = &CURVE,                                                                                                  \
     .unavailable = curve_unavailable,                                                                                 \
     .seed = seed_random,                                                                                              \
     .counts_random = 1}
#define BASE_ROWS                                                                                                      \
    BASE_ROW("p-256", p256_curve), BASE_ROW("p-384", p384_curve), BASE_ROW("p-521", p521_curve),                       \
        BASE_ROW("secp256k1", secp256k1_curve),                                                                        \
    {                                                                                                                  \
        .id = "x25519/multiply-base", .impl = "default", .name = "wc_curve25519_make_pub", .setup = x25519_base_setup, \
        .call = x25519_base_call, .teardown = free_state                                                               \
    }
#define AGREE_ROWS                                                                                                     \
    AGREE_ROW("x25519", "wc_curve25519_make_key, wc_curve25519_shared_secret_ex", x25519, .seeded = 0),                \
        AGREE_ROW("p-256", "wc_ecc_make_key_ex, wc_ecc_shared_secret", ec, .param = &p256_curve),                      \
        AGREE_ROW("p-384", "wc_ecc_make_key_ex, wc_ecc_shared_secret", ec, .param = &p384_curve,                       \
                  .unavailable = curve_unavailable)
#define KEYGEN_ROWS                                                                                                    \
    BASE_ROWS, AGREE_ROWS,                                                                                             \
        KEYGEN_ROW("x25519", "wc_curve25519_make_key", x25519, x25519_keygen_teardown, .seeded = 0),                   \
        KEYGEN_ROW("ed25519", "wc_ed25519_make_key", ed25519, ed25519_keygen_teardown, .seeded = 0),                   \
        KEYGEN_ROW("p-256", "wc_ecc_make_key_ex", ec, ec_keygen_teardown, .param = &p256_curve),                       \
        KEYGEN_ROW("secp256k1", "wc_ecc_make_key_ex", ec, ec_keygen_teardown, .param = &secp256k1_curve,               \
                   .unavailable = curve_unavailable),                                                                  \
        RSA_KEYGEN_ROW("rsa-2048", 2048), RSA_KEYGEN_ROW("rsa-3072", 3072), RSA_KEYGEN_ROW("rsa-4096", 4096)

/* Up to 5.7 there was Kyber, by functions of other names. */
#if LIBWOLFSSL_VERSION_HEX >= 0x05009000 && defined(WOLFSSL_HAVE_MLKEM)
int kem_keygen_setup(cs_case *c);
int kem_keygen_call(cs_case *c);
int encaps_setup(cs_case *c);
int encaps_call(cs_case *c);
int decaps_setup(cs_case *c);
int decaps_call(cs_case *c);
void kem_teardown(cs_case *c);
extern const int ml_kem_512, ml_kem_768, ml_kem_1024;

/* clang-format off */
#define KEM_ROWS_OF(ALGORITHM, TYPE)                                                                                   \
    {.id = ALGORITHM "/keygen", .impl = "default", .name = "wc_MlKemKey_MakeKey", .setup = kem_keygen_setup, .call = kem_keygen_call, .teardown = kem_teardown, .param = &TYPE, .seed = seed_random, .counts_random = 1, .seeded = 1}, \
    {.id = ALGORITHM "/encaps", .impl = "default", .name = "wc_MlKemKey_Encapsulate", .setup = encaps_setup, .call = encaps_call, .rekey = cs_setup_again, .teardown = kem_teardown, .param = &TYPE, .seed = seed_random, .counts_random = 1, .seeded = 1}, \
    {.id = ALGORITHM "/decaps", .impl = "default", .name = "wc_MlKemKey_Decapsulate", .setup = decaps_setup, .call = decaps_call, .rekey = cs_setup_again, .teardown = kem_teardown, .param = &TYPE}
#define KEM_ROWS KEM_ROWS_OF("ml-kem-512", ml_kem_512), KEM_ROWS_OF("ml-kem-768", ml_kem_768), KEM_ROWS_OF("ml-kem-1024", ml_kem_1024),
/* clang-format on */
#else
#define KEM_ROWS
#endif

#endif
