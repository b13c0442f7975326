/* SPDX-License-Identifier: Apache-2.0
 *
 * GnuTLS: the rows of DSA, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_GNUTLS_DSA_H
#define CIPHERSTONE_GNUTLS_DSA_H

#include "dsa.h"
#include "adapter.h"

extern const struct scheme dsa_sha256, dsa_sha256_rfc6979;
extern const struct kind dsa_domain;

int dsa_setup(cs_case *c);

/* Signing and verification are the calls of adapter_pkey.c. */
#define DSA_ROW(VERB, IMPL, NAME, CALL, ...)                                                                           \
    {.id = "dsa-2048-sha256/" VERB,                                                                                    \
     .impl = IMPL,                                                                                                     \
     .name = NAME,                                                                                                     \
     .setup = dsa_setup,                                                                                               \
     .call = CALL,                                                                                                     \
     .rekey = cs_setup_again,                                                                                          \
     .teardown = key_teardown,                                                                                         \
     .form = "der",                                                                                                    \
     __VA_ARGS__}
#define DSA_ROWS                                                                                                       \
    DSA_ROW("sign", "default", "gnutls_privkey_sign_data2", sign_call, .param = &dsa_sha256, .seed = seed_random),     \
        DSA_ROW("sign", "rfc6979", "gnutls_privkey_sign_data2 REPRODUCIBLE", sign_call, .param = &dsa_sha256_rfc6979), \
        DSA_ROW("verify", "default", "gnutls_pubkey_verify_data2", verify_call, .param = &dsa_sha256),                 \
    {                                                                                                                  \
        .id = "dsa-2048-sha256/paramgen", .impl = "default", .name = "gnutls_privkey_generate", .setup = keygen_setup, \
        .call = keygen_call, .param = &dsa_domain, .seed = seed_random                                                 \
    }

#endif
