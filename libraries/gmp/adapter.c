/* SPDX-License-Identifier: Apache-2.0
 *
 * GMP: modular arithmetic on mpz_t.
 *
 * Entry points: mpz_powm, mpz_powm_sec, mpz_powm_ui, mpz_add, mpz_sub, mpz_mul, mpz_tdiv_r, mpz_tdiv_qr, mpz_invert.
 */
#include "adapter.h"

static const char *library_version(void)
{
    return gmp_version;
}

void number_from(mpz_t number, const uint8_t *bytes, size_t len)
{
    mpz_import(number, len, 1, 1, 1, 0, bytes);
}

int take(cs_case *c, mpz_t number, size_t len)
{
    size_t bytes = mpz_sgn(number) == 0 ? 0 : (mpz_sizeinbase(number, 2) + 7) / 8;
    uint8_t *room;

    if (mpz_sgn(number) < 0)
        return cs_fail("the result is negative");
    room = cs_number_room(c, bytes, len);
    if (room == NULL)
        return CS_ERROR;
    mpz_export(room, NULL, 1, 1, 1, 0, number);
    mpz_set_ui(number, 0);
    return CS_OK;
}

/* ---- one modulus ---- */

/* `msg` is `a`, or `a` and `b`. Results lie in `r`, quotients in `q`. */
struct numbers {
    mpz_t a, b, e, m, r, q;
};

static void teardown(cs_case *c)
{
    struct numbers *s = c->state;

    mpz_clears(s->a, s->b, s->e, s->m, s->r, s->q, NULL);
    cs_free(s);
    c->state = NULL;
}

/* For operations of one number: an empty span is zero. */
static const cs_span no_number = {.data = (const uint8_t *)"", .len = 0};

static int setup(cs_case *c, cs_span a, cs_span b)
{
    struct numbers *s = cs_alloc(sizeof *s);

    if (s == NULL)
        return CS_ERROR;
    mpz_inits(s->a, s->b, s->e, s->m, s->r, s->q, NULL);
    number_from(s->a, a.data, a.len);
    number_from(s->b, b.data, b.len);
    number_from(s->m, c->pub.data, c->pub.len);
    if (c->key.data != NULL)
        number_from(s->e, c->key.data, c->key.len);
    c->state = s;
    if (mpz_sgn(s->m) != 0)
        return CS_OK;
    teardown(c);
    return cs_fail("pub is zero");
}

static int setup_one(cs_case *c)
{
    return setup(c, c->msg, no_number);
}

static int setup_two(cs_case *c)
{
    cs_span a, b;

    return cs_split_operands(c, &a, &b) == CS_OK ? setup(c, a, b) : CS_ERROR;
}

static int finish(cs_case *c)
{
    struct numbers *s = c->state;

    c->out_len = 0;
    return take(c, s->r, c->pub.len);
}

static int finish_division(cs_case *c)
{
    struct numbers *s = c->state;
    int status;

    c->out_len = 0;
    status = take(c, s->q, c->pub.len + 8);
    return status == CS_OK ? take(c, s->r, c->pub.len) : status;
}

/* ---- exponentiation ---- */

static int powm_call(cs_case *c)
{
    struct numbers *s = c->state;

    mpz_powm(s->r, s->a, s->e, s->m);
    return CS_OK;
}

/* GMP ends the process if the modulus is even or the exponent zero. */
static int powm_sec_setup(cs_case *c)
{
    int status = setup_one(c);
    struct numbers *s = c->state;

    if (status != CS_OK || (mpz_odd_p(s->m) && mpz_sgn(s->e) > 0))
        return status;
    teardown(c);
    return cs_fail("mpz_powm_sec needs an odd modulus and a positive exponent");
}

static int powm_sec_call(cs_case *c)
{
    struct numbers *s = c->state;

    mpz_powm_sec(s->r, s->a, s->e, s->m);
    return CS_OK;
}

