/* SPDX-License-Identifier: Apache-2.0
 *
 * wolfSSL: the rows of what a build has only if it was asked for: CCM, EAX, GCM-SIV, XTS, XChaCha20-Poly1305, key wrap
 * and Camellia, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_WOLFSSL_MODES_H
#define CIPHERSTONE_WOLFSSL_MODES_H

#include "adapter.h"

int ccm_seal_setup(cs_case *c);
int ccm_open_setup(cs_case *c);
int ccm_rekey(cs_case *c);
int ccm_seal_call(cs_case *c);
int ccm_open_call(cs_case *c);
int keyed_seal_setup(cs_case *c);
int keyed_open_setup(cs_case *c);
int eax_seal_call(cs_case *c);
int eax_open_call(cs_case *c);
int gcm_siv_seal_call(cs_case *c);
int gcm_siv_open_call(cs_case *c);
int xts_encrypt_setup(cs_case *c);
int xts_decrypt_setup(cs_case *c);
int xts_encrypt_call(cs_case *c);
int xts_decrypt_call(cs_case *c);
void xts_teardown(cs_case *c);
int xchacha_seal_setup(cs_case *c);
int xchacha_open_setup(cs_case *c);
int xchacha_seal_call(cs_case *c);
int xchacha_open_call(cs_case *c);
int wrap_setup(cs_case *c);
int unwrap_setup(cs_case *c);
int wrap_call(cs_case *c);
int unwrap_call(cs_case *c);

/* clang-format off */
#ifdef HAVE_AESCCM
#define CCM_ROWS(SIZE)                                                                                                 \
    {.id = "aes-" SIZE "-ccm/seal", .impl = "default", .name = "wc_AesCcmEncrypt", .setup = ccm_seal_setup, .call = ccm_seal_call, .rekey = ccm_rekey, .teardown = aes_teardown}, \
    {.id = "aes-" SIZE "-ccm/open", .impl = "default", .name = "wc_AesCcmDecrypt", .setup = ccm_open_setup, .call = ccm_open_call, .rekey = ccm_rekey, .teardown = aes_teardown},
#else
#define CCM_ROWS(SIZE)
#endif
#ifdef WOLFSSL_AES_EAX
#define EAX_ROWS(SIZE)                                                                                                 \
    {.id = "aes-" SIZE "-eax/seal", .impl = "default", .name = "wc_AesEaxEncryptAuth", .setup = keyed_seal_setup, .call = eax_seal_call, .rekey = cs_key_in_call}, \
    {.id = "aes-" SIZE "-eax/open", .impl = "default", .name = "wc_AesEaxDecryptAuth", .setup = keyed_open_setup, .call = eax_open_call, .rekey = cs_key_in_call},
#else
#define EAX_ROWS(SIZE)
#endif
#ifdef WOLFSSL_AESGCM_SIV
#define GCM_SIV_ROWS(SIZE)                                                                                             \
    {.id = "aes-" SIZE "-gcm-siv/seal", .impl = "default", .name = "wc_AesGcmSivEncrypt", .setup = keyed_seal_setup, .call = gcm_siv_seal_call, .rekey = cs_key_in_call}, \
    {.id = "aes-" SIZE "-gcm-siv/open", .impl = "default", .name = "wc_AesGcmSivDecrypt", .setup = keyed_open_setup, .call = gcm_siv_open_call, .rekey = cs_key_in_call},
#else
#define GCM_SIV_ROWS(SIZE)
#endif
#ifdef WOLFSSL_AES_XTS
#define XTS_ROWS(SIZE)                                                                                                 \
    {.id = "aes-" SIZE "-xts/encrypt", .impl = "default", .name = "wc_AesXtsEncrypt", .setup = xts_encrypt_setup, .call = xts_encrypt_call, .rekey = cs_setup_again, .teardown = xts_teardown, .block = 16}, \
    {.id = "aes-" SIZE "-xts/decrypt", .impl = "default", .name = "wc_AesXtsDecrypt", .setup = xts_decrypt_setup, .call = xts_decrypt_call, .rekey = cs_setup_again, .teardown = xts_teardown, .block = 16},
#else
#define XTS_ROWS(SIZE)
#endif
#ifdef HAVE_XCHACHA
#define XCHACHA_ROWS                                                                                                   \
    {.id = "xchacha20-poly1305/seal", .impl = "default", .name = "wc_XChaCha20Poly1305_Encrypt", .setup = xchacha_seal_setup, .call = xchacha_seal_call, .rekey = cs_key_in_call}, \
    {.id = "xchacha20-poly1305/open", .impl = "default", .name = "wc_XChaCha20Poly1305_Decrypt", .setup = xchacha_open_setup, .call = xchacha_open_call, .rekey = cs_setup_again, .teardown = free_state},
#else
#define XCHACHA_ROWS
#endif
#ifdef HAVE_AES_KEYWRAP
#define WRAP_ROWS(SIZE)                                                                                                \
    {.id = "aes-" SIZE "-kw/wrap", .impl = "default", .name = "wc_AesKeyWrap_ex", .setup = wrap_setup, .call = wrap_call, .rekey = aes_encrypt_rekey, .teardown = aes_teardown, .block = 8}, \
    {.id = "aes-" SIZE "-kw/unwrap", .impl = "default", .name = "wc_AesKeyUnWrap_ex", .setup = unwrap_setup, .call = unwrap_call, .rekey = aes_decrypt_rekey, .teardown = aes_teardown, .block = 8},
#else
#define WRAP_ROWS(SIZE)
#endif
#ifdef HAVE_CAMELLIA
int camellia_setup(cs_case *c);
int camellia_rekey(cs_case *c);
int camellia_encrypt_call(cs_case *c);
int camellia_decrypt_call(cs_case *c);
#define CAMELLIA_ROWS                                                                                                  \
    {.id = "camellia-128-cbc/encrypt", .impl = "default", .name = "wc_CamelliaCbcEncrypt", .setup = camellia_setup, .call = camellia_encrypt_call, .rekey = camellia_rekey, .teardown = free_state, .block = 16}, \
    {.id = "camellia-128-cbc/decrypt", .impl = "default", .name = "wc_CamelliaCbcDecrypt", .setup = camellia_setup, .call = camellia_decrypt_call, .rekey = camellia_rekey, .teardown = free_state, .block = 16},
#else
#define CAMELLIA_ROWS
#endif
/* Ends with a comma where it is not empty. */
#define MODE_ROWS CCM_ROWS("128") CCM_ROWS("256") EAX_ROWS("128") EAX_ROWS("256") GCM_SIV_ROWS("128") GCM_SIV_ROWS("256") XTS_ROWS("128") XTS_ROWS("256") XCHACHA_ROWS WRAP_ROWS("128") WRAP_ROWS("256") CAMELLIA_ROWS
/* clang-format on */

#endif
