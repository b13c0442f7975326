/* SPDX-License-Identifier: Apache-2.0
 *
 * Libgcrypt adapter: random bytes.
 *
 * Entry points: gcry_randomize, gcry_create_nonce.
 */
#include "adapter_random.h"

int fetch_setup(cs_case *c)
{
    c->out_len = c->msg.len;
    return CS_OK;
}

int fetch_call(cs_case *c)
{
    const enum gcry_random_level *level = c->op->param;

    gcry_randomize(c->out, c->out_len, *level);
    return CS_OK;
}

int fetch_nonce_call(cs_case *c)
{
    gcry_create_nonce(c->out, c->out_len);
    return CS_OK;
}