static int powm_ui_setup(cs_case *c)
{
    int status = setup_one(c);
    struct numbers *s = c->state;

    if (status != CS_OK || mpz_fits_ulong_p(s->e))
        return status;
    teardown(c);
    return cs_fail("the exponent is longer than an unsigned long");
}

static int powm_ui_call(cs_case *c)
{
    struct numbers *s = c->state;

    mpz_powm_ui(s->r, s->a, mpz_get_ui(s->e), s->m);
    return CS_OK;
}

/* ---- the family ---- */

/* GMP has no modular addition; both numbers are reduced, so that one subtraction is enough. */
static int add_call(cs_case *c)
{
    struct numbers *s = c->state;

    mpz_add(s->r, s->a, s->b);
    if (mpz_cmp(s->r, s->m) >= 0)
        mpz_sub(s->r, s->r, s->m);
    return CS_OK;
}

static int mul_call(cs_case *c)
{
    struct numbers *s = c->state;

    mpz_mul(s->q, s->a, s->b);
    mpz_tdiv_r(s->r, s->q, s->m);
    return CS_OK;
}

static int sqr_call(cs_case *c)
{
    struct numbers *s = c->state;

    mpz_mul(s->q, s->a, s->a);
    mpz_tdiv_r(s->r, s->q, s->m);
    return CS_OK;
}

static int inv_call(cs_case *c)
{
    struct numbers *s = c->state;

    return mpz_invert(s->r, s->a, s->m) != 0 ? CS_OK : cs_fail("mpz_invert: there is no inverse");
}

static int div_call(cs_case *c)
{
    struct numbers *s = c->state;

    mpz_tdiv_qr(s->q, s->r, s->a, s->m);
    return CS_OK;
}

/* ---- rows ---- */

#define ROW(ID, PARAMS, IMPL, NAME, SETUP, CALL, FINISH)                                                               \
    {.id = ID,                                                                                                         \
     .impl = IMPL,                                                                                                     \
     .name = NAME,                                                                                                     \
     .setup = SETUP,                                                                                                   \
     .call = CALL,                                                                                                     \
     .teardown = teardown,                                                                                             \
     .finish = FINISH,                                                                                                 \
     .params = PARAMS}

static const cs_op rows[] = {
    ROW("modexp/private", "crt=no", "default", "mpz_powm", setup_one, powm_call, finish),
    ROW("modexp/private", "crt=no", "mpz_powm_sec", "mpz_powm_sec", powm_sec_setup, powm_sec_call, finish),
    ROW("modexp/public", NULL, "default", "mpz_powm", setup_one, powm_call, finish),
    ROW("modexp/public", NULL, "mpz_powm_sec", "mpz_powm_sec", powm_sec_setup, powm_sec_call, finish),
    ROW("modexp/public", NULL, "mpz_powm_ui", "mpz_powm_ui", powm_ui_setup, powm_ui_call, finish),
    ROW("bignum/mod-add", NULL, "default", "mpz_add, mpz_sub", setup_two, add_call, finish),
    ROW("bignum/mod-mul", NULL, "default", "mpz_mul, mpz_tdiv_r", setup_two, mul_call, finish),
    ROW("bignum/mod-sqr", NULL, "default", "mpz_mul, mpz_tdiv_r", setup_one, sqr_call, finish),
    ROW("bignum/mod-inv", NULL, "default", "mpz_invert", setup_one, inv_call, finish),
    ROW("bignum/div-mod", NULL, "default", "mpz_tdiv_qr", setup_one, div_call, finish_division),
};

static const cs_table own = CS_TABLE(rows);

static const cs_library library = {
    .abi = CS_ABI,
    .id = "gmp",
    .version = library_version,
    .version_from = "library",
    .cpu_path = NULL,
    .open = NULL,
    .tables = CS_TABLES(&own, &gmp_crt, &gmp_mpn, &gmp_mpn_crt, &gmp_mpn_division),
};

CS_WORKER_MAIN(library)
