/* SPDX-License-Identifier: Apache-2.0
 *
 * LibTomMath: modular arithmetic on mp_int.
 *
 * Entry points: mp_exptmod, mp_add, mp_cmp, mp_sub, mp_addmod, mp_mulmod, mp_sqrmod, mp_mul, mp_sqr, mp_reduce,
 * mp_montgomery_reduce, mp_invmod, mp_sqrtmod_prime, mp_div.
 */
#include "adapter.h"

/* The library does not say which version it is. */
static const char *library_version(void)
{
    return CS_PACKAGE_VERSION;
}

int take(cs_case *c, mp_int *number, size_t len)
{
    size_t bytes = mp_ubin_size(number);
    uint8_t *room;
    mp_err error;

    if (mp_isneg(number))
        return cs_fail("the result is negative");
    room = cs_number_room(c, bytes, len);
    if (room == NULL)
        return CS_ERROR;
    error = mp_to_ubin(number, room, bytes, NULL);
    mp_zero(number);
    return from_mp(error);
}

/* ---- one modulus ---- */

/* `msg` is `a`, or `a` and `b`. Results lie in `r`, quotients in `q`. */
struct numbers {
    mp_int a, b, e, m, r, q;
    mp_int mu;    /* Barrett's constant of the modulus */
    mp_digit rho; /* Montgomery's */
};

static void teardown(cs_case *c)
{
    struct numbers *s = c->state;

    mp_clear_multi(&s->a, &s->b, &s->e, &s->m, &s->r, &s->q, &s->mu, NULL);
    cs_free(s);
    c->state = NULL;
}

static int give_up(cs_case *c, const char *why)
{
    teardown(c);
    return cs_fail(why);
}

/* For operations of one number: an empty span is zero. */
static const cs_span no_number = {.data = (const uint8_t *)"", .len = 0};

