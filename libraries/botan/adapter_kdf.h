/* SPDX-License-Identifier: Apache-2.0
 *
 * Botan: the rows of key derivation, which a build has only with their modules, for the table in adapter.cpp.
 */
#ifndef CIPHERSTONE_BOTAN_KDF_H
#define CIPHERSTONE_BOTAN_KDF_H

#include "adapter.h"

#include <botan/build.h>

namespace cs_botan
{

/* What a row points to: the library's name of the function, and the bytes of output. */
struct KdfKind {
    const char *name;
    size_t bytes;
};

int setup_hkdf(cs_case *c) noexcept;
int call_hkdf(cs_case *c) noexcept;
void teardown_hkdf(cs_case *c) noexcept;
int setup_pbkdf2(cs_case *c) noexcept;
int setup_scrypt(cs_case *c) noexcept;
int setup_argon2id(cs_case *c) noexcept;
int call_password(cs_case *c) noexcept;
void teardown_password(cs_case *c) noexcept;

inline constexpr KdfKind hkdf_sha256 = {"HKDF(SHA-256)", 32}, hkdf_sha512 = {"HKDF(SHA-512)", 64},
                         pbkdf2_sha1 = {"PBKDF2(SHA-1)", 20}, pbkdf2_sha256 = {"PBKDF2(SHA-256)", 32},
                         pbkdf2_sha512 = {"PBKDF2(SHA-512)", 64}, scrypt_kind = {"Scrypt", 64},
                         argon2id_kind = {"Argon2id", 32};

} // namespace cs_botan

/* Each ends with a comma where it is not empty. */
#define KDF_ROW(ALGORITHM, NAME, SETUP, FUNCTIONS, KIND)                                                               \
    {.id = ALGORITHM "/derive",                                                                                        \
     .impl = "default",                                                                                                \
     .name = NAME,                                                                                                     \
     .setup = setup_##SETUP,                                                                                           \
     .call = call_##FUNCTIONS,                                                                                         \
     .teardown = teardown_##FUNCTIONS,                                                                                 \
     .param = &(KIND),                                                                                                 \
     .rekey = cs_key_in_call},
#if defined(BOTAN_HAS_HKDF)
#define HKDF_ROWS                                                                                                      \
    KDF_ROW("hkdf-sha-256", "KDF::derive_key HKDF(SHA-256)", hkdf, hkdf, hkdf_sha256)                                  \
    KDF_ROW("hkdf-sha-512", "KDF::derive_key HKDF(SHA-512)", hkdf, hkdf, hkdf_sha512)
#else
#define HKDF_ROWS
#endif
#if defined(BOTAN_HAS_PBKDF2)
#define PBKDF2_ROW(HASH, KIND) KDF_ROW("pbkdf2-hmac-" HASH, "PasswordHash PBKDF2", pbkdf2, password, KIND)
#define PBKDF2_ROWS                                                                                                    \
    PBKDF2_ROW("sha-1", pbkdf2_sha1) PBKDF2_ROW("sha-256", pbkdf2_sha256) PBKDF2_ROW("sha-512", pbkdf2_sha512)
#else
#define PBKDF2_ROWS
#endif
#if defined(BOTAN_HAS_SCRYPT)
#define SCRYPT_ROWS KDF_ROW("scrypt", "PasswordHash Scrypt", scrypt, password, scrypt_kind)
#else
#define SCRYPT_ROWS
#endif
#if defined(BOTAN_HAS_ARGON2)
#define ARGON2_ROWS KDF_ROW("argon2id", "PasswordHash Argon2id", argon2id, password, argon2id_kind)
#else
#define ARGON2_ROWS
#endif
#define KDF_ROWS HKDF_ROWS PBKDF2_ROWS SCRYPT_ROWS ARGON2_ROWS

#endif
