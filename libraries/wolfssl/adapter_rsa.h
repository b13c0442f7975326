/* SPDX-License-Identifier: Apache-2.0
 *
 * wolfSSL: the rows of RSA signatures and encryption, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_WOLFSSL_RSA_H
#define CIPHERSTONE_WOLFSSL_RSA_H

#include "adapter.h"

int rsa_key_setup(cs_case *c);
void rsa_key_teardown(cs_case *c);
int rsa_pkcs1_sign_call(cs_case *c);
int rsa_pkcs1_verify_call(cs_case *c);
int rsa_pss_sign_call(cs_case *c);
int rsa_pss_verify_call(cs_case *c);
int rsa_oaep_encrypt_call(cs_case *c);
int rsa_oaep_decrypt_call(cs_case *c);
int rsa_pkcs1_encrypt_call(cs_case *c);
int rsa_pkcs1_decrypt_call(cs_case *c);

#define RSA_ROW(ID, NAME, CALL)                                                                                        \
    {.id = ID,                                                                                                         \
     .impl = "default",                                                                                                \
     .name = NAME,                                                                                                     \
     .setup = rsa_key_setup,                                                                                           \
     .call = CALL,                                                                                                     \
     .rekey = cs_setup_again,                                                                                          \
     .teardown = rsa_key_teardown,                                                                                     \
     .seed = seed_random,                                                                                              \
     .counts_random = 1}
#define RSA_ROWS_OF(BITS)                                                                                              \
    RSA_ROW("rsa-" BITS "-pkcs1-sha256/sign", "wc_RsaSSL_Sign", rsa_pkcs1_sign_call),                                  \
        RSA_ROW("rsa-" BITS "-pkcs1-sha256/verify", "wc_RsaSSL_Verify", rsa_pkcs1_verify_call),                        \
        RSA_ROW("rsa-" BITS "-pss-sha256/sign", "wc_RsaPSS_Sign_ex", rsa_pss_sign_call),                               \
        RSA_ROW("rsa-" BITS "-pss-sha256/verify", "wc_RsaPSS_VerifyCheck", rsa_pss_verify_call),                       \
        RSA_ROW("rsa-" BITS "-oaep-sha256/public-encrypt", "wc_RsaPublicEncrypt_ex", rsa_oaep_encrypt_call),           \
        RSA_ROW("rsa-" BITS "-oaep-sha256/private-decrypt", "wc_RsaPrivateDecrypt_ex", rsa_oaep_decrypt_call)
#define RSA_ROWS                                                                                                       \
    RSA_ROWS_OF("2048"), RSA_ROWS_OF("3072"), RSA_ROWS_OF("4096"),                                                     \
        RSA_ROW("rsa-2048-pkcs1/public-encrypt", "wc_RsaPublicEncrypt", rsa_pkcs1_encrypt_call),                       \
        RSA_ROW("rsa-2048-pkcs1/private-decrypt", "wc_RsaPrivateDecrypt", rsa_pkcs1_decrypt_call)

#endif
