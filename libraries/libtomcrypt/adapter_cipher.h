/* SPDX-License-Identifier: Apache-2.0
 *
 * LibTomCrypt: the rows of ciphers and of authenticated encryption, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_LIBTOMCRYPT_CIPHER_H
#define CIPHERSTONE_LIBTOMCRYPT_CIPHER_H

#include "adapter.h"

int cbc_setup(cs_case *c);
int cbc_rekey(cs_case *c);
void cbc_teardown(cs_case *c);
int cbc_encrypt_call(cs_case *c);
int cbc_decrypt_call(cs_case *c);

int ctr_setup(cs_case *c);
int ctr_rekey(cs_case *c);
void ctr_teardown(cs_case *c);
int ctr_call(cs_case *c);

int chacha20_setup(cs_case *c);
int chacha20_rekey(cs_case *c);
int chacha20_call(cs_case *c);

int gcm_seal_setup(cs_case *c);
int gcm_open_setup(cs_case *c);
int gcm_rekey(cs_case *c);
int gcm_seal_call(cs_case *c);
int gcm_open_call(cs_case *c);

int seal_setup(cs_case *c);
int open_setup(cs_case *c);
int gcm_oneshot_seal(cs_case *c);
int gcm_oneshot_open(cs_case *c);

int chachapoly_seal_setup(cs_case *c);
int chachapoly_open_setup(cs_case *c);
int chachapoly_seal_call(cs_case *c);
int chachapoly_open_call(cs_case *c);
int chachapoly_oneshot_seal(cs_case *c);
int chachapoly_oneshot_open(cs_case *c);

/* clang-format off */
#define CBC_ROWS(ALGORITHM, CIPHER, BLOCK)                                                                             \
    {.id = ALGORITHM "/encrypt", .impl = "default", .name = "cbc_encrypt", .setup = cbc_setup, .call = cbc_encrypt_call, .rekey = cbc_rekey, .teardown = cbc_teardown, .param = &CIPHER, .block = BLOCK}, \
    {.id = ALGORITHM "/decrypt", .impl = "default", .name = "cbc_decrypt", .setup = cbc_setup, .call = cbc_decrypt_call, .rekey = cbc_rekey, .teardown = cbc_teardown, .param = &CIPHER, .block = BLOCK}
#define CTR_ROW(ALGORITHM)                                                                                             \
    {.id = ALGORITHM "/encrypt", .impl = "default", .name = "ctr_encrypt", .setup = ctr_setup, .call = ctr_call, .rekey = ctr_rekey, .teardown = ctr_teardown}
#define CIPHER_ROWS                                                                                                    \
    CBC_ROWS("aes-128-cbc", aes_cipher, 16),                                                                           \
    CBC_ROWS("aes-192-cbc", aes_cipher, 16),                                                                           \
    CBC_ROWS("aes-256-cbc", aes_cipher, 16),                                                                           \
    CBC_ROWS("3des-cbc", des3_cipher, 8),                                                                              \
    CTR_ROW("aes-128-ctr"),                                                                                            \
    CTR_ROW("aes-192-ctr"),                                                                                            \
    CTR_ROW("aes-256-ctr"),                                                                                            \
    {.id = "chacha20/encrypt", .impl = "default", .name = "chacha_crypt", .setup = chacha20_setup, .call = chacha20_call, .rekey = chacha20_rekey, .teardown = free_state}

#define GCM_ROWS(ALGORITHM)                                                                                            \
    {.id = ALGORITHM "/seal", .impl = "default", .name = "gcm_reset, gcm_add_iv, gcm_add_aad, gcm_process, gcm_done", .setup = gcm_seal_setup, .call = gcm_seal_call, .rekey = gcm_rekey, .teardown = free_state}, \
    {.id = ALGORITHM "/open", .impl = "default", .name = "gcm_reset, gcm_add_iv, gcm_add_aad, gcm_process, gcm_done", .setup = gcm_open_setup, .call = gcm_open_call, .rekey = gcm_rekey, .teardown = free_state}, \
    {.id = ALGORITHM "/seal", .impl = "oneshot", .name = "gcm_memory", .setup = seal_setup, .call = gcm_oneshot_seal, .rekey = cs_key_in_call}, \
    {.id = ALGORITHM "/open", .impl = "oneshot", .name = "gcm_memory", .setup = open_setup, .call = gcm_oneshot_open, .rekey = cs_key_in_call}
#define AEAD_ROWS                                                                                                      \
    GCM_ROWS("aes-128-gcm"),                                                                                           \
    GCM_ROWS("aes-192-gcm"),                                                                                           \
    GCM_ROWS("aes-256-gcm"),                                                                                           \
    {.id = "chacha20-poly1305/seal", .impl = "default", .name = "chacha20poly1305_init, _setiv, _add_aad, _encrypt, _done", .setup = chachapoly_seal_setup, .call = chachapoly_seal_call, .rekey = cs_key_in_call, .teardown = free_state}, \
    {.id = "chacha20-poly1305/open", .impl = "default", .name = "chacha20poly1305_init, _setiv, _add_aad, _decrypt, _done", .setup = chachapoly_open_setup, .call = chachapoly_open_call, .rekey = cs_key_in_call, .teardown = free_state}, \
    {.id = "chacha20-poly1305/seal", .impl = "oneshot", .name = "chacha20poly1305_memory", .setup = seal_setup, .call = chachapoly_oneshot_seal, .rekey = cs_key_in_call}, \
    {.id = "chacha20-poly1305/open", .impl = "oneshot", .name = "chacha20poly1305_memory", .setup = open_setup, .call = chachapoly_oneshot_open, .rekey = cs_key_in_call}
/* clang-format on */

#endif
