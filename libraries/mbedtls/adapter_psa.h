/* SPDX-License-Identifier: Apache-2.0
 *
 * Mbed TLS through PSA: the rows, for the table in adapter.c. The operations are in adapter_psa.c.
 */
#ifndef CIPHERSTONE_MBEDTLS_PSA_H
#define CIPHERSTONE_MBEDTLS_PSA_H

#include <mbedtls/version.h>

#include <psa/crypto.h>

#include "adapter.h"

/* What a row's key is for: the row's `param`. A hash has an algorithm only. */
struct psa_use {
    psa_algorithm_t algorithm;
    psa_key_type_t type;
    psa_key_usage_t usage;
};

const char *psa_open(void); /* starts PSA, whose generator it seeds as well */
const char *psa_unavailable(const cs_op *op);
int setup_psa_hash(cs_case *c);
int call_psa_hash(cs_case *c);
int setup_psa(cs_case *c);        /* imports `key` */
int setup_psa_public(cs_case *c); /* imports `pub` */
int setup_psa_open(cs_case *c);   /* imports `key`, and joins ciphertext and tag as PSA takes them */
void teardown_psa(cs_case *c);
int call_psa_mac(cs_case *c);
int call_psa_encrypt(cs_case *c);
int call_psa_decrypt(cs_case *c);
int call_psa_seal(cs_case *c);
int call_psa_open(cs_case *c);
int call_psa_derive(cs_case *c);
int call_psa_ecdh(cs_case *c);
int call_psa_sign(cs_case *c);
int call_psa_verify(cs_case *c);

#define PSA_HASH_ROW(ALGORITHM, ALG)                                                                                   \
    {.id = ALGORITHM "/hash",                                                                                          \
     .impl = "psa",                                                                                                    \
     .name = "psa_hash_compute " #ALG,                                                                                 \
     .setup = setup_psa_hash,                                                                                          \
     .call = call_psa_hash,                                                                                            \
     .param = &(const struct psa_use){.algorithm = ALG},                                                               \
     .unavailable = psa_unavailable,                                                                                   \
     .open = psa_open}
#define PSA_ROW(ID, IMPL, NAME, SETUP, CALL, FORM, BLOCK, ...)                                                         \
    {.id = ID,                                                                                                         \
     .impl = IMPL,                                                                                                     \
     .name = NAME,                                                                                                     \
     .setup = SETUP,                                                                                                   \
     .call = CALL,                                                                                                     \
     .rekey = cs_setup_again,                                                                                          \
     .cannot = "place: whether buffers may overlap is left to implementations of PSA",                                 \
     .teardown = teardown_psa,                                                                                         \
     .param = &(const struct psa_use){__VA_ARGS__},                                                                    \
     .form = FORM,                                                                                                     \
     .unavailable = psa_unavailable,                                                                                   \
     .block = BLOCK,                                                                                                   \
     .open = psa_open}
#define PSA_MAC_ROW(ALGORITHM, TYPE, ALG)                                                                              \
    PSA_ROW(ALGORITHM "/mac", "psa", "psa_mac_compute", setup_psa, call_psa_mac, NULL, 0, .algorithm = ALG,            \
            .type = TYPE, .usage = PSA_KEY_USAGE_SIGN_MESSAGE)
#define PSA_ENCRYPT_ROW(ALGORITHM, TYPE, ALG, BLOCK)                                                                   \
    PSA_ROW(ALGORITHM "/encrypt", "psa", "psa_cipher_encrypt_setup", setup_psa, call_psa_encrypt, NULL, BLOCK,         \
            .algorithm = ALG, .type = TYPE, .usage = PSA_KEY_USAGE_ENCRYPT)
#define PSA_CBC_ROWS(ALGORITHM, TYPE, BLOCK)                                                                           \
    PSA_ENCRYPT_ROW(ALGORITHM, TYPE, PSA_ALG_CBC_NO_PADDING, BLOCK),                                                   \
        PSA_ROW(ALGORITHM "/decrypt", "psa", "psa_cipher_decrypt_setup", setup_psa, call_psa_decrypt, NULL, BLOCK,     \
                .algorithm = PSA_ALG_CBC_NO_PADDING, .type = TYPE, .usage = PSA_KEY_USAGE_DECRYPT)
