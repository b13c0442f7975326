/* SPDX-License-Identifier: Apache-2.0
 *
 * Mbed TLS: the rows of RSA signatures and encryption, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_MBEDTLS_RSA_H
#define CIPHERSTONE_MBEDTLS_RSA_H

#include <mbedtls/rsa.h>

#include "adapter.h"

/* `param` is the padding: MBEDTLS_RSA_PKCS_V15 or MBEDTLS_RSA_PKCS_V21. */
int setup_rsa(cs_case *c);
void teardown_rsa(cs_case *c);
int call_rsa_pkcs1_sign(cs_case *c);
int call_rsa_pkcs1_verify(cs_case *c);
int call_rsa_pss_sign(cs_case *c);
int call_rsa_pss_verify(cs_case *c);
int call_rsa_oaep_encrypt(cs_case *c);
int call_rsa_oaep_decrypt(cs_case *c);
int call_rsa_pkcs1_encrypt(cs_case *c);
int call_rsa_pkcs1_decrypt(cs_case *c);

#define RSA_ROW(ID, NAME, CALL, PADDING)                                                                               \
    {.id = ID,                                                                                                         \
     .impl = "default",                                                                                                \
     .name = "mbedtls_rsa_" NAME,                                                                                      \
     .setup = setup_rsa,                                                                                               \
     .call = call_rsa_##CALL,                                                                                          \
     .rekey = cs_setup_again,                                                                                          \
     .teardown = teardown_rsa,                                                                                         \
     .param = &(const int){MBEDTLS_RSA_PKCS_##PADDING},                                                                \
     .seed = seed_drbg,                                                                                                \
     .counts_random = 1}
#define RSA_ROWS_OF(BITS)                                                                                              \
    RSA_ROW("rsa-" BITS "-pkcs1-sha256/sign", "rsassa_pkcs1_v15_sign", pkcs1_sign, V15),                               \
        RSA_ROW("rsa-" BITS "-pkcs1-sha256/verify", "rsassa_pkcs1_v15_verify", pkcs1_verify, V15),                     \
        RSA_ROW("rsa-" BITS "-pss-sha256/sign", "rsassa_pss_sign_ext", pss_sign, V21),                                 \
        RSA_ROW("rsa-" BITS "-pss-sha256/verify", "rsassa_pss_verify_ext", pss_verify, V21),                           \
        RSA_ROW("rsa-" BITS "-oaep-sha256/public-encrypt", "rsaes_oaep_encrypt", oaep_encrypt, V21),                   \
        RSA_ROW("rsa-" BITS "-oaep-sha256/private-decrypt", "rsaes_oaep_decrypt", oaep_decrypt, V21)
#define RSA_ROWS                                                                                                       \
    RSA_ROWS_OF("2048"), RSA_ROWS_OF("3072"), RSA_ROWS_OF("4096"),                                                     \
        RSA_ROW("rsa-2048-pkcs1/public-encrypt", "rsaes_pkcs1_v15_encrypt", pkcs1_encrypt, V15),                       \
        RSA_ROW("rsa-2048-pkcs1/private-decrypt", "rsaes_pkcs1_v15_decrypt", pkcs1_decrypt, V15)

#endif
