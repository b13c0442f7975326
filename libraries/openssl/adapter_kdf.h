/* SPDX-License-Identifier: Apache-2.0
 *
 * OpenSSL: the rows of key derivation, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_OPENSSL_KDF_H
#define CIPHERSTONE_OPENSSL_KDF_H

#include "session.h"

/* What a row points to: the KDF's name to fetch, the hash that its HMAC is made of or NULL, and the bytes of output. */
struct kdf_kind {
    const char *kdf;
    const char *digest;
    size_t bytes;
};

const char *kdf_unavailable(const struct cs_op *op);
const char *kdf_fetch(const struct cs_op *op, void **fetched);
int hkdf_setup(cs_case *c);
int hkdf_call(cs_case *c);
int pbkdf2_setup(cs_case *c);
int scrypt_setup(cs_case *c);
int argon2id_setup(cs_case *c);
int password_call(cs_case *c);
void kdf_teardown(cs_case *c);

#define KDF_ROW(ALGORITHM, KDF, DIGEST, BYTES, FUNCTIONS, CALL)                                                        \
    {.id = ALGORITHM "/derive",                                                                                        \
     .impl = "default",                                                                                                \
     .name = "EVP_KDF_derive " KDF,                                                                                    \
     .setup = FUNCTIONS##_setup,                                                                                       \
     .call = CALL,                                                                                                     \
     .rekey = cs_key_in_call,                                                                                          \
     .teardown = kdf_teardown,                                                                                         \
     .param = &(const struct kdf_kind){KDF, DIGEST, BYTES},                                                            \
     FETCHED(kdf)}
#define PBKDF2_ROW(ALGORITHM, DIGEST, BYTES)                                                                           \
    KDF_ROW("pbkdf2-hmac-" ALGORITHM, "PBKDF2", DIGEST, BYTES, pbkdf2, password_call)
#if OPENSSL_VERSION_NUMBER >= 0x30200000L
#define ARGON2ID_ROW , KDF_ROW("argon2id", "ARGON2ID", NULL, 32, argon2id, password_call)
#else
#define ARGON2ID_ROW
#endif
#define KDF_ROWS                                                                                                       \
    KDF_ROW("hkdf-sha-256", "HKDF", "SHA256", 32, hkdf, hkdf_call),                                                    \
        KDF_ROW("hkdf-sha-512", "HKDF", "SHA512", 64, hkdf, hkdf_call), PBKDF2_ROW("sha-1", "SHA1", 20),               \
        PBKDF2_ROW("sha-256", "SHA256", 32), PBKDF2_ROW("sha-512", "SHA512", 64),                                      \
        KDF_ROW("scrypt", "SCRYPT", NULL, 64, scrypt, password_call) ARGON2ID_ROW

#endif
