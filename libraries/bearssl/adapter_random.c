/* SPDX-License-Identifier: Apache-2.0
 *
 * BearSSL adapter: random bytes.
 *
 * Entry points: br_hmac_drbg_generate, br_aesctr_drbg_generate, seeded by br_prng_seeder_system.
 */
#include "adapter.h"

static br_hmac_drbg_context hmac_drbg;
static br_aesctr_drbg_context ctr_drbg;

static const char *seeded(const br_prng_class **drbg)
{
    br_prng_seeder seeder = br_prng_seeder_system(NULL);

    return seeder != 0 && seeder(drbg) ? NULL : "br_prng_seeder_system fails";
}

static const char *fetch_hmac_seed(void)
{
    br_hmac_drbg_init(&hmac_drbg, &br_sha256_vtable, NULL, 0);
    return seeded(&hmac_drbg.vtable);
}

/* Of the implementations of AES the one that the library's own choice of a TLS profile takes first: the processor's. */
static const char *fetch_ctr_seed(void)
{
    const br_block_ctr_class *aes = br_aes_x86ni_ctr_get_vtable();

    if (aes == NULL)
        aes = br_aes_pwr8_ctr_get_vtable();
    if (aes == NULL)
        aes = &br_aes_ct64_ctr_vtable;
    br_aesctr_drbg_init(&ctr_drbg, aes, NULL, 0);
    return seeded(&ctr_drbg.vtable);
}

static int fetch_hmac_call(cs_case *c)
{
    br_hmac_drbg_generate(&hmac_drbg, c->out, c->out_len);
    return CS_OK;
}

static int fetch_ctr_call(cs_case *c)
{
    br_aesctr_drbg_generate(&ctr_drbg, c->out, c->out_len);
    return CS_OK;
}

/* -- rows -- */

/* clang-format off */
static const cs_op rows[] = {
    {.id = "random/fetch", .impl = "default", .name = "br_hmac_drbg_generate br_sha256", .setup = cs_setup_msg_length, .call = fetch_hmac_call, .seed = fetch_hmac_seed},
    {.id = "random/fetch", .impl = "aesctr_drbg", .name = "br_aesctr_drbg_generate", .setup = cs_setup_msg_length, .call = fetch_ctr_call, .seed = fetch_ctr_seed},
};
/* clang-format on */

const cs_table bearssl_random = CS_TABLE(rows);
