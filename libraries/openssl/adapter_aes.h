/* SPDX-License-Identifier: Apache-2.0
 *
 * OpenSSL adapter: the rows of AES-CBC below EVP, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_OPENSSL_AES_H
#define CIPHERSTONE_OPENSSL_AES_H

#include "cipherstone.h"

int aes_encrypt_setup(cs_case *c);
int aes_decrypt_setup(cs_case *c);
int aes_encrypt_rekey(cs_case *c);
int aes_decrypt_rekey(cs_case *c);
int aes_cbc_encrypt_call(cs_case *c);
int aes_cbc_decrypt_call(cs_case *c);
void aes_teardown(cs_case *c);

#define AES_CBC_ROW(ALGORITHM, VERB)                                                                                   \
    {.id = ALGORITHM "/" #VERB,                                                                                        \
     .impl = "AES_cbc_encrypt",                                                                                        \
     .name = "AES_cbc_encrypt",                                                                                        \
     .setup = aes_##VERB##_setup,                                                                                      \
     .call = aes_cbc_##VERB##_call,                                                                                    \
     .rekey = aes_##VERB##_rekey,                                                                                      \
     .teardown = aes_teardown,                                                                                         \
     .block = 16}
#define AES_CBC_ROWS(ALGORITHM) AES_CBC_ROW(ALGORITHM, encrypt), AES_CBC_ROW(ALGORITHM, decrypt)

#endif
