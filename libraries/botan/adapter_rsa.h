/* SPDX-License-Identifier: Apache-2.0
 *
 * Botan: the rows of RSA signatures and encryption, for the table in adapter.cpp.
 */
#ifndef CIPHERSTONE_BOTAN_RSA_H
#define CIPHERSTONE_BOTAN_RSA_H

#include "adapter.h"

#include <botan/build.h>

/* Names of paddings that the one version knows and the other does not. */
#if BOTAN_VERSION_MAJOR >= 3
#define RSA_PKCS1 "PKCS1v15(SHA-256)"
#define RSA_PSS "PSS(SHA-256,MGF1,32)"
#else
#define RSA_PKCS1 "EMSA3(SHA-256)"
#define RSA_PSS "EMSA4(SHA-256,MGF1,32)"
#endif

namespace cs_botan
{

const char *rsa_unavailable(const cs_op *op) noexcept;
int setup_rsa_sign(cs_case *c) noexcept;
int setup_rsa_verify(cs_case *c) noexcept;
int setup_rsa_encrypt(cs_case *c) noexcept;
int call_rsa_encrypt(cs_case *c) noexcept;
void teardown_rsa_encrypt(cs_case *c) noexcept;
int setup_rsa_decrypt(cs_case *c) noexcept;
int call_rsa_decrypt(cs_case *c) noexcept;
void teardown_rsa_decrypt(cs_case *c) noexcept;

} // namespace cs_botan

/* `param` is the padding in Botan's words. */
#define RSA_ROW(ID, NAME, SETUP, CALL, TEARDOWN, PADDING)                                                              \
    {.id = ID,                                                                                                         \
     .impl = "default",                                                                                                \
     .name = NAME " " PADDING,                                                                                         \
     .setup = SETUP,                                                                                                   \
     .call = CALL,                                                                                                     \
     .teardown = TEARDOWN,                                                                                             \
     .param = PADDING,                                                                                                 \
     .unavailable = rsa_unavailable,                                                                                   \
     .rekey = cs_setup_again,                                                                                          \
     .seed = seed_rng,                                                                                                 \
     .counts_random = 1}
#define RSA_SIGNATURE(ALGORITHM, PADDING)                                                                              \
    RSA_ROW(ALGORITHM "/sign", "PK_Signer", setup_rsa_sign, call_sign, teardown_sign, PADDING),                        \
        RSA_ROW(ALGORITHM "/verify", "PK_Verifier", setup_rsa_verify, call_verify_message, teardown_verify, PADDING)
#define RSA_CIPHER(ALGORITHM, PADDING)                                                                                 \
    RSA_ROW(ALGORITHM "/public-encrypt", "PK_Encryptor_EME", setup_rsa_encrypt, call_rsa_encrypt,                      \
            teardown_rsa_encrypt, PADDING),                                                                            \
        RSA_ROW(ALGORITHM "/private-decrypt", "PK_Decryptor_EME", setup_rsa_decrypt, call_rsa_decrypt,                 \
                teardown_rsa_decrypt, PADDING)
#define RSA_ROWS_OF(BITS)                                                                                              \
    RSA_SIGNATURE("rsa-" BITS "-pkcs1-sha256", RSA_PKCS1), RSA_SIGNATURE("rsa-" BITS "-pss-sha256", RSA_PSS),          \
        RSA_CIPHER("rsa-" BITS "-oaep-sha256", "OAEP(SHA-256)")
#define RSA_ROWS RSA_ROWS_OF("2048"), RSA_ROWS_OF("3072"), RSA_ROWS_OF("4096"), RSA_CIPHER("rsa-2048-pkcs1", "PKCS1v15")

#endif
