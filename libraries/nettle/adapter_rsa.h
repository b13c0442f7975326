/* SPDX-License-Identifier: Apache-2.0
 *
 * Nettle: the rows of RSA signatures and encryption, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_NETTLE_RSA_H
#define CIPHERSTONE_NETTLE_RSA_H

#include <nettle/version.h>

#include "adapter.h"

int rsa_setup(cs_case *c);
void rsa_teardown(cs_case *c);
int rsa_pkcs1_sign_call(cs_case *c);
int rsa_pkcs1_verify_call(cs_case *c);
int rsa_pss_sign_call(cs_case *c);
int rsa_pss_verify_call(cs_case *c);
int rsa_oaep_encrypt_call(cs_case *c);
int rsa_oaep_decrypt_call(cs_case *c);
int rsa_pkcs1_encrypt_call(cs_case *c);
int rsa_pkcs1_decrypt_call(cs_case *c);

#define RSA_ROW(ID, NAME, CALL, ...)                                                                                   \
    {.id = ID,                                                                                                         \
     .impl = "default",                                                                                                \
     .name = NAME,                                                                                                     \
     .setup = rsa_setup,                                                                                               \
     .call = CALL,                                                                                                     \
     .rekey = cs_setup_again,                                                                                          \
     .teardown = rsa_teardown,                                                                                         \
     __VA_ARGS__}
#define RSA_DRAWING .seed = seed_random, .counts_random = 1
#define RSA_SIGNATURES_OF(BITS)                                                                                        \
    RSA_ROW("rsa-" BITS "-pkcs1-sha256/sign", "rsa_sha256_sign_digest_tr", rsa_pkcs1_sign_call, RSA_DRAWING),          \
        RSA_ROW("rsa-" BITS "-pkcs1-sha256/verify", "rsa_sha256_verify_digest", rsa_pkcs1_verify_call, .seeded = 0),   \
        RSA_ROW("rsa-" BITS "-pss-sha256/sign", "rsa_pss_sha256_sign_digest_tr", rsa_pss_sign_call, RSA_DRAWING),      \
        RSA_ROW("rsa-" BITS "-pss-sha256/verify", "rsa_pss_sha256_verify_digest", rsa_pss_verify_call, .seeded = 0)
#define RSA_OAEP_OF(BITS)                                                                                              \
    RSA_ROW("rsa-" BITS "-oaep-sha256/public-encrypt", "rsa_oaep_sha256_encrypt", rsa_oaep_encrypt_call, RSA_DRAWING), \
        RSA_ROW("rsa-" BITS "-oaep-sha256/private-decrypt", "rsa_oaep_sha256_decrypt", rsa_oaep_decrypt_call,          \
                RSA_DRAWING)
#define RSA_OLD_ROWS                                                                                                   \
    RSA_SIGNATURES_OF("2048"), RSA_SIGNATURES_OF("3072"), RSA_SIGNATURES_OF("4096"),                                   \
        RSA_ROW("rsa-2048-pkcs1/public-encrypt", "rsa_encrypt", rsa_pkcs1_encrypt_call, RSA_DRAWING),                  \
        RSA_ROW("rsa-2048-pkcs1/private-decrypt", "rsa_decrypt_tr", rsa_pkcs1_decrypt_call, RSA_DRAWING)
/* OAEP came with Nettle 3.10. */
#if NETTLE_VERSION_MAJOR > 3 || NETTLE_VERSION_MINOR >= 10
#define NETTLE_HAS_OAEP 1
#define RSA_ROWS RSA_OLD_ROWS, RSA_OAEP_OF("2048"), RSA_OAEP_OF("3072"), RSA_OAEP_OF("4096")
#else
#define RSA_ROWS RSA_OLD_ROWS
#endif

#endif
