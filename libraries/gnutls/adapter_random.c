/* SPDX-License-Identifier: Apache-2.0
 *
 * GnuTLS adapter: random bytes.
 *
 * Entry points: gnutls_rnd.
 */
#include "adapter.h"

static int fetch_call(cs_case *c)
{
    const gnutls_rnd_level_t *level = c->op->param;

    return done(gnutls_rnd(*level, c->out, c->out_len));
}

/* clang-format off */
static const cs_op rows[] = {
    {.id = "random/fetch", .impl = "default", .name = "gnutls_rnd GNUTLS_RND_RANDOM", .setup = cs_setup_msg_length, .call = fetch_call, .param = &(const gnutls_rnd_level_t){GNUTLS_RND_RANDOM}, .seed = seed_random},
    {.id = "random/fetch", .impl = "key", .name = "gnutls_rnd GNUTLS_RND_KEY", .setup = cs_setup_msg_length, .call = fetch_call, .param = &(const gnutls_rnd_level_t){GNUTLS_RND_KEY}, .seed = seed_random},
    {.id = "random/fetch", .impl = "nonce", .name = "gnutls_rnd GNUTLS_RND_NONCE", .setup = cs_setup_msg_length, .call = fetch_call, .param = &(const gnutls_rnd_level_t){GNUTLS_RND_NONCE}, .seed = seed_random},
};
const cs_table gnutls_random = CS_TABLE(rows);
/* clang-format on */
