/* SPDX-License-Identifier: Apache-2.0
 *
 * GnuTLS: the rows of agreement with an ephemeral key, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_GNUTLS_AGREE_H
#define CIPHERSTONE_GNUTLS_AGREE_H

#include "adapter.h"

#if GNUTLS_VERSION_NUMBER >= 0x030802
int agree_call(cs_case *c);

/* clang-format off */
#define AGREE(ID, PARAM)                                                                                               \
    {.id = ID "/agree", .impl = "default", .name = "gnutls_privkey_generate, gnutls_privkey_derive_secret", .setup = keygen_setup, .call = agree_call, .param = &(PARAM), .rekey = cs_key_in_call, .seed = seed_random}
#define AGREE_ROWS AGREE("x25519", x25519_pair), AGREE("p-256", p256_pair), AGREE("p-384", p384_pair),
/* clang-format on */
#else
#define AGREE_ROWS
#endif

#endif
