/* SPDX-License-Identifier: Apache-2.0
 *
 * wolfSSL: the rows of key derivation, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_WOLFSSL_KDF_H
#define CIPHERSTONE_WOLFSSL_KDF_H

#include "adapter.h"

#include <wolfssl/wolfcrypt/hash.h>

/* What a row points to: the hash, and the bytes of output. */
struct kdf_kind {
    int hash;
    size_t bytes;
};

int kdf_setup(cs_case *c);
int hkdf_call(cs_case *c);
int pbkdf2_call(cs_case *c);
int scrypt_setup(cs_case *c);
int scrypt_call(cs_case *c);

/* Each ends with a comma. */
#define KDF_ROW(ALGORITHM, NAME, SETUP, CALL, HASH, BYTES)                                                             \
    {.id = ALGORITHM "/derive",                                                                                        \
     .impl = "default",                                                                                                \
     .name = NAME,                                                                                                     \
     .setup = SETUP,                                                                                                   \
     .call = CALL,                                                                                                     \
     .rekey = cs_key_in_call,                                                                                          \
     .teardown = free_state,                                                                                           \
     .param = &(const struct kdf_kind){HASH, BYTES}},
#ifdef HAVE_SCRYPT
#define SCRYPT_ROW KDF_ROW("scrypt", "wc_scrypt", scrypt_setup, scrypt_call, 0, 64)
#else
#define SCRYPT_ROW
#endif
#define KDF_ROWS                                                                                                       \
    KDF_ROW("hkdf-sha-256", "wc_HKDF", kdf_setup, hkdf_call, WC_SHA256, 32)                                            \
    KDF_ROW("hkdf-sha-512", "wc_HKDF", kdf_setup, hkdf_call, WC_SHA512, 64)                                            \
    KDF_ROW("pbkdf2-hmac-sha-1", "wc_PBKDF2", kdf_setup, pbkdf2_call, WC_SHA, 20)                                      \
    KDF_ROW("pbkdf2-hmac-sha-256", "wc_PBKDF2", kdf_setup, pbkdf2_call, WC_SHA256, 32)                                 \
    KDF_ROW("pbkdf2-hmac-sha-512", "wc_PBKDF2", kdf_setup, pbkdf2_call, WC_SHA512, 64) SCRYPT_ROW

#endif
