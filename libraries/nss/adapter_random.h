/* SPDX-License-Identifier: Apache-2.0
 *
 * NSS: the rows of random bytes, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_NSS_RANDOM_H
#define CIPHERSTONE_NSS_RANDOM_H

#include "adapter.h"

int fetch_setup(cs_case *c);
int fetch_call(cs_case *c);

/* clang-format off */
#define RANDOM_ROWS \
    {.id = "random/fetch", .impl = "default", .name = "PK11_GenerateRandom", .setup = fetch_setup, .call = fetch_call, .open = nss_open, .seed = nss_seed}
/* clang-format on */

#endif
