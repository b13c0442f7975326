/* SPDX-License-Identifier: Apache-2.0
 *
 * Mbed TLS: the rows of random bytes, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_MBEDTLS_RANDOM_H
#define CIPHERSTONE_MBEDTLS_RANDOM_H

#include "adapter.h"

int fetch_setup(cs_case *c);
int fetch_ctr_call(cs_case *c);
int fetch_hmac_call(cs_case *c);
int fetch_psa_call(cs_case *c);
const char *fetch_hmac_seed(void);

/* clang-format off */
#define RANDOM_ROWS \
    {.id = "random/fetch", .impl = "default", .name = "mbedtls_ctr_drbg_random", .setup = fetch_setup, .call = fetch_ctr_call, .seed = seed_drbg, .counts_random = 1}, \
    {.id = "random/fetch", .impl = "hmac_drbg", .name = "mbedtls_hmac_drbg_random SHA256", .setup = fetch_setup, .call = fetch_hmac_call, .seed = fetch_hmac_seed}, \
    {.id = "random/fetch", .impl = "psa", .name = "psa_generate_random", .setup = fetch_setup, .call = fetch_psa_call, .open = psa_open}
/* clang-format on */

#endif
