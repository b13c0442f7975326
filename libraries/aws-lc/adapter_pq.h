/* SPDX-License-Identifier: Apache-2.0
 *
 * AWS-LC: the rows of signatures after quantum computers, for the table in ../_boringssl/adapter.c.
 */
#ifndef CIPHERSTONE_AWS_LC_PQ_H
#define CIPHERSTONE_AWS_LC_PQ_H

#include <openssl/nid.h>

#include "adapter.h"

/* `param` is the number that names the parameter set. */
int pqdsa_keygen_setup(cs_case *c);
int pqdsa_keygen_call(cs_case *c);
int pqdsa_sign_setup(cs_case *c);
int pqdsa_sign_call(cs_case *c);
int pqdsa_verify_setup(cs_case *c);
int pqdsa_verify_call(cs_case *c);

#define ML_DSA_ROW(BITS, VERB, NAME, ...)                                                                              \
    {.id = "ml-dsa-" #BITS "/" #VERB,                                                                                  \
     .impl = "default",                                                                                                \
     .name = NAME,                                                                                                     \
     .setup = pqdsa_##VERB##_setup,                                                                                    \
     .call = pqdsa_##VERB##_call,                                                                                      \
     .teardown = session_free,                                                                                         \
     .param = &(const int){NID_MLDSA##BITS},                                                                           \
     __VA_ARGS__}
#define ML_DSA_ROWS_OF(BITS)                                                                                           \
    ML_DSA_ROW(BITS, keygen, "EVP_PKEY_keygen", .seed = random_seed, .seeded = 1),                                     \
        ML_DSA_ROW(BITS, sign, "EVP_DigestSign", .rekey = cs_setup_again, .seed = random_seed),                        \
        ML_DSA_ROW(BITS, verify, "EVP_DigestVerify", .rekey = cs_setup_again)
#define ML_DSA_ROWS ML_DSA_ROWS_OF(44), ML_DSA_ROWS_OF(65), ML_DSA_ROWS_OF(87)

#endif