#define PSA_AEAD_ROWS(ALGORITHM, TYPE, ALG)                                                                            \
    PSA_ROW(ALGORITHM "/seal", "psa", "psa_aead_encrypt", setup_psa, call_psa_seal, NULL, 0, .algorithm = ALG,         \
            .type = TYPE, .usage = PSA_KEY_USAGE_ENCRYPT),                                                             \
        PSA_ROW(ALGORITHM "/open", "psa", "psa_aead_decrypt", setup_psa_open, call_psa_open, NULL, 0,                  \
                .algorithm = ALG, .type = TYPE, .usage = PSA_KEY_USAGE_DECRYPT)
#define PSA_X25519_KEY PSA_KEY_TYPE_ECC_KEY_PAIR(PSA_ECC_FAMILY_MONTGOMERY)
#define PSA_ECDH_ROW(ALGORITHM)                                                                                        \
    PSA_ROW(ALGORITHM "/derive", "psa", "psa_raw_key_agreement", setup_psa, call_psa_ecdh, NULL, 0,                    \
            .algorithm = PSA_ALG_ECDH, .type = PSA_KEY_TYPE_ECC_KEY_PAIR(PSA_ECC_FAMILY_SECP_R1),                      \
            .usage = PSA_KEY_USAGE_DERIVE)
#define PSA_SIGN_ROW(ALGORITHM, FAMILY, IMPL, NAME, ALG)                                                               \
    PSA_ROW(ALGORITHM "/sign", IMPL, NAME, setup_psa, call_psa_sign, "p1363", 0, .algorithm = ALG,                     \
            .type = PSA_KEY_TYPE_ECC_KEY_PAIR(FAMILY), .usage = PSA_KEY_USAGE_SIGN_MESSAGE)
#define PSA_ECDSA_ROWS(ALGORITHM, FAMILY, HASH)                                                                        \
    PSA_SIGN_ROW(ALGORITHM, FAMILY, "psa", "psa_sign_message PSA_ALG_ECDSA", PSA_ALG_ECDSA(HASH)),                     \
        PSA_SIGN_ROW(ALGORITHM, FAMILY, "psa_rfc6979", "psa_sign_message PSA_ALG_DETERMINISTIC_ECDSA",                 \
                     PSA_ALG_DETERMINISTIC_ECDSA(HASH)),                                                               \
        PSA_ROW(ALGORITHM "/verify", "psa", "psa_verify_message PSA_ALG_ECDSA", setup_psa_public, call_psa_verify,     \
                "p1363", 0, .algorithm = PSA_ALG_ECDSA(HASH), .type = PSA_KEY_TYPE_ECC_PUBLIC_KEY(FAMILY),             \
                .usage = PSA_KEY_USAGE_VERIFY_MESSAGE)

#if MBEDTLS_VERSION_NUMBER >= 0x03050000
#define PSA_SHA3_ROWS                                                                                                  \
    PSA_HASH_ROW("sha3-256", PSA_ALG_SHA3_256), PSA_HASH_ROW("sha3-384", PSA_ALG_SHA3_384),                            \
        PSA_HASH_ROW("sha3-512", PSA_ALG_SHA3_512),
#else
#define PSA_SHA3_ROWS
#endif

