/* SPDX-License-Identifier: Apache-2.0
 *
 * Libgcrypt: the rows of CCM, EAX, OCB, XTS, GCM-SIV and key wrap, for the table in adapter.c, whose functions serve
 * where a mode wants nothing else.
 */
#ifndef CIPHERSTONE_LIBGCRYPT_MODES_H
#define CIPHERSTONE_LIBGCRYPT_MODES_H

#include "adapter.h"

int ccm_seal_call(cs_case *c);
int ccm_open_call(cs_case *c);
int ocb_seal_call(cs_case *c);
int ocb_open_call(cs_case *c);
int eax_seal_call(cs_case *c);
int eax_open_call(cs_case *c);
int siv_seal_call(cs_case *c);
int siv_open_call(cs_case *c);
int wrap_call(cs_case *c);
int unwrap_call(cs_case *c);

#define MODE_ROW(ID, NAME, SETUP, CALL, PARAM, BLOCK)                                                                  \
    {.id = ID,                                                                                                         \
     .impl = "default",                                                                                                \
     .name = NAME,                                                                                                     \
     .setup = SETUP,                                                                                                   \
     .call = CALL,                                                                                                     \
     .rekey = cipher_rekey,                                                                                            \
     .teardown = cipher_teardown,                                                                                      \
     .param = &(const struct algorithm)PARAM,                                                                          \
     .unavailable = cipher_unavailable,                                                                                \
     .block = BLOCK}
#define PLAIN(...) {__VA_ARGS__}
#define SEALING(BITS, MODE, NAME, SEAL, OPEN)                                                                          \
    MODE_ROW("aes-" #BITS "-" MODE "/seal", "GCRY_CIPHER_AES" #BITS " " #NAME, seal_setup, SEAL,                       \
             PLAIN(GCRY_CIPHER_AES##BITS, GCRY_CIPHER_MODE_##NAME), 0),                                                \
        MODE_ROW("aes-" #BITS "-" MODE "/open", "GCRY_CIPHER_AES" #BITS " " #NAME, cipher_setup, OPEN,                 \
                 PLAIN(GCRY_CIPHER_AES##BITS, GCRY_CIPHER_MODE_##NAME), 0)
#define SIZED_ROWS(BITS)                                                                                               \
    SEALING(BITS, "ccm", CCM, ccm_seal_call, ccm_open_call), SEALING(BITS, "eax", EAX, eax_seal_call, eax_open_call),  \
        SEALING(BITS, "ocb", OCB, ocb_seal_call, ocb_open_call),                                                       \
        SEALING(BITS, "gcm-siv", GCM_SIV, siv_seal_call, siv_open_call),                                               \
        MODE_ROW("aes-" #BITS "-xts/encrypt", "GCRY_CIPHER_AES" #BITS " XTS", cipher_setup, encrypt_call,              \
                 PLAIN(GCRY_CIPHER_AES##BITS, GCRY_CIPHER_MODE_XTS), 16),                                              \
        MODE_ROW("aes-" #BITS "-xts/decrypt", "GCRY_CIPHER_AES" #BITS " XTS", cipher_setup, decrypt_call,              \
                 PLAIN(GCRY_CIPHER_AES##BITS, GCRY_CIPHER_MODE_XTS), 16),                                              \
        MODE_ROW("aes-" #BITS "-kw/wrap", "GCRY_CIPHER_AES" #BITS " AESWRAP", cipher_setup, wrap_call,                 \
                 PLAIN(GCRY_CIPHER_AES##BITS, GCRY_CIPHER_MODE_AESWRAP), 8),                                           \
        MODE_ROW("aes-" #BITS "-kw/unwrap", "GCRY_CIPHER_AES" #BITS " AESWRAP", cipher_setup, unwrap_call,             \
                 PLAIN(GCRY_CIPHER_AES##BITS, GCRY_CIPHER_MODE_AESWRAP), 8)
#if GCRYPT_VERSION_NUMBER >= 0x010b00
#define ARIA_ROW                                                                                                       \
    , MODE_ROW("aria-128-ctr/encrypt", "GCRY_CIPHER_ARIA128 CTR", cipher_setup, ctr_call,                              \
               PLAIN(GCRY_CIPHER_ARIA128, GCRY_CIPHER_MODE_CTR), 0)
#else
#define ARIA_ROW
#endif
#define OTHER_ROWS                                                                                                     \
    MODE_ROW("camellia-128-cbc/encrypt", "GCRY_CIPHER_CAMELLIA128 CBC", cipher_setup, encrypt_call,                    \
             PLAIN(GCRY_CIPHER_CAMELLIA128, GCRY_CIPHER_MODE_CBC), 16),                                                \
        MODE_ROW("camellia-128-cbc/decrypt", "GCRY_CIPHER_CAMELLIA128 CBC", cipher_setup, decrypt_call,                \
                 PLAIN(GCRY_CIPHER_CAMELLIA128, GCRY_CIPHER_MODE_CBC), 16),                                            \
        MODE_ROW("sm4-ctr/encrypt", "GCRY_CIPHER_SM4 CTR", cipher_setup, ctr_call,                                     \
                 PLAIN(GCRY_CIPHER_SM4, GCRY_CIPHER_MODE_CTR), 0) ARIA_ROW
#define MODE_ROWS SIZED_ROWS(128), SIZED_ROWS(256), OTHER_ROWS

#endif
