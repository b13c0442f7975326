/* SPDX-License-Identifier: Apache-2.0
 *
 * Crypto++: the rows of RSA signatures and encryption, for the table in adapter.cpp.
 */
#ifndef CIPHERSTONE_CRYPTOPP_RSA_H
#define CIPHERSTONE_CRYPTOPP_RSA_H

#include "adapter.h"

namespace cs_cryptopp
{

int setup_rsa_pkcs1_sign(cs_case *c) noexcept;
int setup_rsa_pkcs1_verify(cs_case *c) noexcept;
int setup_rsa_pss_sign(cs_case *c) noexcept;
int setup_rsa_pss_verify(cs_case *c) noexcept;
int call_rsa_sign(cs_case *c) noexcept;
int call_rsa_verify(cs_case *c) noexcept;
int setup_rsa_oaep_encrypt(cs_case *c) noexcept;
int setup_rsa_oaep_decrypt(cs_case *c) noexcept;
int setup_rsa_pkcs1_encrypt(cs_case *c) noexcept;
int setup_rsa_pkcs1_decrypt(cs_case *c) noexcept;
int call_rsa_encrypt(cs_case *c) noexcept;
int call_rsa_decrypt(cs_case *c) noexcept;
void teardown_rsa(cs_case *c) noexcept;

} // namespace cs_cryptopp

#define RSA_ROW(ID, NAME, SETUP, CALL)                                                                                 \
    {.id = ID,                                                                                                         \
     .impl = "default",                                                                                                \
     .name = NAME,                                                                                                     \
     .setup = setup_rsa_##SETUP,                                                                                       \
     .call = call_rsa_##CALL,                                                                                          \
     .teardown = teardown_rsa,                                                                                         \
     .rekey = cs_setup_again,                                                                                          \
     .seed = seed_rng,                                                                                                 \
     .counts_random = 1}
#define RSA_SIGNATURE(ALGORITHM, NAME, PADDING)                                                                        \
    RSA_ROW(ALGORITHM "/sign", NAME "::Signer", PADDING##_sign, sign),                                                 \
        RSA_ROW(ALGORITHM "/verify", NAME "::Verifier", PADDING##_verify, verify)
#define RSA_CIPHER(ALGORITHM, NAME, PADDING)                                                                           \
    RSA_ROW(ALGORITHM "/public-encrypt", NAME "::Encryptor", PADDING##_encrypt, encrypt),                              \
        RSA_ROW(ALGORITHM "/private-decrypt", NAME "::Decryptor", PADDING##_decrypt, decrypt)
#define RSA_ROWS_OF(BITS)                                                                                              \
    RSA_SIGNATURE("rsa-" BITS "-pkcs1-sha256", "RSASS<PKCS1v15, SHA256>", pkcs1),                                      \
        RSA_SIGNATURE("rsa-" BITS "-pss-sha256", "RSASS<PSS, SHA256>", pss),                                           \
        RSA_CIPHER("rsa-" BITS "-oaep-sha256", "RSAES<OAEP<SHA256>>", oaep)
#define RSA_ROWS                                                                                                       \
    RSA_ROWS_OF("2048"), RSA_ROWS_OF("3072"), RSA_ROWS_OF("4096"),                                                     \
        RSA_CIPHER("rsa-2048-pkcs1", "RSAES<PKCS1v15>", pkcs1)

#endif
