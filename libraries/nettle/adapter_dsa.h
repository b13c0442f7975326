/* SPDX-License-Identifier: Apache-2.0
 *
 * Nettle: the rows of DSA, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_NETTLE_DSA_H
#define CIPHERSTONE_NETTLE_DSA_H

#include "dsa.h"
#include "adapter.h"

int dsa_setup(cs_case *c);
int dsa_generate_setup(cs_case *c);
void dsa_teardown(cs_case *c);
int dsa_sign_call(cs_case *c);
int dsa_verify_call(cs_case *c);
int dsa_keygen_call(cs_case *c);
int dsa_paramgen_call(cs_case *c);

#define DSA_ROW(VERB, NAME, SETUP, ...)                                                                                \
    {.id = "dsa-2048-sha256/" #VERB,                                                                                   \
     .impl = "default",                                                                                                \
     .name = NAME,                                                                                                     \
     .setup = SETUP,                                                                                                   \
     .call = dsa_##VERB##_call,                                                                                        \
     .teardown = dsa_teardown,                                                                                         \
     __VA_ARGS__}
#define DSA_DRAWING .seed = seed_random, .counts_random = 1
#define DSA_ROWS                                                                                                       \
    DSA_ROW(sign, "dsa_sign", dsa_setup, .rekey = cs_setup_again, .form = "p1363", DSA_DRAWING),                       \
        DSA_ROW(verify, "dsa_verify", dsa_setup, .rekey = cs_setup_again, .form = "p1363"),                            \
        DSA_ROW(keygen, "dsa_generate_keypair", dsa_generate_setup, .seeded = 1, DSA_DRAWING),                         \
        DSA_ROW(paramgen, "dsa_generate_params", dsa_generate_setup, DSA_DRAWING)

#endif
