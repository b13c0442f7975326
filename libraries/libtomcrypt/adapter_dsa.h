/* SPDX-License-Identifier: Apache-2.0
 *
 * LibTomCrypt: the rows of DSA, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_LIBTOMCRYPT_DSA_H
#define CIPHERSTONE_LIBTOMCRYPT_DSA_H

#include "dsa.h"
#include "adapter.h"

int dsa_setup(cs_case *c);
void dsa_teardown(cs_case *c);
int dsa_sign_call(cs_case *c);
int dsa_verify_call(cs_case *c);
int dsa_generate_setup(cs_case *c);
int dsa_keygen_call(cs_case *c);
int dsa_paramgen_call(cs_case *c);

#define DSA_KEY_ROW(VERB, ...)                                                                                         \
    {.id = "dsa-2048-sha256/" #VERB,                                                                                   \
     .impl = "default",                                                                                                \
     .name = "dsa_" #VERB "_hash",                                                                                     \
     .setup = dsa_setup,                                                                                               \
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
     .seed = seed_random,                                                                                              \
     .counts_random = 1}
#define DSA_ROWS                                                                                                       \
    DSA_KEY_ROW(sign, .seed = seed_random, .counts_random = 1), DSA_KEY_ROW(verify, .seeded = 0),                      \
        DSA_GENERATE_ROW(keygen, "dsa_generate_key"), DSA_GENERATE_ROW(paramgen, "dsa_generate_pqg")

#endif
