/* SPDX-License-Identifier: Apache-2.0
 *
 * HACL* adapter: random bytes.
 *
 * Entry points: EverCrypt_DRBG_generate.
 */
#include "adapter_random.h"

int fetch_setup(cs_case *c)
{
    c->out_len = c->msg.len;
    return CS_OK;
}

int fetch_call(cs_case *c)
{
    return draw(c->out, (uint32_t)c->out_len) ? CS_OK : cs_fail("EverCrypt_DRBG_generate");
}
