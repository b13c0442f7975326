/* SPDX-License-Identifier: Apache-2.0
 *
 * NSS: the rows of RSA signatures and encryption, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_NSS_RSA_H
#define CIPHERSTONE_NSS_RSA_H

#include "adapter.h"

int rsa_setup(cs_case *c);
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
     .setup = rsa_setup,                                                                                               \
     .call = CALL,                                                                                                     \
     .rekey = cs_setup_again,                                                                                          \
     .teardown = pair_teardown,                                                                                        \
     .open = nss_open,                                                                                                 \
     .seed = nss_seed}
#define RSA_ROWS_OF(BITS)                                                                                              \
    RSA_ROW("rsa-" BITS "-pkcs1-sha256/sign", "SEC_SignData", rsa_pkcs1_sign_call),                                    \
        RSA_ROW("rsa-" BITS "-pkcs1-sha256/verify", "VFY_VerifyDataDirect", rsa_pkcs1_verify_call),                    \
        RSA_ROW("rsa-" BITS "-pss-sha256/sign", "PK11_SignWithMechanism CKM_RSA_PKCS_PSS", rsa_pss_sign_call),         \
        RSA_ROW("rsa-" BITS "-pss-sha256/verify", "PK11_VerifyWithMechanism CKM_RSA_PKCS_PSS", rsa_pss_verify_call),   \
        RSA_ROW("rsa-" BITS "-oaep-sha256/public-encrypt", "PK11_PubEncrypt CKM_RSA_PKCS_OAEP",                        \
                rsa_oaep_encrypt_call),                                                                                \
        RSA_ROW("rsa-" BITS "-oaep-sha256/private-decrypt", "PK11_PrivDecrypt CKM_RSA_PKCS_OAEP",                      \
                rsa_oaep_decrypt_call)
#define RSA_ROWS                                                                                                       \
    RSA_ROWS_OF("2048"), RSA_ROWS_OF("3072"), RSA_ROWS_OF("4096"),                                                     \
        RSA_ROW("rsa-2048-pkcs1/public-encrypt", "PK11_PubEncryptPKCS1", rsa_pkcs1_encrypt_call),                      \
        RSA_ROW("rsa-2048-pkcs1/private-decrypt", "PK11_PrivDecryptPKCS1", rsa_pkcs1_decrypt_call)

#endif
