/* SPDX-License-Identifier: Apache-2.0
 *
 * LibTomMath: modular arithmetic on mp_int. The table of operations is at the end.
 *
 * Entry points: mp_exptmod, mp_add, mp_cmp, mp_sub, mp_addmod, mp_mulmod, mp_sqrmod, mp_mul, mp_sqr, mp_reduce,
 * mp_montgomery_reduce, mp_invmod, mp_sqrtmod_prime, mp_div.
 */
#include <string.h>

#include "adapter.h"

/* The library does not say which version it is. */
static const char *library_version(void)
{
    return CS_PACKAGE_VERSION;
}

int take(cs_case *c, mp_int *number, size_t len)
{
    size_t bytes = mp_ubin_size(number);
    mp_err error;

    if (mp_isneg(number) || bytes > len)
        return cs_fail("the result is not below the modulus");
    memset(c->out + c->out_len, 0, len - bytes);
    error = mp_to_ubin(number, c->out + c->out_len + len - bytes, bytes, NULL);
    mp_zero(number);
    c->out_len += len;
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

/* `a_len`: bytes of `msg` that are the first number. */
static int setup(cs_case *c, size_t a_len)
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
    error = mp_from_ubin(&s->a, c->msg.data, a_len);
    if (error == MP_OKAY)
        error = mp_from_ubin(&s->b, c->msg.data + a_len, c->msg.len - a_len);
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
    return setup(c, c->msg.len);
}

static int setup_two(cs_case *c)
{
    return c->msg.len == 2 * c->pub.len ? setup(c, c->pub.len) : cs_fail("msg is not twice as long as pub");
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

/* ---- table ---- */

#define ROW(BITS, VERB, IMPL, NAME, SETUP, CALL, FINISH)                                                               \
    {"bignum-" #BITS "/" VERB, IMPL, NAME, SETUP, CALL, teardown, NULL, NULL, NULL, 0, FINISH, NULL}
#define EXP(BITS)                                                                                                      \
    ROW(BITS, "modexp-private", "default", "mp_exptmod", setup_one, exptmod_call, finish),                             \
        ROW(BITS, "modexp-public", "default", "mp_exptmod", setup_one, exptmod_call, finish)
#define MONTMUL(BITS)                                                                                                  \
    ROW(BITS, "montmul", "default", "mp_mul, mp_montgomery_reduce", setup_montgomery, montgomery_call, finish)
#define FAMILY(BITS)                                                                                                   \
    ROW(BITS, "mod-add", "default", "mp_add, mp_cmp, mp_sub", setup_two, add_call, finish),                            \
        ROW(BITS, "mod-add", "mp_addmod", "mp_addmod", setup_two, addmod_call, finish),                                \
        ROW(BITS, "mod-mul", "default", "mp_mulmod", setup_two, mulmod_call, finish),                                  \
        ROW(BITS, "mod-mul", "mp_reduce", "mp_mul, mp_reduce", setup_barrett, mul_barrett_call, finish),               \
        ROW(BITS, "mod-sqr", "default", "mp_sqrmod", setup_one, sqrmod_call, finish),                                  \
        ROW(BITS, "mod-sqr", "mp_reduce", "mp_sqr, mp_reduce", setup_barrett, sqr_barrett_call, finish),               \
        ROW(BITS, "mod-inv", "default", "mp_invmod", setup_one, invmod_call, finish),                                  \
        ROW(BITS, "mod-sqrt", "default", "mp_sqrtmod_prime", setup_root, sqrtmod_call, finish_even_root),              \
        ROW(BITS, "div-mod", "default", "mp_div", setup_one, div_call, finish_division)
#define CRT(BITS)                                                                                                      \
    {"bignum-" #BITS "-crt/modexp-private",                                                                            \
     "default",                                                                                                        \
     "mp_exptmod, twice",                                                                                              \
     crt_setup,                                                                                                        \
     crt_call,                                                                                                         \
     crt_teardown,                                                                                                     \
     NULL,                                                                                                             \
     NULL,                                                                                                             \
     NULL,                                                                                                             \
     0,                                                                                                                \
     crt_finish,                                                                                                       \
     NULL}

/* clang-format off */
static const cs_op ops[] = {
    EXP(512), EXP(1024), EXP(2048), EXP(3072), EXP(4096), EXP(8192),
    CRT(1024), CRT(2048), CRT(3072), CRT(4096), CRT(8192),
    MONTMUL(512), MONTMUL(1024), MONTMUL(2048), MONTMUL(4096),
    FAMILY(2048), FAMILY(4096),
};
/* clang-format on */

static const cs_library library = {
    .id = "libtommath",
    .version = library_version,
    .version_from = "package",
    .cpu_path = NULL,
    .open = NULL,
    .ops = ops,
    .n_ops = CS_COUNT(ops),
};

CS_WORKER_MAIN(library)
