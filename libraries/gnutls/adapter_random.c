/* SPDX-License-Identifier: Apache-2.0
 *
 * GnuTLS adapter: random bytes.
 *
 * Entry points: gnutls_rnd.
 */
#include "adapter_random.h"

int fetch_setup(cs_case *c)
{
    c->out_len = c->msg.len;
    return CS_OK;
}

int fetch_call(cs_case *c)
{
    const gnutls_rnd_level_t *level = c->op->param;

    return done(gnutls_rnd(*level, c->out, c->out_len));
}
