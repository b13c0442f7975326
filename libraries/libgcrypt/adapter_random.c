/* SPDX-License-Identifier: Apache-2.0
 *
 * Libgcrypt adapter: random bytes.
 *
 * Entry points: gcry_randomize, gcry_create_nonce.
 */
#include "adapter.h"

static int fetch_call(cs_case *c)
{
    const enum gcry_random_level *level = c->op->param;

    gcry_randomize(c->out, c->out_len, *level);
    return CS_OK;
}

static int fetch_nonce_call(cs_case *c)
{
    gcry_create_nonce(c->out, c->out_len);
    return CS_OK;
}

/* clang-format off */
static const cs_op rows[] = {
    {.id = "random/fetch", .impl = "default", .name = "gcry_randomize GCRY_STRONG_RANDOM", .setup = cs_setup_msg_length, .call = fetch_call, .param = &(const enum gcry_random_level){GCRY_STRONG_RANDOM}, .seed = ecdsa_seed},
    {.id = "random/fetch", .impl = "very_strong", .name = "gcry_randomize GCRY_VERY_STRONG_RANDOM", .setup = cs_setup_msg_length, .call = fetch_call, .param = &(const enum gcry_random_level){GCRY_VERY_STRONG_RANDOM}, .seed = ecdsa_seed},
    {.id = "random/fetch", .impl = "nonce", .name = "gcry_create_nonce", .setup = cs_setup_msg_length, .call = fetch_nonce_call, .seed = ecdsa_seed},
};
/* clang-format on */

const cs_table libgcrypt_random = CS_TABLE(rows);
