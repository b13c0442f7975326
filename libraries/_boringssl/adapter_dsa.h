/* SPDX-License-Identifier: Apache-2.0
 *
 * BoringSSL and AWS-LC adapter: the rows of DSA, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_BORINGSSL_DSA_H
#define CIPHERSTONE_BORINGSSL_DSA_H

#include "dsa.h"
#include "adapter.h"

int dsa_sign_setup(cs_case *c);
int dsa_sign_call(cs_case *c);
int dsa_verify_setup(cs_case *c);
int dsa_verify_call(cs_case *c);
void dsa_teardown(cs_case *c);
int dsa_generate_setup(cs_case *c);
int dsa_keygen_call(cs_case *c);
int dsa_paramgen_call(cs_case *c);

#define DSA_KEY_ROW(VERB, ...)                                                                                         \
    {.id = "dsa-2048-sha256/" #VERB,                                                                                   \
     .impl = "default",                                                                                                \
     .name = "SHA256, DSA_" #VERB,                                                                                     \
     .setup = dsa_##VERB##_setup,                                                                                      \
     .call = dsa_##VERB##_call,                                                                                        \
     .rekey = cs_setup_again,                                                                                          \
     .teardown = dsa_teardown,                                                                                         \
     .form = "der",                                                                                                    \
     __VA_ARGS__}
#define DSA_GENERATE_ROW(VERB, NAME)                                                                                   \
    {.id = "dsa-2048-sha256/" #VERB,                                                                                   \
     .impl = "default",                                                                                                \
     .name = NAME,                                                                                                     \
     .setup = dsa_generate_setup,                                                                                      \
     .call = dsa_##VERB##_call,                                                                                        \
     .seed = random_seed}
#define DSA_ROWS                                                                                                       \
    DSA_KEY_ROW(sign, .seed = random_seed), DSA_KEY_ROW(verify, .seeded = 0),                                          \
        DSA_GENERATE_ROW(keygen, "DSA_generate_key"), DSA_GENERATE_ROW(paramgen, "DSA_generate_parameters_ex")

#endif
