/* SPDX-License-Identifier: Apache-2.0
 *
 * LibTomCrypt: the rows of random bytes, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_LIBTOMCRYPT_RANDOM_H
#define CIPHERSTONE_LIBTOMCRYPT_RANDOM_H

#include "adapter.h"

int fetch_setup(cs_case *c);
int fetch_call(cs_case *c);
int fetch_fortuna_call(cs_case *c);
int fetch_system_call(cs_case *c);
const char *fortuna_seed(void);

/* clang-format off */
#define RANDOM_ROWS \
    {.id = "random/fetch", .impl = "default", .name = "yarrow_read", .setup = fetch_setup, .call = fetch_call, .seed = seed_random, .counts_random = 1}, \
    {.id = "random/fetch", .impl = "fortuna", .name = "fortuna_read", .setup = fetch_setup, .call = fetch_fortuna_call, .seed = fortuna_seed}, \
    {.id = "random/fetch", .impl = "sprng", .name = "sprng_read", .setup = fetch_setup, .call = fetch_system_call}
/* clang-format on */

#endif
