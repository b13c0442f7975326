/* SPDX-License-Identifier: Apache-2.0
 *
 * Crypto++: the rows of key derivation, for the table in adapter.cpp.
 */
#ifndef CIPHERSTONE_CRYPTOPP_KDF_H
#define CIPHERSTONE_CRYPTOPP_KDF_H

#include "adapter.h"

namespace cs_cryptopp
{

int setup_hkdf_sha256(cs_case *c) noexcept;
int call_hkdf_sha256(cs_case *c) noexcept;
int setup_hkdf_sha512(cs_case *c) noexcept;
int call_hkdf_sha512(cs_case *c) noexcept;
int setup_pbkdf2_sha1(cs_case *c) noexcept;
int call_pbkdf2_sha1(cs_case *c) noexcept;
int setup_pbkdf2_sha256(cs_case *c) noexcept;
int call_pbkdf2_sha256(cs_case *c) noexcept;
int setup_pbkdf2_sha512(cs_case *c) noexcept;
int call_pbkdf2_sha512(cs_case *c) noexcept;
int setup_scrypt(cs_case *c) noexcept;
int call_scrypt(cs_case *c) noexcept;
void teardown_kdf(cs_case *c) noexcept;

} // namespace cs_cryptopp

#define KDF_ROW(ALGORITHM, NAME, FUNCTIONS)                                                                            \
    {.id = ALGORITHM "/derive",                                                                                        \
     .impl = "default",                                                                                                \
     .name = NAME,                                                                                                     \
     .setup = setup_##FUNCTIONS,                                                                                       \
     .call = call_##FUNCTIONS,                                                                                         \
     .teardown = teardown_kdf,                                                                                         \
     .rekey = cs_key_in_call}
#define KDF_ROWS                                                                                                       \
    KDF_ROW("hkdf-sha-256", "HKDF<SHA256>", hkdf_sha256), KDF_ROW("hkdf-sha-512", "HKDF<SHA512>", hkdf_sha512),        \
        KDF_ROW("pbkdf2-hmac-sha-1", "PKCS5_PBKDF2_HMAC<SHA1>", pbkdf2_sha1),                                          \
        KDF_ROW("pbkdf2-hmac-sha-256", "PKCS5_PBKDF2_HMAC<SHA256>", pbkdf2_sha256),                                    \
        KDF_ROW("pbkdf2-hmac-sha-512", "PKCS5_PBKDF2_HMAC<SHA512>", pbkdf2_sha512),                                    \
        KDF_ROW("scrypt", "Scrypt", scrypt)

#endif
