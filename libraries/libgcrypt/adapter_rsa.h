/* SPDX-License-Identifier: Apache-2.0
 *
 * Libgcrypt: the rows of RSA signatures and encryption, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_LIBGCRYPT_RSA_H
#define CIPHERSTONE_LIBGCRYPT_RSA_H

#include "adapter.h"

/* How what is padded is wrapped, and how a ciphertext is; without a value where there is none, because S-expressions
 * have no empty strings. */
struct rsa_form {
    const char *data;
    const char *empty;
    const char *ciphertext;
};
extern const struct rsa_form rsa_pkcs1, rsa_pss, rsa_oaep, rsa_pkcs1_cipher;

int rsa_sign_setup(cs_case *c);
int rsa_sign_call(cs_case *c);
int rsa_verify_setup(cs_case *c);
int rsa_verify_call(cs_case *c);
int rsa_encrypt_setup(cs_case *c);
int rsa_encrypt_call(cs_case *c);
int rsa_decrypt_setup(cs_case *c);
int rsa_decrypt_call(cs_case *c);
void rsa_teardown(cs_case *c);

#define RSA_ROW(ALGORITHM, VERB, CALL, FORM)                                                                           \
    {.id = ALGORITHM "/" VERB,                                                                                         \
     .impl = "default",                                                                                                \
     .name = "gcry_pk_" #CALL,                                                                                         \
     .setup = rsa_##CALL##_setup,                                                                                      \
     .call = rsa_##CALL##_call,                                                                                        \
     .rekey = cs_setup_again,                                                                                          \
     .teardown = rsa_teardown,                                                                                         \
     .param = &FORM,                                                                                                   \
     .seed = ecdsa_seed}
#define RSA_SIGNATURE(ALGORITHM, FORM)                                                                                 \
    RSA_ROW(ALGORITHM, "sign", sign, FORM), RSA_ROW(ALGORITHM, "verify", verify, FORM)
#define RSA_CIPHER(ALGORITHM, FORM)                                                                                    \
    RSA_ROW(ALGORITHM, "public-encrypt", encrypt, FORM), RSA_ROW(ALGORITHM, "private-decrypt", decrypt, FORM)
#define RSA_ROWS_OF(BITS)                                                                                              \
    RSA_SIGNATURE("rsa-" BITS "-pkcs1-sha256", rsa_pkcs1), RSA_SIGNATURE("rsa-" BITS "-pss-sha256", rsa_pss),          \
        RSA_CIPHER("rsa-" BITS "-oaep-sha256", rsa_oaep)
#define RSA_ROWS                                                                                                       \
    RSA_ROWS_OF("2048"), RSA_ROWS_OF("3072"), RSA_ROWS_OF("4096"), RSA_CIPHER("rsa-2048-pkcs1", rsa_pkcs1_cipher)

#endif
