/* SPDX-License-Identifier: Apache-2.0
 *
 * Intel IPP Cryptography: the rows of RSA signatures and encryption, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_IPP_CRYPTO_RSA_H
#define CIPHERSTONE_IPP_CRYPTO_RSA_H

#include "adapter.h"

int setup_rsa_public(cs_case *c);
int setup_rsa_private(cs_case *c);
int setup_rsa_checked(cs_case *c);
int call_pkcs1_sign(cs_case *c);
int call_pkcs1_verify(cs_case *c);
int call_pss_sign(cs_case *c);
int call_pss_verify(cs_case *c);
int call_oaep_encrypt(cs_case *c);
int call_oaep_decrypt(cs_case *c);
int call_pkcs1_encrypt(cs_case *c);
int call_pkcs1_decrypt(cs_case *c);

/* clang-format off */
#define RSA_ROW(ID, IMPL, NAME, SETUP, CALL) \
    {.id = ID, .impl = IMPL, .name = NAME, .setup = SETUP, .call = CALL, .rekey = cs_setup_again, .teardown = teardown, .seed = seed, .counts_random = 1}
#define RSA_ROWS_OF(BITS) \
    RSA_ROW("rsa-" BITS "-pkcs1-sha256/sign", "default", "ippsRSASign_PKCS1v15_rmf", setup_rsa_private, call_pkcs1_sign), \
    RSA_ROW("rsa-" BITS "-pkcs1-sha256/sign", "checked", "ippsRSASign_PKCS1v15_rmf with the public key", setup_rsa_checked, call_pkcs1_sign), \
    RSA_ROW("rsa-" BITS "-pkcs1-sha256/verify", "default", "ippsRSAVerify_PKCS1v15_rmf", setup_rsa_public, call_pkcs1_verify), \
    RSA_ROW("rsa-" BITS "-pss-sha256/sign", "default", "ippsRSASign_PSS_rmf", setup_rsa_private, call_pss_sign), \
    RSA_ROW("rsa-" BITS "-pss-sha256/sign", "checked", "ippsRSASign_PSS_rmf with the public key", setup_rsa_checked, call_pss_sign), \
    RSA_ROW("rsa-" BITS "-pss-sha256/verify", "default", "ippsRSAVerify_PSS_rmf", setup_rsa_public, call_pss_verify), \
    RSA_ROW("rsa-" BITS "-oaep-sha256/public-encrypt", "default", "ippsRSAEncrypt_OAEP_rmf", setup_rsa_public, call_oaep_encrypt), \
    RSA_ROW("rsa-" BITS "-oaep-sha256/private-decrypt", "default", "ippsRSADecrypt_OAEP_rmf", setup_rsa_private, call_oaep_decrypt)
#define RSA_ROWS \
    RSA_ROWS_OF("2048"), RSA_ROWS_OF("3072"), RSA_ROWS_OF("4096"), \
    RSA_ROW("rsa-2048-pkcs1/public-encrypt", "default", "ippsRSAEncrypt_PKCSv15", setup_rsa_public, call_pkcs1_encrypt), \
    RSA_ROW("rsa-2048-pkcs1/private-decrypt", "default", "ippsRSADecrypt_PKCSv15", setup_rsa_private, call_pkcs1_decrypt)
/* clang-format on */

#endif
