/* SPDX-License-Identifier: Apache-2.0
 *
 * Nettle adapter: random bytes.
 *
 * Entry points: yarrow256_random.
 */
#include "adapter_random.h"

int fetch_setup(cs_case *c)
{
    c->out_len = c->msg.len;
    return CS_OK;
}

int fetch_call(cs_case *c)
{
    draw_random(&random_state, c->out_len, c->out);
    return CS_OK;
}
