/* SPDX-License-Identifier: Apache-2.0
 *
 * BoringSSL and AWS-LC adapter: the rows of P-384 and P-521, for the table in adapter.c, whose operations are those of
 * P-256; and multiples of the generators of all three.
 */
#ifndef CIPHERSTONE_BORINGSSL_NIST_H
#define CIPHERSTONE_BORINGSSL_NIST_H

#include <openssl/nid.h>

#include "adapter.h"

/* clang-format off */
#define ECDH_ROW(CURVE, NID)                                                                                           \
    PKEY_ROW(CURVE "/derive", "default", "ECDH_compute_key", ecdh, .param = &(const int){NID})
#define NIST_ROWS_OF(ALGORITHM, CURVE, NID, HASH)                                                                      \
    PKEY_ROW(ALGORITHM "/sign", "default", HASH ", ECDSA_sign", ecdsa_sign, .param = &(const int){NID}, .form = "der", .seed = random_seed), \
    PKEY_ROW(ALGORITHM "/sign", "EVP_PKEY", HASH ", EVP_PKEY_sign", evp_ecdsa_sign, .param = &(const int){NID}, .form = "der", .seed = random_seed), \
    PKEY_ROW(ALGORITHM "/verify", "default", HASH ", ECDSA_verify", ecdsa_verify, .param = &(const int){NID}, .form = "der"), \
    PKEY_ROW(ALGORITHM "/verify", "EVP_PKEY", HASH ", EVP_PKEY_verify", evp_ecdsa_verify, .param = &(const int){NID}, .form = "der"), \
    {.id = CURVE "/keygen", .impl = "default", .name = "EC_KEY_generate_key", .setup = keygen_setup, .call = ec_keygen_call, .teardown = session_free, .param = &(const int){NID}, .seed = random_seed}
#define AGREE_ROW(CURVE, NAME, CALL, ...)                                                                              \
    {.id = CURVE "/agree", .impl = "default", .name = NAME, .setup = keygen_setup, .call = CALL, .rekey = cs_key_in_call, .teardown = session_free, .seed = random_seed, __VA_ARGS__}
#define AGREE_ROWS                                                                                                     \
    AGREE_ROW("x25519", "X25519_keypair, X25519", x25519_agree_call, .seeded = 0),                                     \
    AGREE_ROW("p-256", "EC_KEY_generate_key, ECDH_compute_key", ec_agree_call, .param = &(const int){NID_X9_62_prime256v1}), \
    AGREE_ROW("p-384", "EC_KEY_generate_key, ECDH_compute_key", ec_agree_call, .param = &(const int){NID_secp384r1})
#define BASE_ROW(CURVE, NID)                                                                                           \
    {.id = CURVE "/multiply-base", .impl = "default", .name = "EC_POINT_mul", .setup = base_setup, .call = base_call, .teardown = session_free, .param = &(const int){NID}}
#define BASE_ROWS                                                                                                      \
    BASE_ROW("p-256", NID_X9_62_prime256v1), BASE_ROW("p-384", NID_secp384r1), BASE_ROW("p-521", NID_secp521r1)
#define NIST_ROWS                                                                                                      \
    AGREE_ROWS, BASE_ROWS, ECDH_ROW("p-256", NID_X9_62_prime256v1), ECDH_ROW("p-384", NID_secp384r1), ECDH_ROW("p-521", NID_secp521r1),      \
    NIST_ROWS_OF("ecdsa-p384-sha384", "p-384", NID_secp384r1, "SHA384"),                                               \
    NIST_ROWS_OF("ecdsa-p521-sha512", "p-521", NID_secp521r1, "SHA512")
/* clang-format on */

#endif
