/* SPDX-License-Identifier: Apache-2.0
 *
 * Monocypher: the rows of key derivation, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_MONOCYPHER_KDF_H
#define CIPHERSTONE_MONOCYPHER_KDF_H

#include "cipherstone.h"

int setup_hkdf(cs_case *c);
int call_hkdf(cs_case *c);
int setup_argon2id(cs_case *c);
int call_argon2id(cs_case *c);
void teardown_kdf(cs_case *c);

#define KDF_ROW(ALGORITHM, NAME, FUNCTIONS)                                                                            \
    {.id = ALGORITHM "/derive",                                                                                        \
     .impl = "default",                                                                                                \
     .name = NAME,                                                                                                     \
     .setup = setup_##FUNCTIONS,                                                                                       \
     .call = call_##FUNCTIONS,                                                                                         \
     .rekey = cs_key_in_call,                                                                                          \
     .teardown = teardown_kdf}
#define KDF_ROWS KDF_ROW("hkdf-sha-512", "crypto_sha512_hkdf", hkdf), KDF_ROW("argon2id", "crypto_argon2", argon2id)

#endif
