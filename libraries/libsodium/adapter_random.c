/* SPDX-License-Identifier: Apache-2.0
 *
 * libsodium adapter: random bytes.
 *
 * Entry points: randombytes_buf.
 */
#include "adapter_random.h"

#include <sodium.h>

int fetch_setup(cs_case *c)
{
    c->out_len = c->msg.len;
    return CS_OK;
}

int fetch_call(cs_case *c)
{
    randombytes_buf(c->out, c->out_len);
    return CS_OK;
}
