/* SPDX-License-Identifier: Apache-2.0
 *
 * wolfSSL: the rows of DSA, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_WOLFSSL_DSA_H
#define CIPHERSTONE_WOLFSSL_DSA_H

#include "dsa.h"
#include "adapter.h"

int dsa_generate_setup(cs_case *c);
int dsa_keygen_call(cs_case *c);
int dsa_paramgen_call(cs_case *c);
void dsa_generate_teardown(cs_case *c);

#define DSA_GENERATE_ROW(VERB, NAME)                                                                                   \
    {.id = "dsa-2048-sha256/" #VERB,                                                                                   \
     .impl = "default",                                                                                                \
     .name = NAME,                                                                                                     \
     .setup = dsa_generate_setup,                                                                                      \
     .call = dsa_##VERB##_call,                                                                                        \
     .teardown = dsa_generate_teardown,                                                                                \
     .seed = seed_random,                                                                                              \
     .counts_random = 1}
#define DSA_GENERATE_ROWS DSA_GENERATE_ROW(keygen, "wc_MakeDsaKey"), DSA_GENERATE_ROW(paramgen, "wc_MakeDsaParameters"),

/* wc_DsaSign takes the first 20 bytes of a digest; 5.6.2 brought functions that take its length. */
#if LIBWOLFSSL_VERSION_HEX >= 0x05006002
#define WOLFSSL_HAS_DSA_EX 1

int dsa_setup(cs_case *c);
int dsa_sign_call(cs_case *c);
int dsa_verify_call(cs_case *c);
void dsa_teardown(cs_case *c);

#define DSA_KEY_ROW(VERB, NAME, ...)                                                                                   \
    {.id = "dsa-2048-sha256/" #VERB,                                                                                   \
     .impl = "default",                                                                                                \
     .name = NAME,                                                                                                     \
     .setup = dsa_setup,                                                                                               \
     .call = dsa_##VERB##_call,                                                                                        \
     .rekey = cs_setup_again,                                                                                          \
     .teardown = dsa_teardown,                                                                                         \
     .form = "p1363",                                                                                                  \
     __VA_ARGS__}
#define DSA_ROWS                                                                                                       \
    DSA_KEY_ROW(sign, "wc_DsaSign_ex", .seed = seed_random, .counts_random = 1),                                       \
        DSA_KEY_ROW(verify, "wc_DsaVerify_ex", .seeded = 0), DSA_GENERATE_ROWS
#else
#define DSA_ROWS DSA_GENERATE_ROWS
#endif

#endif
