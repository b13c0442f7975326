/* SPDX-License-Identifier: Apache-2.0
 *
 * Mbed TLS: key agreement in finite fields. A context takes its group and a public value as they stand in messages of
 * TLS, and draws its own private key; one that is given is a member of the structure, which 3.x calls private.
 */
#define MBEDTLS_ALLOW_PRIVATE_ACCESS
#include <mbedtls/dhm.h>

#include "ffdhe.h"
#include "adapter.h"

struct agreement {
    mbedtls_dhm_context dhm;
};

static void teardown_ffdh(cs_case *c)
{
    struct agreement *s = c->state;

    mbedtls_dhm_free(&s->dhm);
    cs_free(s);
}

static int set_group(mbedtls_dhm_context *dhm, const struct cs_ffdhe *of)
{
    mbedtls_mpi p, g;

    mbedtls_mpi_init(&p);
    mbedtls_mpi_init(&g);
    int ret = mbedtls_mpi_read_binary(&p, of->p, of->bytes);
    if (ret == 0)
        ret = mbedtls_mpi_lset(&g, CS_FFDHE_GENERATOR);
    if (ret == 0)
        ret = mbedtls_dhm_set_group(dhm, &p, &g);
    mbedtls_mpi_free(&g);
    mbedtls_mpi_free(&p);
    return ret;
}

static int open_group(cs_case *c)
{
    struct agreement *s = cs_alloc(sizeof *s);

    if (s == NULL)
        return CS_ERROR;
    c->state = s;
    mbedtls_dhm_init(&s->dhm);
    const int ret = set_group(&s->dhm, c->op->param);
    return ret == 0 ? CS_OK : give_up(c, "mbedtls_dhm_set_group", ret);
}

static int setup_ffdh(cs_case *c)
{
    struct agreement *s;
    int ret;

    if (open_group(c) != CS_OK)
        return CS_ERROR;
    s = c->state;
    c->out_len = c->pub.len;
    ret = mbedtls_mpi_read_binary(&s->dhm.X, c->key.data, c->key.len);
    if (ret == 0)
        ret = mbedtls_dhm_read_public(&s->dhm, c->pub.data, c->pub.len);
    return ret == 0 ? CS_OK : give_up(c, "mbedtls_dhm_read_public", ret);
}

/* The public value is checked in every call; the private one is blinded. The secret comes without leading
 * zeros. */
static int call_ffdh(cs_case *c)
{
    struct agreement *s = c->state;
    uint8_t secret[CS_FFDHE_MAX];
    size_t len = 0;
    const int ret = mbedtls_dhm_calc_secret(&s->dhm, secret, sizeof secret, &len, cs_mbedtls_random, &cs_mbedtls_drbg);

    if (ret == MBEDTLS_ERR_DHM_BAD_INPUT_DATA)
        return CS_BAD_KEY;
    return ret == 0 ? cs_put_number(c->out, c->out_len, (cs_span){secret, len}) : from_mbedtls(ret);
}

static int setup_ffdh_keygen(cs_case *c)
{
    return open_group(c);
}

/* Of an exponent's length the caller decides: that of the order, which is what the library's own TLS asks for. */
static int call_ffdh_keygen(cs_case *c)
{
    const struct cs_ffdhe *of = c->op->param;
    struct agreement *s = c->state;
    int ret = mbedtls_dhm_make_public(&s->dhm, (int)of->bytes, c->out + of->bytes, of->bytes, cs_mbedtls_random,
                                      &cs_mbedtls_drbg);

    if (ret == 0)
        ret = mbedtls_mpi_write_binary(&s->dhm.X, c->out, of->bytes);
    c->out_len = 2 * of->bytes;
    return from_mbedtls(ret);
}

/* clang-format off */
#define FFDH_ROWS_OF(ALGORITHM, GROUP)                                                                                 \
    {.id = ALGORITHM "/derive", .impl = "default", .name = "mbedtls_dhm_calc_secret", .setup = setup_ffdh, .call = call_ffdh, .rekey = cs_setup_again, .teardown = teardown_ffdh, .param = &(GROUP), .seed = seed_drbg, .counts_random = 1}, \
    {.id = ALGORITHM "/keygen", .impl = "default", .name = "mbedtls_dhm_make_public", .setup = setup_ffdh_keygen, .call = call_ffdh_keygen, .teardown = teardown_ffdh, .param = &(GROUP), .seed = seed_drbg, .counts_random = 1}

static const cs_op rows[] = {
    FFDH_ROWS_OF("dh-2048", cs_ffdhe_2048),
    FFDH_ROWS_OF("dh-3072", cs_ffdhe_3072),
};
const cs_table mbedtls_ffdh = CS_TABLE(rows);
/* clang-format on */
