/* SPDX-License-Identifier: Apache-2.0
 *
 * Botan: the rows of ML-DSA and SLH-DSA, of 3.6 and later, for the table in adapter.cpp.
 */
#ifndef CIPHERSTONE_BOTAN_PQ_H
#define CIPHERSTONE_BOTAN_PQ_H

#include "adapter.h"

#include <botan/build.h>

#if defined(BOTAN_HAS_ML_DSA) || defined(BOTAN_HAS_SLH_DSA_WITH_SHA2)

namespace cs_botan
{

int setup_pq_keygen(cs_case *c) noexcept;
void teardown_pq_keygen(cs_case *c) noexcept;

int setup_ml_dsa_sign(cs_case *c) noexcept;
int setup_ml_dsa_sign_deterministic(cs_case *c) noexcept;
int setup_ml_dsa_verify(cs_case *c) noexcept;
int call_ml_dsa_keygen(cs_case *c) noexcept;

int setup_slh_dsa_sign(cs_case *c) noexcept;
int setup_slh_dsa_sign_deterministic(cs_case *c) noexcept;
int setup_slh_dsa_verify(cs_case *c) noexcept;
int call_slh_dsa_keygen(cs_case *c) noexcept;

} // namespace cs_botan

#endif

/* `SET` is the name by which Botan knows the parameter set. */
#define PQ_SIGN_ROW(ALGORITHM, SET, IMPL, WORD, SETUP)                                                                 \
    {.id = ALGORITHM "/sign",                                                                                          \
     .impl = IMPL,                                                                                                     \
     .name = "PK_Signer " WORD,                                                                                        \
     .setup = SETUP,                                                                                                   \
     .call = call_sign,                                                                                                \
     .teardown = teardown_sign,                                                                                        \
     .param = SET,                                                                                                     \
     .rekey = cs_setup_again,                                                                                          \
     .seed = seed_rng,                                                                                                 \
     .counts_random = 1}
#define PQ_ROWS_OF(ALGORITHM, SET, FAMILY, CLASS)                                                                      \
    {.id = ALGORITHM "/keygen",                                                                                        \
     .impl = "default",                                                                                                \
     .name = CLASS,                                                                                                    \
     .setup = setup_pq_keygen,                                                                                         \
     .call = call_##FAMILY##_keygen,                                                                                   \
     .teardown = teardown_pq_keygen,                                                                                   \
     .param = SET,                                                                                                     \
     .seed = seed_rng,                                                                                                 \
     .counts_random = 1,                                                                                               \
     .seeded = 1},                                                                                                     \
        PQ_SIGN_ROW(ALGORITHM, SET, "default", "Randomized", setup_##FAMILY##_sign),                                   \
        PQ_SIGN_ROW(ALGORITHM, SET, "deterministic", "Deterministic", setup_##FAMILY##_sign_deterministic),            \
    {                                                                                                                  \
        .id = ALGORITHM "/verify", .impl = "default", .name = "PK_Verifier", .setup = setup_##FAMILY##_verify,         \
        .call = call_verify_message, .teardown = teardown_verify, .param = SET, .rekey = cs_setup_again                \
    }

#if defined(BOTAN_HAS_ML_DSA)
#define ML_DSA_ROWS                                                                                                    \
    PQ_ROWS_OF("ml-dsa-44", "ML-DSA-4x4", ml_dsa, "ML_DSA_PrivateKey"),                                                \
        PQ_ROWS_OF("ml-dsa-65", "ML-DSA-6x5", ml_dsa, "ML_DSA_PrivateKey"),                                            \
        PQ_ROWS_OF("ml-dsa-87", "ML-DSA-8x7", ml_dsa, "ML_DSA_PrivateKey"),
#else
#define ML_DSA_ROWS
#endif
#if defined(BOTAN_HAS_SLH_DSA_WITH_SHA2)
#define SLH_DSA_ROWS                                                                                                   \
    PQ_ROWS_OF("slh-dsa-sha2-128s", "SLH-DSA-SHA2-128s", slh_dsa, "SLH_DSA_PrivateKey"),                               \
        PQ_ROWS_OF("slh-dsa-sha2-128f", "SLH-DSA-SHA2-128f", slh_dsa, "SLH_DSA_PrivateKey"),
#else
#define SLH_DSA_ROWS
#endif

#endif
