/* SPDX-License-Identifier: Apache-2.0
 *
 * BoringSSL and AWS-LC: the rows of XChaCha20-Poly1305, GCM-SIV and key wrap, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_BORINGSSL_MODES_H
#define CIPHERSTONE_BORINGSSL_MODES_H

#include "adapter.h"

int wrap_setup(cs_case *c);
int wrap_call(cs_case *c);
int unwrap_setup(cs_case *c);
int unwrap_call(cs_case *c);

/* `param` is a pointer to the function that gives the AEAD or the cipher. */
#define AEAD_OF(NAME)                                                                                                  \
    .param = &(const EVP_AEAD *(*const)(void))                                                                         \
    {                                                                                                                  \
        EVP_aead_##NAME                                                                                                \
    }
#define CIPHER_OF(NAME)                                                                                                \
    .param = &(const EVP_CIPHER *(*const)(void))                                                                       \
    {                                                                                                                  \
        EVP_##NAME                                                                                                     \
    }

#define MODE_AEAD_ROWS(ALGORITHM, NAME)                                                                                \
    {.id = ALGORITHM "/seal",                                                                                          \
     .impl = "default",                                                                                                \
     .name = "EVP_AEAD_CTX_seal EVP_aead_" #NAME,                                                                      \
     .setup = seal_setup,                                                                                              \
     .call = seal_call,                                                                                                \
     .rekey = aead_rekey,                                                                                              \
     .teardown = session_free,                                                                                         \
     AEAD_OF(NAME)},                                                                                                   \
    {                                                                                                                  \
        .id = ALGORITHM "/open", .impl = "default", .name = "EVP_AEAD_CTX_open_gather EVP_aead_" #NAME,                \
        .setup = open_setup, .call = open_call, .rekey = aead_rekey, .teardown = session_free, AEAD_OF(NAME)           \
    }
#define WRAP_ROWS(ALGORITHM)                                                                                           \
    {.id = ALGORITHM "/wrap",                                                                                          \
     .impl = "default",                                                                                                \
     .name = "AES_wrap_key",                                                                                           \
     .setup = wrap_setup,                                                                                              \
     .call = wrap_call,                                                                                                \
     .rekey = cs_setup_again,                                                                                          \
     .teardown = session_free,                                                                                         \
     .block = 8},                                                                                                      \
        {.id = ALGORITHM "/unwrap",                                                                                    \
         .impl = "default",                                                                                            \
         .name = "AES_unwrap_key",                                                                                     \
         .setup = unwrap_setup,                                                                                        \
         .call = unwrap_call,                                                                                          \
         .rekey = cs_setup_again,                                                                                      \
         .teardown = session_free,                                                                                     \
         .block = 8}
#define MODE_ROWS                                                                                                      \
    MODE_AEAD_ROWS("xchacha20-poly1305", xchacha20_poly1305), MODE_AEAD_ROWS("aes-128-gcm-siv", aes_128_gcm_siv),      \
        MODE_AEAD_ROWS("aes-256-gcm-siv", aes_256_gcm_siv), WRAP_ROWS("aes-128-kw"), WRAP_ROWS("aes-256-kw")

#endif