/* clang-format off */
#define PSA_ROWS                                                                                                       \
    PSA_HASH_ROW("md5", PSA_ALG_MD5),                                                                                  \
    PSA_HASH_ROW("sha-1", PSA_ALG_SHA_1),                                                                              \
    PSA_HASH_ROW("sha-256", PSA_ALG_SHA_256),                                                                          \
    PSA_HASH_ROW("sha-512", PSA_ALG_SHA_512),                                                                          \
    PSA_HASH_ROW("sha-224", PSA_ALG_SHA_224),                                                                          \
    PSA_HASH_ROW("sha-384", PSA_ALG_SHA_384),                                                                          \
    PSA_SHA3_ROWS                                                                                                      \
    PSA_HASH_ROW("ripemd-160", PSA_ALG_RIPEMD160),                                                                     \
    PSA_MAC_ROW("hmac-sha-1", PSA_KEY_TYPE_HMAC, PSA_ALG_HMAC(PSA_ALG_SHA_1)),                                         \
    PSA_MAC_ROW("hmac-sha-256", PSA_KEY_TYPE_HMAC, PSA_ALG_HMAC(PSA_ALG_SHA_256)),                                     \
    PSA_MAC_ROW("hmac-sha-384", PSA_KEY_TYPE_HMAC, PSA_ALG_HMAC(PSA_ALG_SHA_384)),                                     \
    PSA_MAC_ROW("hmac-sha-512", PSA_KEY_TYPE_HMAC, PSA_ALG_HMAC(PSA_ALG_SHA_512)),                                     \
    PSA_MAC_ROW("cmac-aes-128", PSA_KEY_TYPE_AES, PSA_ALG_CMAC),                                                       \
    PSA_MAC_ROW("cmac-aes-256", PSA_KEY_TYPE_AES, PSA_ALG_CMAC),                                                       \
    PSA_CBC_ROWS("aes-128-cbc", PSA_KEY_TYPE_AES, AES_BLOCK),                                                          \
    PSA_CBC_ROWS("aes-256-cbc", PSA_KEY_TYPE_AES, AES_BLOCK),                                                          \
    PSA_CBC_ROWS("3des-cbc", PSA_KEY_TYPE_DES, DES_BLOCK),                                                             \
    PSA_ENCRYPT_ROW("aes-128-ctr", PSA_KEY_TYPE_AES, PSA_ALG_CTR, 0),                                                  \
    PSA_ENCRYPT_ROW("aes-256-ctr", PSA_KEY_TYPE_AES, PSA_ALG_CTR, 0),                                                  \
    PSA_ENCRYPT_ROW("chacha20", PSA_KEY_TYPE_CHACHA20, PSA_ALG_STREAM_CIPHER, 0),                                      \
    PSA_AEAD_ROWS("aes-128-gcm", PSA_KEY_TYPE_AES, PSA_ALG_GCM),                                                       \
    PSA_AEAD_ROWS("aes-256-gcm", PSA_KEY_TYPE_AES, PSA_ALG_GCM),                                                       \
    PSA_AEAD_ROWS("chacha20-poly1305", PSA_KEY_TYPE_CHACHA20, PSA_ALG_CHACHA20_POLY1305),                              \
    PSA_ROW("x25519/derive", "psa", "psa_raw_key_agreement", setup_psa, call_psa_derive, NULL, 0,                      \
            .algorithm = PSA_ALG_ECDH, .type = PSA_X25519_KEY, .usage = PSA_KEY_USAGE_DERIVE),                         \
    PSA_ECDH_ROW("p-256"), PSA_ECDH_ROW("p-384"), PSA_ECDH_ROW("p-521"),                                               \
    PSA_ECDSA_ROWS("ecdsa-brainpoolp256r1-sha256", PSA_ECC_FAMILY_BRAINPOOL_P_R1, PSA_ALG_SHA_256),                    \
    PSA_ECDSA_ROWS("ecdsa-p384-sha384", PSA_ECC_FAMILY_SECP_R1, PSA_ALG_SHA_384),                                      \
    PSA_ECDSA_ROWS("ecdsa-p521-sha512", PSA_ECC_FAMILY_SECP_R1, PSA_ALG_SHA_512),                                      \
    PSA_ECDSA_ROWS("ecdsa-p256-sha256", PSA_ECC_FAMILY_SECP_R1, PSA_ALG_SHA_256),                                                       \
    PSA_ECDSA_ROWS("ecdsa-secp256k1-sha256", PSA_ECC_FAMILY_SECP_K1, PSA_ALG_SHA_256)
/* clang-format on */

#endif
