/* SPDX-License-Identifier: Apache-2.0
 *
 * OpenSSL adapter: the rows of DSA, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_OPENSSL_DSA_H
#define CIPHERSTONE_OPENSSL_DSA_H

#include "dsa.h"
#include "session.h"

const char *dsa_unavailable(const struct cs_op *op);
const char *dsa_fetch(const struct cs_op *op, void **fetched);
int dsa_sign_setup(cs_case *c);
int dsa_sign_call(cs_case *c);
int dsa_verify_setup(cs_case *c);
int dsa_verify_call(cs_case *c);
int dsa_keygen_setup(cs_case *c);
int dsa_keygen_call(cs_case *c);
int dsa_paramgen_setup(cs_case *c);
int dsa_paramgen_call(cs_case *c);

#define DSA_ROW(VERB, NAME, ...)                                                                                       \
    {.id = "dsa-2048-sha256/" #VERB,                                                                                   \
     .impl = "default",                                                                                                \
     .name = NAME,                                                                                                     \
     .setup = dsa_##VERB##_setup,                                                                                      \
     .call = dsa_##VERB##_call,                                                                                        \
     .teardown = session_free,                                                                                         \
     .unavailable = dsa_unavailable,                                                                                   \
     .open = evp_open,                                                                                                 \
     .fetch = dsa_fetch,                                                                                               \
     __VA_ARGS__}
#define DSA_ROWS                                                                                                       \
    DSA_ROW(sign, "EVP_PKEY_sign DSA", .rekey = cs_setup_again, .form = "der", .seed = ecdsa_seed),                    \
        DSA_ROW(verify, "EVP_PKEY_verify DSA", .rekey = cs_setup_again, .form = "der"),                                \
        DSA_ROW(keygen, "EVP_PKEY_generate", .seed = ecdsa_seed),                                                      \
        DSA_ROW(paramgen, "EVP_PKEY_paramgen_init, EVP_PKEY_generate", .seed = ecdsa_seed)

#endif
