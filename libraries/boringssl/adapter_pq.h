/* SPDX-License-Identifier: Apache-2.0
 *
 * BoringSSL: the rows of signatures after quantum computers, for the table in ../_boringssl/adapter.c.
 */
#ifndef CIPHERSTONE_BORINGSSL_PQ_H
#define CIPHERSTONE_BORINGSSL_PQ_H

#include "adapter.h"

void pq_teardown(cs_case *c);

#define ML_DSA_DECLARED(BITS)                                                                                          \
    int mldsa_##BITS##_keygen_setup(cs_case *c);                                                                       \
    int mldsa_##BITS##_keygen_call(cs_case *c);                                                                        \
    int mldsa_##BITS##_sign_setup(cs_case *c);                                                                         \
    int mldsa_##BITS##_sign_call(cs_case *c);                                                                          \
    int mldsa_##BITS##_verify_setup(cs_case *c);                                                                       \
    int mldsa_##BITS##_verify_call(cs_case *c);

ML_DSA_DECLARED(44)
ML_DSA_DECLARED(65)
ML_DSA_DECLARED(87)

#define ML_DSA_ROW(BITS, VERB, NAME, ...)                                                                              \
    {.id = "ml-dsa-" #BITS "/" #VERB,                                                                                  \
     .impl = "default",                                                                                                \
     .name = "MLDSA" #BITS NAME,                                                                                       \
     .setup = mldsa_##BITS##_##VERB##_setup,                                                                           \
     .call = mldsa_##BITS##_##VERB##_call,                                                                             \
     .teardown = pq_teardown,                                                                                          \
     __VA_ARGS__}
#define ML_DSA_ROWS_OF(BITS)                                                                                           \
    ML_DSA_ROW(BITS, keygen, "_generate_key", .seed = random_seed, .seeded = 1),                                       \
        ML_DSA_ROW(BITS, sign, "_sign", .rekey = cs_setup_again, .seed = random_seed),                                 \
        ML_DSA_ROW(BITS, verify, "_verify", .rekey = cs_setup_again)
#define ML_DSA_ROWS ML_DSA_ROWS_OF(44), ML_DSA_ROWS_OF(65), ML_DSA_ROWS_OF(87)

int slhdsa_keygen_setup(cs_case *c);
int slhdsa_keygen_call(cs_case *c);
int slhdsa_sign_setup(cs_case *c);
int slhdsa_sign_call(cs_case *c);
int slhdsa_verify_call(cs_case *c);

#define SLH_DSA_ROWS                                                                                                   \
    {.id = "slh-dsa-sha2-128s/keygen",                                                                                 \
     .impl = "default",                                                                                                \
     .name = "SLHDSA_SHA2_128S_generate_key",                                                                          \
     .setup = slhdsa_keygen_setup,                                                                                     \
     .call = slhdsa_keygen_call,                                                                                       \
     .seed = random_seed,                                                                                              \
     .seeded = 1},                                                                                                     \
        {.id = "slh-dsa-sha2-128s/sign",                                                                               \
         .impl = "default",                                                                                            \
         .name = "SLHDSA_SHA2_128S_sign",                                                                              \
         .setup = slhdsa_sign_setup,                                                                                   \
         .call = slhdsa_sign_call,                                                                                     \
         .rekey = cs_key_in_call,                                                                                      \
         .seed = random_seed},                                                                                         \
    {                                                                                                                  \
        .id = "slh-dsa-sha2-128s/verify", .impl = "default", .name = "SLHDSA_SHA2_128S_verify",                        \
        .call = slhdsa_verify_call, .rekey = cs_key_in_call                                                            \
    }

#endif
