/* SPDX-License-Identifier: Apache-2.0
 *
 * GnuTLS: the rows of random bytes, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_GNUTLS_RANDOM_H
#define CIPHERSTONE_GNUTLS_RANDOM_H

#include "adapter.h"

int fetch_setup(cs_case *c);
int fetch_call(cs_case *c);

/* clang-format off */
#define RANDOM_ROWS \
    {.id = "random/fetch", .impl = "default", .name = "gnutls_rnd GNUTLS_RND_RANDOM", .setup = fetch_setup, .call = fetch_call, .param = &(const gnutls_rnd_level_t){GNUTLS_RND_RANDOM}, .seed = seed_random}, \
    {.id = "random/fetch", .impl = "key", .name = "gnutls_rnd GNUTLS_RND_KEY", .setup = fetch_setup, .call = fetch_call, .param = &(const gnutls_rnd_level_t){GNUTLS_RND_KEY}, .seed = seed_random}, \
    {.id = "random/fetch", .impl = "nonce", .name = "gnutls_rnd GNUTLS_RND_NONCE", .setup = fetch_setup, .call = fetch_call, .param = &(const gnutls_rnd_level_t){GNUTLS_RND_NONCE}, .seed = seed_random}
/* clang-format on */

#endif
