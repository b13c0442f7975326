/* SPDX-License-Identifier: Apache-2.0
 *
 * wolfSSL: the rows of ciphers and of authenticated encryption, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_WOLFSSL_CIPHER_H
#define CIPHERSTONE_WOLFSSL_CIPHER_H

#include "adapter.h"

int aes_encrypt_setup(cs_case *c);
int aes_decrypt_setup(cs_case *c);
int aes_encrypt_rekey(cs_case *c);
int aes_decrypt_rekey(cs_case *c);
void aes_teardown(cs_case *c);
int cbc_encrypt_call(cs_case *c);
int cbc_decrypt_call(cs_case *c);
int ctr_call(cs_case *c);

int des3_encrypt_setup(cs_case *c);
int des3_decrypt_setup(cs_case *c);
int des3_encrypt_rekey(cs_case *c);
int des3_decrypt_rekey(cs_case *c);
void des3_teardown(cs_case *c);
int des3_encrypt_call(cs_case *c);
int des3_decrypt_call(cs_case *c);

int chacha_setup(cs_case *c);
int chacha_rekey(cs_case *c);
int chacha_call(cs_case *c);

int gcm_seal_setup(cs_case *c);
int gcm_open_setup(cs_case *c);
int gcm_rekey(cs_case *c);
int gcm_seal_call(cs_case *c);
int gcm_open_call(cs_case *c);

int chachapoly_seal_setup(cs_case *c);
int chachapoly_open_setup(cs_case *c);
int chachapoly_seal_call(cs_case *c);
int chachapoly_open_call(cs_case *c);

/* clang-format off */
#define AES_CIPHER_ROWS(SIZE)                                                                                          \
    {.id = "aes-" SIZE "-cbc/encrypt", .impl = "default", .name = "wc_AesCbcEncrypt", .setup = aes_encrypt_setup, .call = cbc_encrypt_call, .rekey = aes_encrypt_rekey, .teardown = aes_teardown, .block = 16}, \
    {.id = "aes-" SIZE "-cbc/decrypt", .impl = "default", .name = "wc_AesCbcDecrypt", .setup = aes_decrypt_setup, .call = cbc_decrypt_call, .rekey = aes_decrypt_rekey, .teardown = aes_teardown, .block = 16}, \
    {.id = "aes-" SIZE "-ctr/encrypt", .impl = "default", .name = "wc_AesCtrEncrypt", .setup = aes_encrypt_setup, .call = ctr_call, .rekey = aes_encrypt_rekey, .teardown = aes_teardown}
#define CIPHER_ROWS                                                                                                    \
    AES_CIPHER_ROWS("128"),                                                                                            \
    AES_CIPHER_ROWS("192"),                                                                                            \
    AES_CIPHER_ROWS("256"),                                                                                            \
    {.id = "3des-cbc/encrypt", .impl = "default", .name = "wc_Des3_CbcEncrypt", .setup = des3_encrypt_setup, .call = des3_encrypt_call, .rekey = des3_encrypt_rekey, .teardown = des3_teardown, .block = 8}, \
    {.id = "3des-cbc/decrypt", .impl = "default", .name = "wc_Des3_CbcDecrypt", .setup = des3_decrypt_setup, .call = des3_decrypt_call, .rekey = des3_decrypt_rekey, .teardown = des3_teardown, .block = 8}, \
    {.id = "chacha20/encrypt", .impl = "default", .name = "wc_Chacha_Process", .setup = chacha_setup, .call = chacha_call, .rekey = chacha_rekey, .teardown = free_state}

#define GCM_ROWS(SIZE)                                                                                                 \
    {.id = "aes-" SIZE "-gcm/seal", .impl = "default", .name = "wc_AesGcmEncrypt", .setup = gcm_seal_setup, .call = gcm_seal_call, .rekey = gcm_rekey, .teardown = aes_teardown}, \
    {.id = "aes-" SIZE "-gcm/open", .impl = "default", .name = "wc_AesGcmDecrypt", .setup = gcm_open_setup, .call = gcm_open_call, .rekey = gcm_rekey, .teardown = aes_teardown}
#define CHACHAPOLY_ROWS(IMPL)                                                                                          \
    {.id = "chacha20-poly1305/seal", .impl = IMPL, .name = "wc_ChaCha20Poly1305_Encrypt", .setup = chachapoly_seal_setup, .call = chachapoly_seal_call, .rekey = cs_key_in_call}, \
    {.id = "chacha20-poly1305/open", .impl = IMPL, .name = "wc_ChaCha20Poly1305_Decrypt", .setup = chachapoly_open_setup, .call = chachapoly_open_call, .rekey = cs_key_in_call}

/* Functions that take a context which keeps the key came with 5.9. */
#if LIBWOLFSSL_VERSION_HEX >= 0x05009004
int kept_seal_setup(cs_case *c);
int kept_open_setup(cs_case *c);
int kept_rekey(cs_case *c);
int kept_seal_call(cs_case *c);
int kept_open_call(cs_case *c);
#define AEAD_ROWS                                                                                                      \
    GCM_ROWS("128"), GCM_ROWS("192"), GCM_ROWS("256"), CHACHAPOLY_ROWS("oneshot"),                                                      \
    {.id = "chacha20-poly1305/seal", .impl = "default", .name = "wc_ChaCha20Poly1305_Encrypt_ex", .setup = kept_seal_setup, .call = kept_seal_call, .rekey = kept_rekey, .teardown = free_state}, \
    {.id = "chacha20-poly1305/open", .impl = "default", .name = "wc_ChaCha20Poly1305_Decrypt_ex", .setup = kept_open_setup, .call = kept_open_call, .rekey = kept_rekey, .teardown = free_state}
#else
#define AEAD_ROWS GCM_ROWS("128"), GCM_ROWS("192"), GCM_ROWS("256"), CHACHAPOLY_ROWS("default")
#endif
/* clang-format on */

#endif
