/* SPDX-License-Identifier: Apache-2.0
 *
 * Mbed TLS adapter: random bytes.
 *
 * Entry points: mbedtls_ctr_drbg_random, mbedtls_hmac_drbg_random, psa_generate_random.
 */
#include <mbedtls/entropy.h>
#include <mbedtls/hmac_drbg.h>
#include <psa/crypto.h>
#ifdef MBEDTLS_ENTROPY_HARDWARE_ALT
#include <sys/random.h>
#endif

#include "adapter.h"

/* A configuration for machines without an operating system leaves entropy to the program. */
#ifdef MBEDTLS_ENTROPY_HARDWARE_ALT
int mbedtls_hardware_poll(void *data, unsigned char *out, size_t len, size_t *got);
int mbedtls_hardware_poll(void *data, unsigned char *out, size_t len, size_t *got)
{
    (void)data;
    *got = getentropy(out, len) == 0 ? len : 0;
    return *got == len ? 0 : MBEDTLS_ERR_ENTROPY_SOURCE_FAILED;
}
#endif

static mbedtls_entropy_context entropy;
static mbedtls_hmac_drbg_context hmac_drbg;

/* Both generators give 1024 bytes a call as they are configured by default: a caller draws in pieces. */
static int in_pieces(cs_case *c, int (*draw)(void *, unsigned char *, size_t), void *drbg, size_t most)
{
    for (size_t at = 0; at < c->out_len; at += most) {
        const size_t left = c->out_len - at;
        if (draw(drbg, c->out + at, left < most ? left : most) != 0)
            return cs_fail("the generator fails");
    }
    return CS_OK;
}

static int fetch_ctr_call(cs_case *c)
{
    return in_pieces(c, cs_mbedtls_random, &cs_mbedtls_drbg, MBEDTLS_CTR_DRBG_MAX_REQUEST);
}

static const char *fetch_hmac_seed(void)
{
    static const unsigned char purpose[] = "cipherstone";
    mbedtls_entropy_init(&entropy);
    mbedtls_hmac_drbg_init(&hmac_drbg);
    const int ret = mbedtls_hmac_drbg_seed(&hmac_drbg, mbedtls_md_info_from_type(MBEDTLS_MD_SHA256),
                                           mbedtls_entropy_func, &entropy, purpose, sizeof purpose - 1);
    return ret == 0 ? NULL : "mbedtls_hmac_drbg_seed fails";
}

static int fetch_hmac_call(cs_case *c)
{
    return in_pieces(c, mbedtls_hmac_drbg_random, &hmac_drbg, MBEDTLS_HMAC_DRBG_MAX_REQUEST);
}

static int fetch_psa_call(cs_case *c)
{
    return psa_generate_random(c->out, c->out_len) == PSA_SUCCESS ? CS_OK : cs_fail("psa_generate_random");
}

/* clang-format off */
static const cs_op rows[] = {
    {.id = "random/fetch", .impl = "default", .name = "mbedtls_ctr_drbg_random", .setup = cs_setup_msg_length, .call = fetch_ctr_call, .seed = seed_drbg, .counts_random = 1},
    {.id = "random/fetch", .impl = "hmac_drbg", .name = "mbedtls_hmac_drbg_random SHA256", .setup = cs_setup_msg_length, .call = fetch_hmac_call, .seed = fetch_hmac_seed},
    {.id = "random/fetch", .impl = "psa", .name = "psa_generate_random", .setup = cs_setup_msg_length, .call = fetch_psa_call, .open = psa_open},
};
const cs_table mbedtls_random = CS_TABLE(rows);
/* clang-format on */
