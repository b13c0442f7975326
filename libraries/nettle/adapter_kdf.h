/* SPDX-License-Identifier: Apache-2.0
 *
 * Nettle: the rows of key derivation, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_NETTLE_KDF_H
#define CIPHERSTONE_NETTLE_KDF_H

#include "adapter.h"

int kdf_setup(cs_case *c);
int hkdf_sha256_call(cs_case *c);
int hkdf_sha512_call(cs_case *c);
int pbkdf2_sha1_call(cs_case *c);
int pbkdf2_sha256_call(cs_case *c);
int pbkdf2_sha512_call(cs_case *c);

/* `param` is the bytes of output. */
#define KDF_ROW(ALGORITHM, NAME, CALL, BYTES)                                                                          \
    {                                                                                                                  \
        .id = ALGORITHM "/derive", .impl = "default", .name = NAME, .setup = kdf_setup, .call = CALL,                  \
        .rekey = cs_key_in_call, .teardown = free_state, .param = &(const size_t)                                      \
        {                                                                                                              \
            BYTES                                                                                                      \
        }                                                                                                              \
    }
#define KDF_ROWS                                                                                                       \
    KDF_ROW("hkdf-sha-256", "hkdf_extract, hkdf_expand", hkdf_sha256_call, 32),                                        \
        KDF_ROW("hkdf-sha-512", "hkdf_extract, hkdf_expand", hkdf_sha512_call, 64),                                    \
        KDF_ROW("pbkdf2-hmac-sha-1", "pbkdf2_hmac_sha1", pbkdf2_sha1_call, 20),                                        \
        KDF_ROW("pbkdf2-hmac-sha-256", "pbkdf2_hmac_sha256", pbkdf2_sha256_call, 32),                                  \
        KDF_ROW("pbkdf2-hmac-sha-512", "pbkdf2_hmac_sha512", pbkdf2_sha512_call, 64)

#endif
