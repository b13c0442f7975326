/* SPDX-License-Identifier: Apache-2.0
 *
 * Crypto++: the rows of DSA, for the table in adapter.cpp.
 */
#ifndef CIPHERSTONE_CRYPTOPP_DSA_H
#define CIPHERSTONE_CRYPTOPP_DSA_H

#include "dsa.h"
#include "adapter.h"

namespace cs_cryptopp
{

int setup_dsa_sign(cs_case *c) noexcept;
int setup_dsa_rfc6979(cs_case *c) noexcept;
int call_dsa_sign(cs_case *c) noexcept;
void teardown_dsa_sign(cs_case *c) noexcept;
int setup_dsa_verify(cs_case *c) noexcept;
int call_dsa_verify(cs_case *c) noexcept;
void teardown_dsa_verify(cs_case *c) noexcept;
int setup_dsa_generate(cs_case *c) noexcept;
int call_dsa_keygen(cs_case *c) noexcept;
int call_dsa_paramgen(cs_case *c) noexcept;

} // namespace cs_cryptopp

#define DSA_KEY_ROW(VERB, IMPL, NAME, SETUP)                                                                           \
    {.id = "dsa-2048-sha256/" #VERB,                                                                                   \
     .impl = IMPL,                                                                                                     \
     .name = NAME,                                                                                                     \
     .setup = SETUP,                                                                                                   \
     .call = call_dsa_##VERB,                                                                                          \
     .teardown = teardown_dsa_##VERB,                                                                                  \
     .form = "p1363",                                                                                                  \
     .rekey = cs_setup_again,                                                                                          \
     .seed = seed_rng,                                                                                                 \
     .counts_random = 1}
#define DSA_GENERATE_ROW(VERB, NAME)                                                                                   \
    {.id = "dsa-2048-sha256/" #VERB,                                                                                   \
     .impl = "default",                                                                                                \
     .name = NAME,                                                                                                     \
     .setup = setup_dsa_generate,                                                                                      \
     .call = call_dsa_##VERB,                                                                                          \
     .seed = seed_rng,                                                                                                 \
     .counts_random = 1}
#define DSA_ROWS                                                                                                       \
    DSA_KEY_ROW(sign, "default", "DSA2<SHA256>::Signer", setup_dsa_sign),                                              \
        DSA_KEY_ROW(sign, "rfc6979", "DSA_RFC6979<SHA256>::Signer", setup_dsa_rfc6979),                                \
        DSA_KEY_ROW(verify, "default", "DSA2<SHA256>::Verifier", setup_dsa_verify),                                    \
        DSA_GENERATE_ROW(keygen, "DSA2<SHA256>::PrivateKey::Initialize"),                                              \
        DSA_GENERATE_ROW(paramgen, "DL_GroupParameters_DSA::GenerateRandom")

#endif
