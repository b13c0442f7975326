/* SPDX-License-Identifier: Apache-2.0
 *
 * BoringSSL and AWS-LC: the rows of key derivation, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_BORINGSSL_KDF_H
#define CIPHERSTONE_BORINGSSL_KDF_H

#include <openssl/digest.h>

#include "adapter.h"

/* What a row points to: a function that gives the hash, NULL for scrypt, and the bytes of output. */
struct kdf_kind {
    const EVP_MD *(*digest)(void);
    size_t bytes;
};

int kdf_setup(cs_case *c);
int hkdf_call(cs_case *c);
int pbkdf2_setup(cs_case *c);
int pbkdf2_call(cs_case *c);
int scrypt_setup(cs_case *c);
int scrypt_call(cs_case *c);
void kdf_teardown(cs_case *c);

#define KDF_ROW(ALGORITHM, NAME, SETUP, CALL, DIGEST, BYTES)                                                           \
    {                                                                                                                  \
        .id = ALGORITHM "/derive", .impl = "default", .name = NAME, .setup = SETUP, .call = CALL,                      \
        .rekey = cs_key_in_call, .teardown = kdf_teardown, .param = &(const struct kdf_kind)                           \
        {                                                                                                              \
            DIGEST, BYTES                                                                                              \
        }                                                                                                              \
    }
#define PBKDF2_ROW(ALGORITHM, DIGEST, BYTES)                                                                           \
    KDF_ROW("pbkdf2-hmac-" ALGORITHM, "PKCS5_PBKDF2_HMAC " #DIGEST, pbkdf2_setup, pbkdf2_call, DIGEST, BYTES)
#define KDF_ROWS                                                                                                       \
    KDF_ROW("hkdf-sha-256", "HKDF EVP_sha256", kdf_setup, hkdf_call, EVP_sha256, 32),                                  \
        KDF_ROW("hkdf-sha-512", "HKDF EVP_sha512", kdf_setup, hkdf_call, EVP_sha512, 64),                              \
        PBKDF2_ROW("sha-1", EVP_sha1, 20), PBKDF2_ROW("sha-256", EVP_sha256, 32),                                      \
        PBKDF2_ROW("sha-512", EVP_sha512, 64),                                                                         \
        KDF_ROW("scrypt", "EVP_PBE_scrypt", scrypt_setup, scrypt_call, NULL, 64)

#endif
