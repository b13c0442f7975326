/* SPDX-License-Identifier: Apache-2.0
 *
 * Libgcrypt: the rows of DSA, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_LIBGCRYPT_DSA_H
#define CIPHERSTONE_LIBGCRYPT_DSA_H

#include "dsa.h"
#include "adapter.h"

int dsa_sign_setup(cs_case *c);
int dsa_sign_call(cs_case *c);
int dsa_verify_setup(cs_case *c);
int dsa_verify_call(cs_case *c);
void dsa_teardown(cs_case *c);
int dsa_keygen_setup(cs_case *c);
int dsa_keygen_call(cs_case *c);
int dsa_paramgen_setup(cs_case *c);
int dsa_paramgen_call(cs_case *c);
void dsa_generate_teardown(cs_case *c);

/* `param`: the flags that the hash is wrapped with, which say where the secret number of a signature comes from. */
#define DSA_KEY_ROW(VERB, IMPL, FLAGS)                                                                                 \
    {.id = "dsa-2048-sha256/" #VERB,                                                                                   \
     .impl = IMPL,                                                                                                     \
     .name = "gcry_pk_" #VERB,                                                                                         \
     .setup = dsa_##VERB##_setup,                                                                                      \
     .call = dsa_##VERB##_call,                                                                                        \
     .rekey = cs_setup_again,                                                                                          \
     .teardown = dsa_teardown,                                                                                         \
     .param = "(data(flags " FLAGS ")(hash sha256 %b))",                                                               \
     .form = "p1363",                                                                                                  \
     .seed = ecdsa_seed}
/* `param`: what gcry_pk_genkey is asked for. */
#define DSA_GENERATE_ROW(VERB, IMPL, REQUEST)                                                                          \
    {.id = "dsa-2048-sha256/" #VERB,                                                                                   \
     .impl = IMPL,                                                                                                     \
     .name = "gcry_pk_genkey",                                                                                         \
     .setup = dsa_##VERB##_setup,                                                                                      \
     .call = dsa_##VERB##_call,                                                                                        \
     .teardown = dsa_generate_teardown,                                                                                \
     .param = REQUEST,                                                                                                 \
     .seed = ecdsa_seed}
#define DSA_ROWS                                                                                                       \
    DSA_KEY_ROW(sign, "default", "raw"), DSA_KEY_ROW(sign, "rfc6979", "rfc6979"),                                      \
        DSA_KEY_ROW(verify, "default", "raw"),                                                                         \
        DSA_GENERATE_ROW(keygen, "default", "(genkey(dsa(domain(p %b)(q %b)(g %b))))"),                                \
        DSA_GENERATE_ROW(paramgen, "default", "(genkey(dsa(nbits 4:2048)(qbits 3:256)))"),                             \
        DSA_GENERATE_ROW(paramgen, "use-fips186", "(genkey(dsa(nbits 4:2048)(qbits 3:256)(use-fips186)))")

#endif
