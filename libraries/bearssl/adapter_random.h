/* SPDX-License-Identifier: Apache-2.0
 *
 * BearSSL: the rows of random bytes, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_BEARSSL_RANDOM_H
#define CIPHERSTONE_BEARSSL_RANDOM_H

#include "adapter.h"

int fetch_setup(cs_case *c);
int fetch_hmac_call(cs_case *c);
int fetch_ctr_call(cs_case *c);
const char *fetch_hmac_seed(void);
const char *fetch_ctr_seed(void);

/* clang-format off */
#define RANDOM_ROWS \
    {.id = "random/fetch", .impl = "default", .name = "br_hmac_drbg_generate br_sha256", .setup = fetch_setup, .call = fetch_hmac_call, .seed = fetch_hmac_seed}, \
    {.id = "random/fetch", .impl = "aesctr_drbg", .name = "br_aesctr_drbg_generate", .setup = fetch_setup, .call = fetch_ctr_call, .seed = fetch_ctr_seed}
/* clang-format on */

#endif
