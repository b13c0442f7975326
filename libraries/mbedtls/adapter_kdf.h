/* SPDX-License-Identifier: Apache-2.0
 *
 * Mbed TLS: the rows of key derivation, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_MBEDTLS_KDF_H
#define CIPHERSTONE_MBEDTLS_KDF_H

#include <mbedtls/md.h>

#include "adapter.h"

/* What a row points to: the hash, and the bytes of output. */
struct kdf_kind {
    mbedtls_md_type_t md;
    size_t bytes;
};

int setup_kdf(cs_case *c);
int call_hkdf(cs_case *c);
int setup_pbkdf2(cs_case *c);
int call_pbkdf2(cs_case *c);
void teardown_kdf(cs_case *c);

#if MBEDTLS_VERSION_NUMBER >= 0x03030000
#define PBKDF2_NAME "mbedtls_pkcs5_pbkdf2_hmac_ext"
#else
#define PBKDF2_NAME "mbedtls_pkcs5_pbkdf2_hmac"
#endif
#define KDF_ROW(ALGORITHM, NAME, FUNCTIONS, SETUP, MD, BYTES)                                                          \
    {                                                                                                                  \
        .id = ALGORITHM "/derive", .impl = "default", .name = NAME, .setup = SETUP, .call = call_##FUNCTIONS,          \
        .rekey = cs_key_in_call, .teardown = teardown_kdf, .param = &(const struct kdf_kind)                           \
        {                                                                                                              \
            MD, BYTES                                                                                                  \
        }                                                                                                              \
    }
#define KDF_ROWS                                                                                                       \
    KDF_ROW("hkdf-sha-256", "mbedtls_hkdf", hkdf, setup_kdf, MBEDTLS_MD_SHA256, 32),                                   \
        KDF_ROW("hkdf-sha-512", "mbedtls_hkdf", hkdf, setup_kdf, MBEDTLS_MD_SHA512, 64),                               \
        KDF_ROW("pbkdf2-hmac-sha-1", PBKDF2_NAME, pbkdf2, setup_pbkdf2, MBEDTLS_MD_SHA1, 20),                          \
        KDF_ROW("pbkdf2-hmac-sha-256", PBKDF2_NAME, pbkdf2, setup_pbkdf2, MBEDTLS_MD_SHA256, 32),                      \
        KDF_ROW("pbkdf2-hmac-sha-512", PBKDF2_NAME, pbkdf2, setup_pbkdf2, MBEDTLS_MD_SHA512, 64)

#endif
