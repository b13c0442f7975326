/* SPDX-License-Identifier: Apache-2.0
 *
 * wolfSSL: modular arithmetic on mp_int, which builds with WOLFSSL_PUBLIC_MP make public.
 *
 * Entry points: mp_exptmod, mp_exptmod_nct, mp_addmod, mp_addmod_ct, mp_add, mp_cmp, mp_sub, mp_mulmod, mp_sqrmod,
 * mp_mul, mp_montgomery_reduce, mp_invmod, mp_div; adapter_bignum_crt.c has those with two primes.
 */
#include "adapter.h"

#include <wolfssl/wolfcrypt/integer.h>

/* `msg` is `a`, or `a` and `b`. Results lie in `r`, quotients in `q`. */
struct numbers {
    mp_int a, b, e, m, r, q;
    mp_digit rho; /* Montgomery's constant of the modulus */
};

static void numbers_teardown(cs_case *c)
{
    struct numbers *s = c->state;

    mp_clear(&s->a);
    mp_clear(&s->b);
    mp_clear(&s->e);
    mp_clear(&s->m);
    mp_clear(&s->r);
    mp_clear(&s->q);
    cs_teardown_state(c);
}

/* For operations of one number: an empty span is zero. */
static const cs_span no_number = {.data = (const uint8_t *)"", .len = 0};

static int read_number(mp_int *number, cs_span bytes)
{
    return mp_read_unsigned_bin(number, bytes.data, (word32)bytes.len);
}

static int setup(cs_case *c, cs_span a, cs_span b)
{
    struct numbers *s = cs_new_state(c, sizeof *s);
    int error;

    if (s == NULL)
        return CS_ERROR;
    error = mp_init_multi(&s->a, &s->b, &s->e, &s->m, &s->r, &s->q);
    if (error != 0) {
        cs_teardown_state(c);
        return from_wc(error);
    }
    error = read_number(&s->a, a);
    if (error == 0)
        error = read_number(&s->b, b);
    if (error == 0)
        error = read_number(&s->m, c->pub);
    if (error == 0 && c->key.data != NULL)
        error = read_number(&s->e, c->key);
    if (error != 0)
        numbers_teardown(c);
    return from_wc(error);
}

static int one_setup(cs_case *c)
{
    return setup(c, c->msg, no_number);
}

static int two_setup(cs_case *c)
{
    cs_span a, b;

    return cs_split_operands(c, &a, &b) == CS_OK ? setup(c, a, b) : CS_ERROR;
}

/* Takes the first number into Montgomery form, so that one product with its reduction is the plain one. */
static int montgomery_setup(cs_case *c)
{
    int status = two_setup(c);
    struct numbers *s = c->state;
    int error;

    if (status != CS_OK)
        return status;
    error = mp_montgomery_setup(&s->m, &s->rho);
    if (error == 0)
        error = mp_montgomery_calc_normalization(&s->q, &s->m);
    if (error == 0)
        error = mp_mulmod(&s->a, &s->q, &s->m, &s->a);
    if (error != 0)
        numbers_teardown(c);
    return from_wc(error);
}

/* Writes `number` as `len` bytes after what is at `out`, and sets it to zero: a call that does nothing shows. */
static int take(cs_case *c, mp_int *number, size_t len)
{
    uint8_t *room;
    int error;

    if (mp_isneg(number))
        return cs_fail("the result is negative");
    room = cs_number_room(c, (size_t)mp_unsigned_bin_size(number), len);
    if (room == NULL)
        return CS_ERROR;
    error = mp_to_unsigned_bin(number, room);
    mp_zero(number);
    return from_wc(error);
}

static int numbers_finish(cs_case *c)
{
    struct numbers *s = c->state;

    c->out_len = 0;
    return take(c, &s->r, c->pub.len);
}

static int division_finish(cs_case *c)
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

    return from_wc(mp_exptmod(&s->a, &s->e, &s->m, &s->r));
}

static int exptmod_nct_call(cs_case *c)
{
    struct numbers *s = c->state;

    return from_wc(mp_exptmod_nct(&s->a, &s->e, &s->m, &s->r));
}