static int setup(cs_case *c, cs_span a, cs_span b)
{
    struct numbers *s = cs_alloc(sizeof *s);
    mp_err error;

    if (s == NULL)
        return CS_ERROR;
    error = mp_init_multi(&s->a, &s->b, &s->e, &s->m, &s->r, &s->q, &s->mu, NULL);
    if (error != MP_OKAY) {
        cs_free(s);
        return from_mp(error);
    }
    c->state = s;
    error = mp_from_ubin(&s->a, a.data, a.len);
    if (error == MP_OKAY)
        error = mp_from_ubin(&s->b, b.data, b.len);
    if (error == MP_OKAY)
        error = mp_from_ubin(&s->m, c->pub.data, c->pub.len);
    if (error == MP_OKAY && c->key.data != NULL)
        error = mp_from_ubin(&s->e, c->key.data, c->key.len);
    if (error != MP_OKAY)
        return give_up(c, mp_error_to_string(error));
    return mp_iszero(&s->m) ? give_up(c, "pub is zero") : CS_OK;
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

/* Adds Barrett's constant to a setup of either kind. */
static int setup_barrett(cs_case *c)
{
    int status = c->msg.len == c->pub.len ? setup_one(c) : setup_two(c);
    struct numbers *s = c->state;
    mp_err error;

    if (status != CS_OK)
        return status;
    error = mp_reduce_setup(&s->mu, &s->m);
    return error == MP_OKAY ? CS_OK : give_up(c, mp_error_to_string(error));
}

/* Takes the first number into Montgomery form, so that one product with its reduction is the plain one. */
static int setup_montgomery(cs_case *c)
{
    int status = setup_two(c);
    struct numbers *s = c->state;
    mp_err error;

    if (status != CS_OK)
        return status;
    error = mp_montgomery_setup(&s->m, &s->rho);
    if (error == MP_OKAY)
        error = mp_montgomery_calc_normalization(&s->q, &s->m);
    if (error == MP_OKAY)
        error = mp_mulmod(&s->a, &s->q, &s->m, &s->a);
    return error == MP_OKAY ? CS_OK : give_up(c, mp_error_to_string(error));
}

/* The square root never ends for some moduli that are not prime, 1 among them. */
static int setup_root(cs_case *c)
{
    int status = setup_one(c);
    struct numbers *s = c->state;

    if (status == CS_OK && (mp_iseven(&s->m) || mp_cmp_d(&s->m, 1) != MP_GT))
        return give_up(c, "mp_sqrtmod_prime needs an odd prime");
    return status;
}

static int finish(cs_case *c)
{
    struct numbers *s = c->state;

    c->out_len = 0;
    return take(c, &s->r, c->pub.len);
}

/* Both roots are right, and a library may give either; the operation's output is the even one. */
static int finish_even_root(cs_case *c)
{
    struct numbers *s = c->state;
    mp_err error = mp_isodd(&s->r) ? mp_sub(&s->m, &s->r, &s->r) : MP_OKAY;

    return error == MP_OKAY ? finish(c) : from_mp(error);
}

static int finish_division(cs_case *c)
{
    struct numbers *s = c->state;
    int status;

    c->out_len = 0;
    status = take(c, &s->q, c->pub.len + 8);
    return status == CS_OK ? take(c, &s->r, c->pub.len) : status;
}

/* ---- calls ---- */

static int exptmod_call(cs_case *c)
{
    struct numbers *s = c->state;

    return from_mp(mp_exptmod(&s->a, &s->e, &s->m, &s->r));
}

static int montgomery_call(cs_case *c)
{
    struct numbers *s = c->state;
    mp_err error = mp_mul(&s->a, &s->b, &s->r);

    return from_mp(error == MP_OKAY ? mp_montgomery_reduce(&s->r, &s->m, s->rho) : error);
}

/* Both numbers are reduced, so that one subtraction is enough. */
static int add_call(cs_case *c)
{
    struct numbers *s = c->state;
    mp_err error = mp_add(&s->a, &s->b, &s->r);

    if (error == MP_OKAY && mp_cmp(&s->r, &s->m) != MP_LT)
        error = mp_sub(&s->r, &s->m, &s->r);
    return from_mp(error);
}

static int addmod_call(cs_case *c)
{
    struct numbers *s = c->state;

    return from_mp(mp_addmod(&s->a, &s->b, &s->m, &s->r));
}

static int mulmod_call(cs_case *c)
{
    struct numbers *s = c->state;

    return from_mp(mp_mulmod(&s->a, &s->b, &s->m, &s->r));
}

static int mul_barrett_call(cs_case *c)
{
    struct numbers *s = c->state;
    mp_err error = mp_mul(&s->a, &s->b, &s->r);

    return from_mp(error == MP_OKAY ? mp_reduce(&s->r, &s->m, &s->mu) : error);
}

static int sqrmod_call(cs_case *c)
{
    struct numbers *s = c->state;

    return from_mp(mp_sqrmod(&s->a, &s->m, &s->r));
}

static int sqr_barrett_call(cs_case *c)
{
    struct numbers *s = c->state;
    mp_err error = mp_sqr(&s->a, &s->r);

    return from_mp(error == MP_OKAY ? mp_reduce(&s->r, &s->m, &s->mu) : error);
}

static int invmod_call(cs_case *c)
{
    struct numbers *s = c->state;

    return from_mp(mp_invmod(&s->a, &s->m, &s->r));
}

static int sqrtmod_call(cs_case *c)
{
    struct numbers *s = c->state;

    return from_mp(mp_sqrtmod_prime(&s->a, &s->m, &s->r));
}

static int div_call(cs_case *c)
{
    struct numbers *s = c->state;

    return from_mp(mp_div(&s->a, &s->m, &s->q, &s->r));
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
    ROW("modexp/private", "crt=no", "default", "mp_exptmod", setup_one, exptmod_call, finish),
    ROW("modexp/public", NULL, "default", "mp_exptmod", setup_one, exptmod_call, finish),
    ROW("bignum/montmul", NULL, "default", "mp_mul, mp_montgomery_reduce", setup_montgomery, montgomery_call, finish),
    ROW("bignum/mod-add", NULL, "default", "mp_add, mp_cmp, mp_sub", setup_two, add_call, finish),
    ROW("bignum/mod-add", NULL, "mp_addmod", "mp_addmod", setup_two, addmod_call, finish),
    ROW("bignum/mod-mul", NULL, "mp_mulmod", "mp_mulmod", setup_two, mulmod_call, finish),
    ROW("bignum/mod-mul", NULL, "default", "mp_mul, mp_reduce", setup_barrett, mul_barrett_call, finish),
    ROW("bignum/mod-sqr", NULL, "mp_sqrmod", "mp_sqrmod", setup_one, sqrmod_call, finish),
    ROW("bignum/mod-sqr", NULL, "default", "mp_sqr, mp_reduce", setup_barrett, sqr_barrett_call, finish),
    ROW("bignum/mod-inv", NULL, "default", "mp_invmod", setup_one, invmod_call, finish),
    ROW("bignum/mod-sqrt", NULL, "default", "mp_sqrtmod_prime", setup_root, sqrtmod_call, finish_even_root),
    ROW("bignum/div-mod", NULL, "default", "mp_div", setup_one, div_call, finish_division),
};

static const cs_table own = CS_TABLE(rows);

static const cs_library library = {
    .abi = CS_ABI,
    .id = "libtommath",
    .version = library_version,
    .version_from = "package",
    .cpu_path = NULL,
    .open = NULL,
    .tables = CS_TABLES(&own, &libtommath_crt),
};

CS_WORKER_MAIN(library)
