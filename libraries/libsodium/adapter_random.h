/* SPDX-License-Identifier: Apache-2.0
 *
 * libsodium: the rows of random bytes, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_LIBSODIUM_RANDOM_H
#define CIPHERSTONE_LIBSODIUM_RANDOM_H

#include "cipherstone.h"

/* Before sodium_init: what draws on a machine without an operating system; elsewhere nothing. */
void random_on_a_board(void);

int fetch_setup(cs_case *c);
int fetch_call(cs_case *c);

/* clang-format off */
#define RANDOM_ROWS \
    {.id = "random/fetch", .impl = "default", .name = "randombytes_buf", .setup = fetch_setup, .call = fetch_call, .counts_random = 1}
/* clang-format on */

#endif
