/* SPDX-License-Identifier: Apache-2.0
 *
 * Libgcrypt: the rows of key derivation, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_LIBGCRYPT_KDF_H
#define CIPHERSTONE_LIBGCRYPT_KDF_H

#include "adapter.h"

/* What a row points to: the function of the library, what it is made with, and the bytes of output. */
struct kdf_kind {
    int algo, inner;
    size_t bytes;
};

int pbkdf2_setup(cs_case *c);
int pbkdf2_call(cs_case *c);
int scrypt_setup(cs_case *c);
int scrypt_call(cs_case *c);
int argon2id_setup(cs_case *c);
int argon2id_call(cs_case *c);
int hkdf_setup(cs_case *c);
int hkdf_call(cs_case *c);
void kdf_teardown(cs_case *c);

#define KDF_ROW(ALGORITHM, NAME, FUNCTIONS, ALGO, INNER, BYTES, ...)                                                   \
    {.id = ALGORITHM "/derive",                                                                                        \
     .impl = "default",                                                                                                \
     .name = NAME,                                                                                                     \
     .setup = FUNCTIONS##_setup,                                                                                       \
     .call = FUNCTIONS##_call,                                                                                         \
     .rekey = cs_key_in_call,                                                                                          \
     .teardown = kdf_teardown,                                                                                         \
     .param = &(const struct kdf_kind){ALGO, INNER, BYTES},                                                            \
     __VA_ARGS__}
#define PBKDF2_ROW(ALGORITHM, HASH, BYTES)                                                                             \
    KDF_ROW("pbkdf2-hmac-" ALGORITHM, "gcry_kdf_derive PBKDF2 " #HASH, pbkdf2, GCRY_KDF_PBKDF2, HASH, BYTES,           \
            .seeded = 0)
#if GCRYPT_VERSION_NUMBER >= 0x010b00
#define HKDF_ROWS                                                                                                      \
    , KDF_ROW("hkdf-sha-256", "gcry_kdf_open HKDF", hkdf, GCRY_KDF_HKDF, GCRY_MAC_HMAC_SHA256, 32, .seeded = 0),       \
        KDF_ROW("hkdf-sha-512", "gcry_kdf_open HKDF", hkdf, GCRY_KDF_HKDF, GCRY_MAC_HMAC_SHA512, 64, .seeded = 0)
#else
#define HKDF_ROWS
#endif
/* The library's scrypt has r = 8 and no other. */
#define KDF_ROWS                                                                                                       \
    PBKDF2_ROW("sha-1", GCRY_MD_SHA1, 20), PBKDF2_ROW("sha-256", GCRY_MD_SHA256, 32),                                  \
        PBKDF2_ROW("sha-512", GCRY_MD_SHA512, 64),                                                                     \
        KDF_ROW("scrypt", "gcry_kdf_derive SCRYPT", scrypt, GCRY_KDF_SCRYPT, 0, 64, .params = "r=8"),                  \
        KDF_ROW("argon2id", "gcry_kdf_open ARGON2ID", argon2id, GCRY_KDF_ARGON2, GCRY_KDF_ARGON2ID, 32, .seeded = 0)   \
            HKDF_ROWS

#endif
