/* SPDX-License-Identifier: Apache-2.0
 *
 * Nettle adapter: random bytes.
 *
 * Entry points: yarrow256_random.
 */
#include "adapter.h"

static int fetch_call(cs_case *c)
{
    draw_random(&random_state, c->out_len, c->out);
    return CS_OK;
}

/* clang-format off */
static const cs_op rows[] = {
    {.id = "random/fetch", .impl = "default", .name = "yarrow256_random", .setup = cs_setup_msg_length, .call = fetch_call, .seed = seed_random, .counts_random = 1},
};
const cs_table nettle_random = CS_TABLE(rows);
/* clang-format on */
