/* SPDX-License-Identifier: Apache-2.0
 *
 * libsodium: the rows of key derivation, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_LIBSODIUM_KDF_H
#define CIPHERSTONE_LIBSODIUM_KDF_H

#include <sodium.h>

#include "cipherstone.h"

int setup_scrypt(cs_case *c);
int call_scrypt(cs_case *c);
int setup_argon2id(cs_case *c);
int call_argon2id(cs_case *c);
void teardown_kdf(cs_case *c);

#define KDF_ROW(ALGORITHM, NAME, FUNCTIONS, ...)                                                                       \
    {.id = ALGORITHM "/derive",                                                                                        \
     .impl = "default",                                                                                                \
     .name = NAME,                                                                                                     \
     .setup = setup_##FUNCTIONS,                                                                                       \
     .call = call_##FUNCTIONS,                                                                                         \
     .rekey = cs_key_in_call,                                                                                          \
     .teardown = teardown_kdf,                                                                                         \
     __VA_ARGS__}
#ifdef crypto_kdf_hkdf_sha256_KEYBYTES
int setup_hkdf(cs_case *c);
int call_hkdf_sha256(cs_case *c);
int call_hkdf_sha512(cs_case *c);
#define HKDF_ROW(BITS)                                                                                                 \
    {                                                                                                                  \
        .id = "hkdf-sha-" #BITS "/derive", .impl = "default", .name = "crypto_kdf_hkdf_sha" #BITS "_extract, _expand", \
        .setup = setup_hkdf, .call = call_hkdf_sha##BITS, .rekey = cs_key_in_call, .teardown = teardown_kdf,           \
        .param = &(const size_t)                                                                                       \
        {                                                                                                              \
            crypto_kdf_hkdf_sha##BITS##_KEYBYTES                                                                       \
        }                                                                                                              \
    }
#define HKDF_ROWS , HKDF_ROW(256), HKDF_ROW(512)
#else
#define HKDF_ROWS
#endif
/* The library's Argon2id has one lane and no more. */
#define KDF_ROWS                                                                                                       \
    KDF_ROW("scrypt", "crypto_pwhash_scryptsalsa208sha256_ll", scrypt, .seeded = 0),                                   \
        KDF_ROW("argon2id", "crypto_pwhash", argon2id, .params = "p=1") HKDF_ROWS

#endif
