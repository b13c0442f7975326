/* SPDX-License-Identifier: Apache-2.0
 *
 * Libgcrypt: the rows of random bytes, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_LIBGCRYPT_RANDOM_H
#define CIPHERSTONE_LIBGCRYPT_RANDOM_H

#include "adapter.h"

int fetch_setup(cs_case *c);
int fetch_call(cs_case *c);
int fetch_nonce_call(cs_case *c);

/* clang-format off */
#define RANDOM_ROWS \
    {.id = "random/fetch", .impl = "default", .name = "gcry_randomize GCRY_STRONG_RANDOM", .setup = fetch_setup, .call = fetch_call, .param = &(const enum gcry_random_level){GCRY_STRONG_RANDOM}, .seed = ecdsa_seed}, \
    {.id = "random/fetch", .impl = "very_strong", .name = "gcry_randomize GCRY_VERY_STRONG_RANDOM", .setup = fetch_setup, .call = fetch_call, .param = &(const enum gcry_random_level){GCRY_VERY_STRONG_RANDOM}, .seed = ecdsa_seed}, \
    {.id = "random/fetch", .impl = "nonce", .name = "gcry_create_nonce", .setup = fetch_setup, .call = fetch_nonce_call, .seed = ecdsa_seed}
/* clang-format on */

#endif
