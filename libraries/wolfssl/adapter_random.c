/* SPDX-License-Identifier: Apache-2.0
 *
 * wolfSSL adapter: random bytes.
 *
 * Entry points: wc_RNG_GenerateBlock.
 */
#include "adapter.h"

static int fetch_call(cs_case *c)
{
    return from_wc(wc_RNG_GenerateBlock(&random_state, c->out, (word32)c->out_len));
}

/* clang-format off */
static const cs_op rows[] = {
    {.id = "random/fetch", .impl = "default", .name = "wc_RNG_GenerateBlock", .setup = cs_setup_msg_length, .call = fetch_call, .seed = seed_random, .counts_random = 1},
};
/* clang-format on */

const cs_table wolfssl_random = CS_TABLE(rows);
