/* SPDX-License-Identifier: Apache-2.0
 *
 * OpenSSL: the rows of modes that are used otherwise than CBC, CTR and GCM, for the table in adapter.c, and of other
 * ciphers than AES. XTS and OCB are used like those, and their functions are those of adapter.c.
 */
#ifndef CIPHERSTONE_OPENSSL_MODES_H
#define CIPHERSTONE_OPENSSL_MODES_H

#include "session.h"

/* `param` is the cipher's name, as EVP_CIPHER_fetch takes it. */
int ccm_seal_setup(cs_case *c);
int ccm_open_setup(cs_case *c);
int ccm_seal_call(cs_case *c);
int ccm_open_call(cs_case *c);
int ccm_open_rekey(cs_case *c);
int siv_seal_call(cs_case *c);
int siv_open_call(cs_case *c);
int siv_rekey(cs_case *c);
int siv_open_rekey(cs_case *c);
int wrap_setup(cs_case *c);
int unwrap_setup(cs_case *c);
int wrap_rekey(cs_case *c);
int wrap_call(cs_case *c);
int unwrap_call(cs_case *c);

#define MODE_ROW(ID, NAME, SETUP, CALL, REKEY, BLOCK)                                                                  \
    {.id = ID,                                                                                                         \
     .impl = "default",                                                                                                \
     .name = "EVP_CIPHER " NAME,                                                                                       \
     .setup = SETUP,                                                                                                   \
     .call = CALL,                                                                                                     \
     .rekey = REKEY,                                                                                                   \
     .teardown = session_free,                                                                                         \
     .param = NAME,                                                                                                    \
     FETCHED(cipher),                                                                                                  \
     .block = BLOCK}
#define CCM_ROWS(ALGORITHM, NAME)                                                                                      \
    MODE_ROW(ALGORITHM "/seal", NAME, ccm_seal_setup, ccm_seal_call, cipher_rekey, 0),                                 \
        MODE_ROW(ALGORITHM "/open", NAME, ccm_open_setup, ccm_open_call, ccm_open_rekey, 0)
#define OCB_ROWS(ALGORITHM, NAME)                                                                                      \
    MODE_ROW(ALGORITHM "/seal", NAME, seal_setup, seal_call, cipher_rekey, 0),                                         \
        MODE_ROW(ALGORITHM "/open", NAME, open_setup, open_call, open_rekey, 0)
#define XTS_ROWS(ALGORITHM, NAME)                                                                                      \
    MODE_ROW(ALGORITHM "/encrypt", NAME, encrypt_setup, cipher_call, cipher_rekey, 16),                                \
        MODE_ROW(ALGORITHM "/decrypt", NAME, decrypt_setup, cipher_call, cipher_rekey, 16)
#define WRAP_ROWS(ALGORITHM, NAME)                                                                                     \
    MODE_ROW(ALGORITHM "/wrap", NAME, wrap_setup, wrap_call, wrap_rekey, 8),                                           \
        MODE_ROW(ALGORITHM "/unwrap", NAME, unwrap_setup, unwrap_call, wrap_rekey, 8)

#if OPENSSL_VERSION_NUMBER >= 0x30200000L
#define SIV_ROWS(ALGORITHM, NAME)                                                                                      \
    MODE_ROW(ALGORITHM "/seal", NAME, seal_setup, siv_seal_call, siv_rekey, 0),                                        \
        MODE_ROW(ALGORITHM "/open", NAME, open_setup, siv_open_call, siv_open_rekey, 0)
#define GCM_SIV_ROWS , SIV_ROWS("aes-128-gcm-siv", "AES-128-GCM-SIV"), SIV_ROWS("aes-256-gcm-siv", "AES-256-GCM-SIV")
#else
#define GCM_SIV_ROWS
#endif

#define OTHER_ROWS                                                                                                     \
    MODE_ROW("camellia-128-cbc/encrypt", "CAMELLIA-128-CBC", encrypt_setup, cipher_call, cipher_rekey, 16),            \
        MODE_ROW("camellia-128-cbc/decrypt", "CAMELLIA-128-CBC", decrypt_setup, cipher_call, cipher_rekey, 16),        \
        MODE_ROW("aria-128-ctr/encrypt", "ARIA-128-CTR", encrypt_setup, cipher_call, cipher_rekey, 0),                 \
        MODE_ROW("sm4-ctr/encrypt", "SM4-CTR", encrypt_setup, cipher_call, cipher_rekey, 0)
#define MODE_ROWS                                                                                                      \
    OTHER_ROWS, CCM_ROWS("aes-128-ccm", "AES-128-CCM"), CCM_ROWS("aes-256-ccm", "AES-256-CCM"),                        \
        XTS_ROWS("aes-128-xts", "AES-128-XTS"), XTS_ROWS("aes-256-xts", "AES-256-XTS"),                                \
        OCB_ROWS("aes-128-ocb", "AES-128-OCB"), OCB_ROWS("aes-256-ocb", "AES-256-OCB"),                                \
        WRAP_ROWS("aes-128-kw", "AES-128-WRAP"), WRAP_ROWS("aes-256-kw", "AES-256-WRAP") GCM_SIV_ROWS

#endif
