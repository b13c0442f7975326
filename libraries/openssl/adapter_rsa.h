/* SPDX-License-Identifier: Apache-2.0
 *
 * OpenSSL adapter: the rows of RSA signatures and encryption, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_OPENSSL_RSA_H
#define CIPHERSTONE_OPENSSL_RSA_H

#include <openssl/rsa.h>

#include "session.h"

const char *rsa_unavailable(const struct cs_op *op);
const char *rsa_fetch(const struct cs_op *op, void **fetched);
const char *rsa_seed(void);
int rsa_sign_setup(cs_case *c);
int rsa_sign_call(cs_case *c);
int rsa_verify_setup(cs_case *c);
int rsa_verify_call(cs_case *c);
int rsa_encrypt_setup(cs_case *c);
int rsa_encrypt_call(cs_case *c);
int rsa_decrypt_setup(cs_case *c);
int rsa_decrypt_call(cs_case *c);

/* `param` is the padding. */
#define RSA_ROW(ALGORITHM, VERB, CALL, PADDING)                                                                        \
    {.id = ALGORITHM "/" VERB,                                                                                         \
     .impl = "default",                                                                                                \
     .name = "EVP_PKEY_" #CALL " " #PADDING,                                                                           \
     .setup = rsa_##CALL##_setup,                                                                                      \
     .call = rsa_##CALL##_call,                                                                                        \
     .rekey = cs_setup_again,                                                                                          \
     .teardown = session_free,                                                                                         \
     .param = &(const int){PADDING},                                                                                   \
     .unavailable = rsa_unavailable,                                                                                   \
     .open = evp_open,                                                                                                 \
     .fetch = rsa_fetch,                                                                                               \
     .seed = rsa_seed}
#define RSA_SIGNATURE(ALGORITHM, PADDING)                                                                              \
    RSA_ROW(ALGORITHM, "sign", sign, PADDING), RSA_ROW(ALGORITHM, "verify", verify, PADDING)
#define RSA_CIPHER(ALGORITHM, PADDING)                                                                                 \
    RSA_ROW(ALGORITHM, "public-encrypt", encrypt, PADDING), RSA_ROW(ALGORITHM, "private-decrypt", decrypt, PADDING)
#define RSA_ROWS_OF(BITS)                                                                                              \
    RSA_SIGNATURE("rsa-" BITS "-pkcs1-sha256", RSA_PKCS1_PADDING),                                                     \
        RSA_SIGNATURE("rsa-" BITS "-pss-sha256", RSA_PKCS1_PSS_PADDING),                                               \
        RSA_CIPHER("rsa-" BITS "-oaep-sha256", RSA_PKCS1_OAEP_PADDING)
#define RSA_ROWS                                                                                                       \
    RSA_ROWS_OF("2048"), RSA_ROWS_OF("3072"), RSA_ROWS_OF("4096"), RSA_CIPHER("rsa-2048-pkcs1", RSA_PKCS1_PADDING)

#endif
