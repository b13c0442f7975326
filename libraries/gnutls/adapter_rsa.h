/* SPDX-License-Identifier: Apache-2.0
 *
 * GnuTLS: the rows of RSA signatures and encryption, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_GNUTLS_RSA_H
#define CIPHERSTONE_GNUTLS_RSA_H

#include "adapter.h"

/* OAEP came with GnuTLS 3.8.4. */
#define GNUTLS_HAS_OAEP (GNUTLS_VERSION_NUMBER >= 0x030804)

extern const struct scheme rsa_pkcs1, rsa_pss;
extern const struct kind rsa_3072_pair, rsa_4096_pair;

int rsa_sign_setup(cs_case *c);
int rsa_verify_setup(cs_case *c);
int rsa_pkcs1_encrypt_setup(cs_case *c);
int rsa_pkcs1_decrypt_setup(cs_case *c);
int rsa_oaep_encrypt_setup(cs_case *c);
int rsa_oaep_decrypt_setup(cs_case *c);
int rsa_encrypt_call(cs_case *c);
int rsa_decrypt_call(cs_case *c);

#define RSA_ROW(ID, NAME, SETUP, CALL, ...)                                                                            \
    {.id = ID,                                                                                                         \
     .impl = "default",                                                                                                \
     .name = NAME,                                                                                                     \
     .setup = SETUP,                                                                                                   \
     .call = CALL,                                                                                                     \
     .rekey = cs_setup_again,                                                                                          \
     .teardown = key_teardown,                                                                                         \
     .seed = seed_random,                                                                                              \
     __VA_ARGS__}
#define RSA_SIGNATURE(ALGORITHM, SCHEME)                                                                               \
    RSA_ROW(ALGORITHM "/sign", "gnutls_privkey_sign_data2", rsa_sign_setup, sign_call, .param = &SCHEME),              \
        RSA_ROW(ALGORITHM "/verify", "gnutls_pubkey_verify_data2", rsa_verify_setup, verify_call, .param = &SCHEME)
#define RSA_CIPHER(ALGORITHM, PADDING)                                                                                 \
    RSA_ROW(ALGORITHM "/public-encrypt", "gnutls_pubkey_encrypt_data", rsa_##PADDING##_encrypt_setup,                  \
            rsa_encrypt_call, .param = NULL),                                                                          \
        RSA_ROW(ALGORITHM "/private-decrypt", "gnutls_privkey_decrypt_data", rsa_##PADDING##_decrypt_setup,            \
                rsa_decrypt_call, .param = NULL)
#define RSA_SIGNATURES_OF(BITS)                                                                                        \
    RSA_SIGNATURE("rsa-" BITS "-pkcs1-sha256", rsa_pkcs1), RSA_SIGNATURE("rsa-" BITS "-pss-sha256", rsa_pss)
#define RSA_OLD_ROWS                                                                                                   \
    RSA_SIGNATURES_OF("2048"), RSA_SIGNATURES_OF("3072"), RSA_SIGNATURES_OF("4096"), RSA_CIPHER("rsa-2048-pkcs1", pkcs1)
#if GNUTLS_HAS_OAEP
#define RSA_ROWS                                                                                                       \
    RSA_OLD_ROWS, RSA_CIPHER("rsa-2048-oaep-sha256", oaep), RSA_CIPHER("rsa-3072-oaep-sha256", oaep),                  \
        RSA_CIPHER("rsa-4096-oaep-sha256", oaep)
#else
#define RSA_ROWS RSA_OLD_ROWS
#endif

#endif
