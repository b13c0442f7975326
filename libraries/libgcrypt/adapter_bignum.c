/* SPDX-License-Identifier: Apache-2.0
 *
 * Libgcrypt: modular arithmetic on gcry_mpi_t.
 *
 * Entry points: gcry_mpi_powm, _addm, _mulm, _invm, _div.
 */
#include "adapter.h"

gcry_mpi_t bignum_new(const uint8_t *bytes, size_t len)
{
    gcry_mpi_t number = NULL;

    return gcry_mpi_scan(&number, GCRYMPI_FMT_USG, bytes, len, NULL) == 0 ? number : NULL;
}

int bignum_take(cs_case *c, gcry_mpi_t number, size_t len)
{
    size_t bytes = ((size_t)gcry_mpi_get_nbits(number) + 7) / 8;
    gcry_error_t error;
    uint8_t *room;

    if (gcry_mpi_is_neg(number))
        return cs_fail("the result is negative");
    room = cs_number_room(c, bytes, len);
    if (room == NULL)
        return CS_ERROR;
    error = gcry_mpi_print(GCRYMPI_FMT_USG, room, bytes, NULL, number);
    gcry_mpi_set_ui(number, 0);
    return error == 0 ? CS_OK : fail("gcry_mpi_print", error);
}

/* `msg` is `a`, or `a` and `b`. Results lie in `r`, quotients in `q`. */
struct numbers {
    gcry_mpi_t a, b, e, m, r, q;
};

static void bignum_teardown(cs_case *c)
{
    struct numbers *s = c->state;

    gcry_mpi_release(s->a);
    gcry_mpi_release(s->b);
    gcry_mpi_release(s->e);
    gcry_mpi_release(s->m);
    gcry_mpi_release(s->r);
    gcry_mpi_release(s->q);
    cs_free(s);
    c->state = NULL;
}

/* For operations of one number: an empty span is zero. */
static const cs_span no_number = {.data = (const uint8_t *)"", .len = 0};

static int setup(cs_case *c, cs_span a, cs_span b)
{
    struct numbers *s = cs_alloc(sizeof *s);
    unsigned bits = 8 * (unsigned)c->pub.len;

    if (s == NULL)
        return CS_ERROR;
    c->state = s;
    s->a = bignum_new(a.data, a.len);
    s->b = bignum_new(b.data, b.len);
    s->e = c->key.data != NULL ? bignum_new(c->key.data, c->key.len) : NULL;
    s->m = bignum_new(c->pub.data, c->pub.len);
    s->r = gcry_mpi_new(bits);
    s->q = gcry_mpi_new(bits);
    if (s->a != NULL && s->b != NULL && s->m != NULL && (c->key.data == NULL || s->e != NULL) &&
        gcry_mpi_cmp_ui(s->m, 0) > 0)
        return CS_OK;
    bignum_teardown(c);
    return cs_fail("gcry_mpi_scan refuses a number, or pub is zero");
}

static int bignum_setup_one(cs_case *c)
{
    return setup(c, c->msg, no_number);
}

static int bignum_setup_two(cs_case *c)
{
    cs_span a, b;

    return cs_split_operands(c, &a, &b) == CS_OK ? setup(c, a, b) : CS_ERROR;
}

static int bignum_powm(cs_case *c)
{
    struct numbers *s = c->state;

    gcry_mpi_powm(s->r, s->a, s->e, s->m);
    return CS_OK;
}

static int bignum_addm(cs_case *c)
{
    struct numbers *s = c->state;

    gcry_mpi_addm(s->r, s->a, s->b, s->m);
    return CS_OK;
}

/* Both numbers are reduced, so that one subtraction is enough. */
static int bignum_add_sub(cs_case *c)
{
    struct numbers *s = c->state;

    gcry_mpi_add(s->r, s->a, s->b);
    if (gcry_mpi_cmp(s->r, s->m) >= 0)
        gcry_mpi_sub(s->r, s->r, s->m);
    return CS_OK;
}

static int bignum_mulm(cs_case *c)
{
    struct numbers *s = c->state;

    gcry_mpi_mulm(s->r, s->a, s->b, s->m);
    return CS_OK;
}

static int bignum_sqrm(cs_case *c)
{
    struct numbers *s = c->state;

    gcry_mpi_mulm(s->r, s->a, s->a, s->m);
    return CS_OK;
}

static int bignum_invm(cs_case *c)
{
    struct numbers *s = c->state;

    return gcry_mpi_invm(s->r, s->a, s->m) != 0 ? CS_OK : cs_fail("gcry_mpi_invm: there is no inverse");
}

static int bignum_div(cs_case *c)
{
    struct numbers *s = c->state;

    gcry_mpi_div(s->q, s->r, s->a, s->m, 0);
    return CS_OK;
}

static int bignum_finish(cs_case *c)
{
    struct numbers *s = c->state;

    c->out_len = 0;
    return bignum_take(c, s->r, c->pub.len);
}

static int bignum_finish_div(cs_case *c)
{
    struct numbers *s = c->state;
    int status;

    c->out_len = 0;
    status = bignum_take(c, s->q, c->pub.len + 8);
    return status == CS_OK ? bignum_take(c, s->r, c->pub.len) : status;
}

#define BIGNUM_LANE(ID, PARAMS, IMPL, NAME, SETUP, CALL, FINISH)                                                       \
    {.id = ID,                                                                                                         \
     .impl = IMPL,                                                                                                     \
     .name = NAME,                                                                                                     \
     .setup = bignum_setup_##SETUP,                                                                                    \
     .call = bignum_##CALL,                                                                                            \
     .teardown = bignum_teardown,                                                                                      \
     .finish = bignum_##FINISH,                                                                                        \
     .params = PARAMS}
#define BIGNUM_ROW(ID, PARAMS, NAME, SETUP, CALL, FINISH) BIGNUM_LANE(ID, PARAMS, "default", NAME, SETUP, CALL, FINISH)

static const cs_op rows[] = {
    BIGNUM_ROW("modexp/private", "crt=no", "gcry_mpi_powm", one, powm, finish),
    BIGNUM_ROW("modexp/public", NULL, "gcry_mpi_powm", one, powm, finish),
    BIGNUM_ROW("bignum/mod-add", NULL, "gcry_mpi_addm", two, addm, finish),
    BIGNUM_LANE("bignum/mod-add", NULL, "add_sub", "gcry_mpi_add, gcry_mpi_cmp, gcry_mpi_sub", two, add_sub, finish),
    BIGNUM_ROW("bignum/mod-mul", NULL, "gcry_mpi_mulm", two, mulm, finish),
    BIGNUM_ROW("bignum/mod-sqr", NULL, "gcry_mpi_mulm", one, sqrm, finish),
    BIGNUM_ROW("bignum/mod-inv", NULL, "gcry_mpi_invm", one, invm, finish),
    BIGNUM_ROW("bignum/div-mod", NULL, "gcry_mpi_div", one, div, finish_div),
};

const cs_table libgcrypt_bignum = CS_TABLE(rows);
