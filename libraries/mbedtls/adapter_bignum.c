/* SPDX-License-Identifier: Apache-2.0
 *
 * Mbed TLS: modular arithmetic on mbedtls_mpi. NOTES.md says what each row calls.
 */
#include "adapter.h"

/* `msg` is `a`, or `a` and `b`. Results lie in `r`, quotients and products in `q`. `rr` is the Montgomery constant that
 * mbedtls_mpi_exp_mod leaves there for its caller to keep. */
struct numbers {
    mbedtls_mpi a, b, e, m, r, q, rr;
};

static void teardown_bignum(cs_case *c)
{
    struct numbers *s = c->state;

    mbedtls_mpi_free(&s->a);
    mbedtls_mpi_free(&s->b);
    mbedtls_mpi_free(&s->e);
    mbedtls_mpi_free(&s->m);
    mbedtls_mpi_free(&s->r);
    mbedtls_mpi_free(&s->q);
    mbedtls_mpi_free(&s->rr);
    cs_free(s);
}

/* For operations of one number: an empty span is zero. */
static const cs_span no_number = {.data = (const uint8_t *)"", .len = 0};

static int setup(cs_case *c, cs_span a, cs_span b)
{
    struct numbers *s = cs_alloc(sizeof *s);
    int ret;

    if (s == NULL)
        return CS_ERROR;
    c->state = s;
    mbedtls_mpi_init(&s->a);
    mbedtls_mpi_init(&s->b);
    mbedtls_mpi_init(&s->e);
    mbedtls_mpi_init(&s->m);
    mbedtls_mpi_init(&s->r);
    mbedtls_mpi_init(&s->q);
    mbedtls_mpi_init(&s->rr);
    ret = mbedtls_mpi_read_binary(&s->a, a.data, a.len);
    if (ret == 0)
        ret = mbedtls_mpi_read_binary(&s->b, b.data, b.len);
    if (ret == 0)
        ret = mbedtls_mpi_read_binary(&s->m, c->pub.data, c->pub.len);
    if (ret == 0 && c->key.data != NULL)
        ret = mbedtls_mpi_read_binary(&s->e, c->key.data, c->key.len);
    return ret == 0 ? CS_OK : give_up(c, "mbedtls_mpi_read_binary", ret);
}

static int setup_bignum_one(cs_case *c)
{
    return setup(c, c->msg, no_number);
}

static int setup_bignum_two(cs_case *c)
{
    cs_span a, b;

    return cs_split_operands(c, &a, &b) == CS_OK ? setup(c, a, b) : CS_ERROR;
}

static int call_bignum_exp(cs_case *c)
{
    struct numbers *s = c->state;

    return from_mbedtls(mbedtls_mpi_exp_mod(&s->r, &s->a, &s->e, &s->m, &s->rr));
}

/* Mbed TLS has no modular addition; both numbers are reduced, so that one subtraction is enough. */
static int call_bignum_add(cs_case *c)
{
    struct numbers *s = c->state;
    int ret = mbedtls_mpi_add_mpi(&s->r, &s->a, &s->b);

    if (ret == 0 && mbedtls_mpi_cmp_mpi(&s->r, &s->m) >= 0)
        ret = mbedtls_mpi_sub_mpi(&s->r, &s->r, &s->m);
    return from_mbedtls(ret);
}

static int call_bignum_mul(cs_case *c)
{
    struct numbers *s = c->state;
    int ret = mbedtls_mpi_mul_mpi(&s->q, &s->a, &s->b);

    return from_mbedtls(ret == 0 ? mbedtls_mpi_mod_mpi(&s->r, &s->q, &s->m) : ret);
}

static int call_bignum_sqr(cs_case *c)
{
    struct numbers *s = c->state;
    int ret = mbedtls_mpi_mul_mpi(&s->q, &s->a, &s->a);

    return from_mbedtls(ret == 0 ? mbedtls_mpi_mod_mpi(&s->r, &s->q, &s->m) : ret);
}

static int call_bignum_inv(cs_case *c)
{
    struct numbers *s = c->state;

    return from_mbedtls(mbedtls_mpi_inv_mod(&s->r, &s->a, &s->m));
}

static int call_bignum_div(cs_case *c)
{
    struct numbers *s = c->state;

    return from_mbedtls(mbedtls_mpi_div_mpi(&s->q, &s->r, &s->a, &s->m));
}

int take_bignum(cs_case *c, mbedtls_mpi *number, size_t len)
{
    int ret = mbedtls_mpi_write_binary(number, c->out + c->out_len, len);

    if (ret == 0)
        ret = mbedtls_mpi_lset(number, 0);
    c->out_len += len;
    return ret == 0 ? CS_OK : cs_fail("the result is not below the modulus");
}

static int finish_bignum(cs_case *c)
{
    struct numbers *s = c->state;

    c->out_len = 0;
    return take_bignum(c, &s->r, c->pub.len);
}

static int finish_bignum_div(cs_case *c)
{
    struct numbers *s = c->state;
    int status;

    c->out_len = 0;
    status = take_bignum(c, &s->q, c->pub.len + 8);
    return status == CS_OK ? take_bignum(c, &s->r, c->pub.len) : status;
}

#define BIGNUM_ROW(ID, PARAMS, NAME, SETUP, CALL, FINISH)                                                              \
    {.id = ID,                                                                                                         \
     .impl = "default",                                                                                                \
     .name = NAME,                                                                                                     \
     .setup = setup_bignum_##SETUP,                                                                                    \
     .call = call_bignum_##CALL,                                                                                       \
     .teardown = teardown_bignum,                                                                                      \
     .finish = finish_##FINISH,                                                                                        \
     .params = PARAMS}

static const cs_op rows[] = {
    BIGNUM_ROW("modexp/private", "crt=no", "mbedtls_mpi_exp_mod", one, exp, bignum),
    BIGNUM_ROW("modexp/public", NULL, "mbedtls_mpi_exp_mod", one, exp, bignum),
    BIGNUM_ROW("bignum/mod-add", NULL, "mbedtls_mpi_add_mpi, mbedtls_mpi_sub_mpi", two, add, bignum),
    BIGNUM_ROW("bignum/mod-mul", NULL, "mbedtls_mpi_mul_mpi, mbedtls_mpi_mod_mpi", two, mul, bignum),
    BIGNUM_ROW("bignum/mod-sqr", NULL, "mbedtls_mpi_mul_mpi, mbedtls_mpi_mod_mpi", one, sqr, bignum),
    BIGNUM_ROW("bignum/mod-inv", NULL, "mbedtls_mpi_inv_mod", one, inv, bignum),
    BIGNUM_ROW("bignum/div-mod", NULL, "mbedtls_mpi_div_mpi", one, div, bignum_div),
};
const cs_table mbedtls_bignum = CS_TABLE(rows);
