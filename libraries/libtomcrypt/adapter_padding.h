/* SPDX-License-Identifier: Apache-2.0
 *
 * LibTomCrypt: the rows of RSA with paddings, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_LIBTOMCRYPT_PADDING_H
#define CIPHERSTONE_LIBTOMCRYPT_PADDING_H

#include "adapter_pkey.h"

/* `param` is the padding: LTC_PKCS_1_V1_5, LTC_PKCS_1_PSS or LTC_PKCS_1_OAEP. */
int padding_setup(cs_case *c);
int padding_sign_call(cs_case *c);
int padding_verify_call(cs_case *c);
int padding_encrypt_call(cs_case *c);
int padding_decrypt_call(cs_case *c);

#define PADDING_ROW(ID, NAME, CALL, PADDING)                                                                           \
    {.id = ID,                                                                                                         \
     .impl = "default",                                                                                                \
     .name = NAME " " #PADDING,                                                                                        \
     .setup = padding_setup,                                                                                           \
     .call = padding_##CALL##_call,                                                                                    \
     .rekey = cs_setup_again,                                                                                          \
     .teardown = rsa_teardown,                                                                                         \
     .param = &(const int){PADDING},                                                                                   \
     .seed = seed_random,                                                                                              \
     .counts_random = 1}
#define PADDED_SIGNATURE(ALGORITHM, PADDING)                                                                           \
    PADDING_ROW(ALGORITHM "/sign", "rsa_sign_hash_ex", sign, PADDING),                                                 \
        PADDING_ROW(ALGORITHM "/verify", "rsa_verify_hash_ex", verify, PADDING)
#define PADDED_CIPHER(ALGORITHM, PADDING)                                                                              \
    PADDING_ROW(ALGORITHM "/public-encrypt", "rsa_encrypt_key_ex", encrypt, PADDING),                                  \
        PADDING_ROW(ALGORITHM "/private-decrypt", "rsa_decrypt_key_ex", decrypt, PADDING)
#define PADDING_ROWS_OF(BITS)                                                                                          \
    PADDED_SIGNATURE("rsa-" BITS "-pkcs1-sha256", LTC_PKCS_1_V1_5),                                                    \
        PADDED_SIGNATURE("rsa-" BITS "-pss-sha256", LTC_PKCS_1_PSS),                                                   \
        PADDED_CIPHER("rsa-" BITS "-oaep-sha256", LTC_PKCS_1_OAEP)
#define PADDING_ROWS                                                                                                   \
    PADDING_ROWS_OF("2048"), PADDING_ROWS_OF("3072"), PADDING_ROWS_OF("4096"),                                         \
        PADDED_CIPHER("rsa-2048-pkcs1", LTC_PKCS_1_V1_5)

#endif
