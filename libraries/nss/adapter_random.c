/* SPDX-License-Identifier: Apache-2.0
 *
 * NSS adapter: random bytes.
 *
 * Entry points: PK11_GenerateRandom.
 */
#include "adapter.h"

#include <pk11pub.h>

static int fetch_call(cs_case *c)
{
    return done(PK11_GenerateRandom(c->out, (int)c->out_len));
}

/* ---- rows ---- */

/* clang-format off */
static const cs_op rows[] = {
    {.id = "random/fetch", .impl = "default", .name = "PK11_GenerateRandom", .setup = cs_setup_msg_length, .call = fetch_call, .open = nss_open, .seed = nss_seed},
};
/* clang-format on */

const cs_table nss_random = CS_TABLE(rows);
