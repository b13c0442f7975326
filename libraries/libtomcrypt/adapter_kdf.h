/* SPDX-License-Identifier: Apache-2.0
 *
 * LibTomCrypt: the rows of key derivation, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_LIBTOMCRYPT_KDF_H
#define CIPHERSTONE_LIBTOMCRYPT_KDF_H

#include "adapter.h"

int kdf_setup(cs_case *c);
int hkdf_call(cs_case *c);
int pbkdf2_call(cs_case *c);

/* `param` is the library's description of the hash, whose digest is as long as the output. */
#define KDF_ROW(ALGORITHM, NAME, CALL, HASH)                                                                           \
    {.id = ALGORITHM "/derive",                                                                                        \
     .impl = "default",                                                                                                \
     .name = NAME,                                                                                                     \
     .setup = kdf_setup,                                                                                               \
     .call = CALL,                                                                                                     \
     .rekey = cs_key_in_call,                                                                                          \
     .teardown = free_state,                                                                                           \
     .param = &(HASH)}
#define KDF_ROWS                                                                                                       \
    KDF_ROW("hkdf-sha-256", "hkdf", hkdf_call, sha256_desc), KDF_ROW("hkdf-sha-512", "hkdf", hkdf_call, sha512_desc),  \
        KDF_ROW("pbkdf2-hmac-sha-1", "pkcs_5_alg2", pbkdf2_call, sha1_desc),                                           \
        KDF_ROW("pbkdf2-hmac-sha-256", "pkcs_5_alg2", pbkdf2_call, sha256_desc),                                       \
        KDF_ROW("pbkdf2-hmac-sha-512", "pkcs_5_alg2", pbkdf2_call, sha512_desc)

#endif
