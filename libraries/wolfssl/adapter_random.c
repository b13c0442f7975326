/* SPDX-License-Identifier: Apache-2.0
 *
 * wolfSSL adapter: random bytes.
 *
 * Entry points: wc_RNG_GenerateBlock.
 */
#include "adapter_random.h"

int fetch_setup(cs_case *c)
{
    c->out_len = c->msg.len;
    return CS_OK;
}

int fetch_call(cs_case *c)
{
    return from_wc(wc_RNG_GenerateBlock(&random_state, c->out, (word32)c->out_len));
}
