/* SPDX-License-Identifier: Apache-2.0
 *
 * wolfSSL: the rows of ML-DSA and SLH-DSA, of 5.9 and later, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_WOLFSSL_PQ_H
#define CIPHERSTONE_WOLFSSL_PQ_H

#include "adapter.h"

/* clang-format off */
#define PQ_ROWS_OF(ALGORITHM, FAMILY, SET, MAKE, SIGN, SIGN_FIXED, VERIFY)                                             \
    {.id = ALGORITHM "/keygen", .impl = "default", .name = MAKE, .setup = FAMILY##_keygen_setup, .call = FAMILY##_keygen_call, .teardown = FAMILY##_teardown, .param = &SET, .seed = seed_random, .counts_random = 1, .seeded = 1}, \
    {.id = ALGORITHM "/sign", .impl = "default", .name = SIGN, .setup = FAMILY##_sign_setup, .call = FAMILY##_sign_call, .rekey = cs_setup_again, .teardown = FAMILY##_teardown, .param = &SET, .seed = seed_random, .counts_random = 1}, \
    {.id = ALGORITHM "/sign", .impl = "deterministic", .name = SIGN_FIXED, .setup = FAMILY##_sign_setup, .call = FAMILY##_sign_fixed_call, .rekey = cs_setup_again, .teardown = FAMILY##_teardown, .param = &SET}, \
    {.id = ALGORITHM "/verify", .impl = "default", .name = VERIFY, .setup = FAMILY##_verify_setup, .call = FAMILY##_verify_call, .rekey = cs_setup_again, .teardown = FAMILY##_teardown, .param = &SET}
/* clang-format on */

#ifdef WOLFSSL_HAVE_MLDSA
extern const int ml_dsa_44, ml_dsa_65, ml_dsa_87;
int mldsa_keygen_setup(cs_case *c);
int mldsa_keygen_call(cs_case *c);
int mldsa_sign_setup(cs_case *c);
int mldsa_sign_call(cs_case *c);
int mldsa_sign_fixed_call(cs_case *c);
int mldsa_verify_setup(cs_case *c);
int mldsa_verify_call(cs_case *c);
void mldsa_teardown(cs_case *c);

#define ML_DSA_ROW(ALGORITHM, SET)                                                                                     \
    PQ_ROWS_OF(ALGORITHM, mldsa, SET, "wc_MlDsaKey_MakeKeyFromSeed", "wc_MlDsaKey_SignCtx",                            \
               "wc_MlDsaKey_SignCtxWithSeed", "wc_MlDsaKey_VerifyCtx")
#define ML_DSA_ROWS                                                                                                    \
    ML_DSA_ROW("ml-dsa-44", ml_dsa_44), ML_DSA_ROW("ml-dsa-65", ml_dsa_65), ML_DSA_ROW("ml-dsa-87", ml_dsa_87),
#else
#define ML_DSA_ROWS
#endif

#if defined(WOLFSSL_HAVE_SLHDSA) && defined(WOLFSSL_SLHDSA_SHA2)
extern const int slh_dsa_128s, slh_dsa_128f;
int slhdsa_keygen_setup(cs_case *c);
int slhdsa_keygen_call(cs_case *c);
int slhdsa_sign_setup(cs_case *c);
int slhdsa_sign_call(cs_case *c);
int slhdsa_sign_fixed_call(cs_case *c);
int slhdsa_verify_setup(cs_case *c);
int slhdsa_verify_call(cs_case *c);
void slhdsa_teardown(cs_case *c);

#define SLH_DSA_ROW(ALGORITHM, SET)                                                                                    \
    PQ_ROWS_OF(ALGORITHM, slhdsa, SET, "wc_SlhDsaKey_MakeKey", "wc_SlhDsaKey_Sign", "wc_SlhDsaKey_SignDeterministic",  \
               "wc_SlhDsaKey_Verify")
#define SLH_DSA_ROWS SLH_DSA_ROW("slh-dsa-sha2-128s", slh_dsa_128s), SLH_DSA_ROW("slh-dsa-sha2-128f", slh_dsa_128f),
#else
#define SLH_DSA_ROWS
#endif

#endif
