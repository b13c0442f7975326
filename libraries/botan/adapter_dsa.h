/* SPDX-License-Identifier: Apache-2.0
 *
 * Botan: the rows of DSA, for the table in adapter.cpp.
 */
#ifndef CIPHERSTONE_BOTAN_DSA_H
#define CIPHERSTONE_BOTAN_DSA_H

#include "dsa.h"
#include "adapter.h"

#include <botan/build.h>

#if defined(BOTAN_HAS_DSA)
#define CS_BOTAN_HAS_DSA 1

namespace cs_botan
{

int setup_dsa_sign(cs_case *c) noexcept;
int setup_dsa_verify(cs_case *c) noexcept;
int setup_dsa_keygen(cs_case *c) noexcept;
int call_dsa_keygen(cs_case *c) noexcept;
void teardown_dsa_keygen(cs_case *c) noexcept;
int setup_dsa_paramgen(cs_case *c) noexcept;
int call_dsa_paramgen(cs_case *c) noexcept;

} // namespace cs_botan

/* A signature is as long as that of ECDSA on P-256, which is what call_verify takes without a `param`. */
#define DSA_ROW(VERB, NAME, SETUP, CALL, TEARDOWN, ...)                                                                \
    {.id = "dsa-2048-sha256/" VERB,                                                                                    \
     .impl = "default",                                                                                                \
     .name = NAME,                                                                                                     \
     .setup = SETUP,                                                                                                   \
     .call = CALL,                                                                                                     \
     .teardown = TEARDOWN,                                                                                             \
     __VA_ARGS__}
#define DSA_ROWS                                                                                                       \
    DSA_ROW("sign", "PK_Signer DSA", setup_dsa_sign, call_sign, teardown_sign, .form = "p1363",                        \
            .rekey = cs_setup_again, .seed = seed_rng, .counts_random = 1),                                            \
        DSA_ROW("verify", "PK_Verifier DSA", setup_dsa_verify, call_verify, teardown_verify, .form = "p1363",          \
                .rekey = cs_setup_again),                                                                              \
        DSA_ROW("keygen", "DSA_PrivateKey", setup_dsa_keygen, call_dsa_keygen, teardown_dsa_keygen, .seed = seed_rng,  \
                .counts_random = 1, .seeded = 1),                                                                      \
        DSA_ROW("paramgen", "DL_Group DSA_Kosherizer", setup_dsa_paramgen, call_dsa_paramgen, nullptr,                 \
                .seed = seed_rng, .counts_random = 1),
#else
#define DSA_ROWS
#endif

#endif
