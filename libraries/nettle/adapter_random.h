/* SPDX-License-Identifier: Apache-2.0
 *
 * Nettle: the rows of random bytes, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_NETTLE_RANDOM_H
#define CIPHERSTONE_NETTLE_RANDOM_H

#include "adapter.h"

int fetch_setup(cs_case *c);
int fetch_call(cs_case *c);

/* clang-format off */
#define RANDOM_ROWS \
    {.id = "random/fetch", .impl = "default", .name = "yarrow256_random", .setup = fetch_setup, .call = fetch_call, .seed = seed_random, .counts_random = 1}
/* clang-format on */

#endif