static int montgomery_call(cs_case *c)
{
    struct numbers *s = c->state;
    int error = mp_mul(&s->a, &s->b, &s->r);

    return from_wc(error == 0 ? mp_montgomery_reduce(&s->r, &s->m, s->rho) : error);
}

static int addmod_call(cs_case *c)
{
    struct numbers *s = c->state;

    return from_wc(mp_addmod(&s->a, &s->b, &s->m, &s->r));
}

static int addmod_ct_call(cs_case *c)
{
    struct numbers *s = c->state;

    return from_wc(mp_addmod_ct(&s->a, &s->b, &s->m, &s->r));
}

/* Both numbers are reduced, so that one subtraction is enough. */
static int add_sub_call(cs_case *c)
{
    struct numbers *s = c->state;
    int error = mp_add(&s->a, &s->b, &s->r);

    if (error == 0 && mp_cmp(&s->r, &s->m) != MP_LT)
        error = mp_sub(&s->r, &s->m, &s->r);
    return from_wc(error);
}

static int mulmod_call(cs_case *c)
{
    struct numbers *s = c->state;

    return from_wc(mp_mulmod(&s->a, &s->b, &s->m, &s->r));
}

static int sqrmod_call(cs_case *c)
{
    struct numbers *s = c->state;

    return from_wc(mp_sqrmod(&s->a, &s->m, &s->r));
}

static int invmod_call(cs_case *c)
{
    struct numbers *s = c->state;

    return from_wc(mp_invmod(&s->a, &s->m, &s->r));
}

static int div_call(cs_case *c)
{
    struct numbers *s = c->state;

    return from_wc(mp_div(&s->a, &s->m, &s->q, &s->r));
}

/* A modulus has at most SP_INT_BITS bits. */
#if SP_INT_BITS >= 8192
#define MODULI "bits=512|1024|2048|3072|4096|8192"
#else
#define MODULI "bits=512|1024|2048|3072|4096"
#endif

/* clang-format off */
#define ROW(ID, PARAMS, IMPL, NAME, SETUP, CALL)                                                                       \
    {.id = ID, .impl = IMPL, .name = NAME, .setup = SETUP, .call = CALL, .teardown = numbers_teardown, .finish = numbers_finish, .params = PARAMS}

static const cs_op rows[] = {
    ROW("modexp/private", "crt=no," MODULI, "default", "mp_exptmod", one_setup, exptmod_call),
    ROW("modexp/private", "crt=no," MODULI, "mp_exptmod_nct", "mp_exptmod_nct", one_setup, exptmod_nct_call),
    ROW("modexp/public", MODULI, "default", "mp_exptmod", one_setup, exptmod_call),
    ROW("modexp/public", MODULI, "mp_exptmod_nct", "mp_exptmod_nct", one_setup, exptmod_nct_call),
    ROW("bignum/montmul", NULL, "default", "mp_mul, mp_montgomery_reduce", montgomery_setup, montgomery_call),
    ROW("bignum/mod-add", NULL, "default", "mp_addmod", two_setup, addmod_call),
    ROW("bignum/mod-add", NULL, "mp_addmod_ct", "mp_addmod_ct", two_setup, addmod_ct_call),
    ROW("bignum/mod-add", NULL, "add_sub", "mp_add, mp_cmp, mp_sub", two_setup, add_sub_call),
    ROW("bignum/mod-mul", NULL, "default", "mp_mulmod", two_setup, mulmod_call),
    ROW("bignum/mod-sqr", NULL, "default", "mp_sqrmod", one_setup, sqrmod_call),
    ROW("bignum/mod-inv", NULL, "default", "mp_invmod", one_setup, invmod_call),
    {.id = "bignum/div-mod", .impl = "default", .name = "mp_div", .setup = one_setup, .call = div_call, .teardown = numbers_teardown, .finish = division_finish},
};
/* clang-format on */

const cs_table wolfssl_bignum = CS_TABLE(rows);
