/* SPDX-License-Identifier: Apache-2.0
 *
 * NSS adapter: random bytes.
 *
 * Entry points: PK11_GenerateRandom.
 */
#include "adapter_random.h"

#include <pk11pub.h>

int fetch_setup(cs_case *c)
{
    c->out_len = c->msg.len;
    return CS_OK;
}

int fetch_call(cs_case *c)
{
    return done(PK11_GenerateRandom(c->out, (int)c->out_len));
}
