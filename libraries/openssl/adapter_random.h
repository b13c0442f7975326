/* SPDX-License-Identifier: Apache-2.0
 *
 * OpenSSL: the rows of random bytes, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_OPENSSL_RANDOM_H
#define CIPHERSTONE_OPENSSL_RANDOM_H

#include "session.h"

int fetch_setup(cs_case *c);
int fetch_call(cs_case *c);
int fetch_private_call(cs_case *c);
/* Once a process: the generator of the row is made and seeds itself. */
const char *fetch_seed(void);
const char *fetch_private_seed(void);

/* clang-format off */
#define RANDOM_ROWS \
    {.id = "random/fetch", .impl = "default", .name = "RAND_bytes", .setup = fetch_setup, .call = fetch_call, .open = evp_open, .seed = fetch_seed}, \
    {.id = "random/fetch", .impl = "RAND_priv_bytes", .name = "RAND_priv_bytes", .setup = fetch_setup, .call = fetch_private_call, .open = evp_open, .seed = fetch_private_seed}
/* clang-format on */

#endif
