/* SPDX-License-Identifier: Apache-2.0
 *
 * HACL* adapter: random bytes.
 *
 * Entry points: EverCrypt_DRBG_generate.
 */
#include "adapter.h"

static int fetch_call(cs_case *c)
{
    return draw(c->out, (uint32_t)c->out_len) ? CS_OK : cs_fail("EverCrypt_DRBG_generate");
}

/* clang-format off */
static const cs_op rows[] = {
    {.id = "random/fetch", .impl = "default", .name = "EverCrypt_DRBG_generate", .setup = cs_setup_msg_length, .call = fetch_call, .seed = seed, .counts_random = 1},
};
const cs_table hacl_random = CS_TABLE(rows);
/* clang-format on */
