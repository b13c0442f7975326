/* SPDX-License-Identifier: Apache-2.0
 *
 * BoringSSL and AWS-LC adapter: the rows of RSA signatures and encryption, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_BORINGSSL_RSA_H
#define CIPHERSTONE_BORINGSSL_RSA_H

#include <openssl/rsa.h>

#include "adapter.h"

int rsa_sign_setup(cs_case *c);
int rsa_sign_call(cs_case *c);
int rsa_verify_setup(cs_case *c);
int rsa_verify_call(cs_case *c);
int rsa_encrypt_setup(cs_case *c);
int rsa_encrypt_call(cs_case *c);
int rsa_decrypt_setup(cs_case *c);
int rsa_decrypt_call(cs_case *c);

/* `param` is the padding. */
#define RSA_ROW(ALGORITHM, VERB, CALL, NAME, PADDING)                                                                  \
    PKEY_ROW(ALGORITHM "/" VERB, "default", NAME " " #PADDING, rsa_##CALL, .param = &(const int){PADDING},             \
             .seed = random_seed)
#define RSA_SIGNATURE(ALGORITHM, PADDING)                                                                              \
    RSA_ROW(ALGORITHM, "sign", sign, "SHA256, EVP_PKEY_sign", PADDING),                                                \
        RSA_ROW(ALGORITHM, "verify", verify, "SHA256, EVP_PKEY_verify", PADDING)
#define RSA_CIPHER(ALGORITHM, PADDING)                                                                                 \
    RSA_ROW(ALGORITHM, "public-encrypt", encrypt, "EVP_PKEY_encrypt", PADDING),                                        \
        RSA_ROW(ALGORITHM, "private-decrypt", decrypt, "EVP_PKEY_decrypt", PADDING)
#define RSA_ROWS_OF(BITS)                                                                                              \
    RSA_SIGNATURE("rsa-" BITS "-pkcs1-sha256", RSA_PKCS1_PADDING),                                                     \
        RSA_SIGNATURE("rsa-" BITS "-pss-sha256", RSA_PKCS1_PSS_PADDING),                                               \
        RSA_CIPHER("rsa-" BITS "-oaep-sha256", RSA_PKCS1_OAEP_PADDING)
#define RSA_ROWS                                                                                                       \
    RSA_ROWS_OF("2048"), RSA_ROWS_OF("3072"), RSA_ROWS_OF("4096"), RSA_CIPHER("rsa-2048-pkcs1", RSA_PKCS1_PADDING)

#endif
