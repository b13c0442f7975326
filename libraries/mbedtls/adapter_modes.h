/* SPDX-License-Identifier: Apache-2.0
 *
 * Mbed TLS: the rows of CCM, XTS, key wrap, Camellia and ARIA, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_MBEDTLS_MODES_H
#define CIPHERSTONE_MBEDTLS_MODES_H

#include "adapter.h"
#include "adapter_psa.h"

int setup_ccm_seal(cs_case *c);
int setup_ccm_open(cs_case *c);
int rekey_ccm(cs_case *c);
int call_ccm_seal(cs_case *c);
int call_ccm_open(cs_case *c);
void teardown_ccm(cs_case *c);

/* `param` is the direction. */
int setup_xts(cs_case *c);
int rekey_xts(cs_case *c);
int call_xts(cs_case *c);
void teardown_xts(cs_case *c);

int setup_camellia_cbc(cs_case *c);
int rekey_camellia_cbc(cs_case *c);
int call_camellia_cbc(cs_case *c);
void teardown_camellia(cs_case *c);

#define XTS_ROW(ID, DIRECTION)                                                                                         \
    {.id = ID,                                                                                                         \
     .impl = "default",                                                                                                \
     .name = "mbedtls_aes_crypt_xts",                                                                                  \
     .setup = setup_xts,                                                                                               \
     .call = call_xts,                                                                                                 \
     .rekey = rekey_xts,                                                                                               \
     .teardown = teardown_xts,                                                                                         \
     .param = &(DIRECTION),                                                                                            \
     .block = AES_BLOCK}
#define MODE_SIZED_ROWS(BITS)                                                                                          \
    ROW("aes-" #BITS "-ccm/seal", "mbedtls_ccm_encrypt_and_tag", ccm_seal, ccm, rekey_ccm),                            \
        ROW("aes-" #BITS "-ccm/open", "mbedtls_ccm_auth_decrypt", ccm_open, ccm, rekey_ccm),                           \
        PSA_AEAD_ROWS("aes-" #BITS "-ccm", PSA_KEY_TYPE_AES, PSA_ALG_CCM),                                             \
        XTS_ROW("aes-" #BITS "-xts/encrypt", cipher_encrypt), XTS_ROW("aes-" #BITS "-xts/decrypt", cipher_decrypt)

/* The configuration of 2.28 that upstream and distributions have leaves key wrap and ARIA out. */
#if MBEDTLS_VERSION_MAJOR >= 3
int setup_wrap(cs_case *c);
int setup_unwrap(cs_case *c);
int rekey_wrap(cs_case *c);
int rekey_unwrap(cs_case *c);
int call_wrap(cs_case *c);
int call_unwrap(cs_case *c);
void teardown_kw(cs_case *c);
#define WRAP_ROW(ID, VERB)                                                                                             \
    {.id = ID "/" #VERB,                                                                                               \
     .impl = "default",                                                                                                \
     .name = "mbedtls_nist_kw_" #VERB,                                                                                 \
     .setup = setup_##VERB,                                                                                            \
     .call = call_##VERB,                                                                                              \
     .rekey = rekey_##VERB,                                                                                            \
     .teardown = teardown_kw,                                                                                          \
     .block = 8}
int setup_aria(cs_case *c);
int rekey_aria(cs_case *c);
int call_aria(cs_case *c);
void teardown_aria(cs_case *c);
#define WRAP_ROWS                                                                                                      \
    , ROW("aria-128-ctr/encrypt", "mbedtls_aria_crypt_ctr", aria, aria, rekey_aria),                                   \
        PSA_ENCRYPT_ROW("aria-128-ctr", PSA_KEY_TYPE_ARIA, PSA_ALG_CTR, 0), WRAP_ROW("aes-128-kw", wrap),              \
        WRAP_ROW("aes-128-kw", unwrap), WRAP_ROW("aes-256-kw", wrap), WRAP_ROW("aes-256-kw", unwrap)
#else
#define WRAP_ROWS
#endif

#define MODE_ROWS                                                                                                      \
    CBC_ROW("camellia-128-cbc/encrypt", "mbedtls_camellia_crypt_cbc", camellia, cipher_encrypt, AES_BLOCK),            \
        CBC_ROW("camellia-128-cbc/decrypt", "mbedtls_camellia_crypt_cbc", camellia, cipher_decrypt, AES_BLOCK),        \
        PSA_CBC_ROWS("camellia-128-cbc", PSA_KEY_TYPE_CAMELLIA, AES_BLOCK), MODE_SIZED_ROWS(128),                      \
        MODE_SIZED_ROWS(256), PSA_CBC_ROWS("aes-192-cbc", PSA_KEY_TYPE_AES, AES_BLOCK),                                \
        PSA_ENCRYPT_ROW("aes-192-ctr", PSA_KEY_TYPE_AES, PSA_ALG_CTR, 0),                                              \
        PSA_AEAD_ROWS("aes-192-gcm", PSA_KEY_TYPE_AES, PSA_ALG_GCM) WRAP_ROWS

#endif
