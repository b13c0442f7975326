/* SPDX-License-Identifier: Apache-2.0
 *
 * Intel IPP Cryptography: arithmetic modulo one number.
 *
 * Entry points: ippsMontForm, ippsMontMul, ippsMul_BN, ippsMod_BN, ippsAdd_BN, ippsCmp_BN, ippsSub_BN, ippsModInv_BN,
 * ippsDiv_BN.
 */
#include "adapter.h"

/* `msg` is `a`, or `a` and `b`. Results lie in `r`, quotients in `q`; `wide` has room for a product. */
struct numbers {
    struct contexts all;
    IppsBigNumState *a, *b, *m, *r, *q, *wide;
    IppsMontState *mont;
};

enum { MORE = 8 }; /* bytes that a sum or a quotient has beyond the modulus */

/* For operations of one number. */
static const cs_span no_number = {.data = (const uint8_t *)"", .len = 0};

/* The constants of Montgomery's reduction, which this library has for odd moduli alone. */
static int make_mont(struct numbers *s)
{
    Ipp32u *words;
    IppsBigNumSGN sign;
    IppStatus status;
    int bits, size, len;

    status = ippsRef_BN(&sign, &bits, &words, s->m);
    len = (bits + 31) / 32;
    if (status >= ippStsNoErr)
        status = ippsMontGetSize(ippBinaryMethod, len, &size);
    if (status >= ippStsNoErr && (s->mont = new_context(&s->all, size)) == NULL)
        return CS_ERROR;
    if (status >= ippStsNoErr)
        status = ippsMontInit(ippBinaryMethod, len, s->mont);
    if (status >= ippStsNoErr)
        status = ippsMontSet(words, len, s->mont);
    return from_ipp("ippsMontSet", status);
}

static int setup(cs_case *c, cs_span a, cs_span b)
{
    struct numbers *s = cs_new_state(c, sizeof *s);

    if (s == NULL)
        return CS_ERROR;
    s->a = number_of(&s->all, a);
    s->b = number_of(&s->all, b);
    s->m = number_of(&s->all, c->pub);
    s->r = new_number(&s->all, c->pub.len + MORE);
    s->q = new_number(&s->all, c->pub.len + MORE);
    s->wide = new_number(&s->all, 2 * c->pub.len);
    if (s->a == NULL || s->b == NULL || s->m == NULL || s->r == NULL || s->q == NULL || s->wide == NULL)
        return give_up(c, CS_ERROR);
    return CS_OK;
}

static int setup_one(cs_case *c)
{
    return setup(c, c->msg, no_number);
}

static int setup_division(cs_case *c)
{
    return setup(c, c->msg, no_number);
}

static int setup_two(cs_case *c)
{
    cs_span a, b;

    return cs_split_operands(c, &a, &b) == CS_OK ? setup(c, a, b) : CS_ERROR;
}

/* For one number or two: with the constants of the modulus. */
static int setup_product(cs_case *c)
{
    const int status = c->msg.len == c->pub.len ? setup_one(c) : setup_two(c);

    if (status != CS_OK)
        return status;
    return make_mont(c->state) == CS_OK ? CS_OK : give_up(c, CS_ERROR);
}

/* The first number in Montgomery form, so that one product is the plain one. */
static int setup_montgomery(cs_case *c)
{
    const int status = setup_product(c);
    struct numbers *s = c->state;

    if (status != CS_OK)
        return status;
    return from_ipp("ippsMontForm", ippsMontForm(s->a, s->mont, s->q)) == CS_OK ? CS_OK : give_up(c, CS_ERROR);
}

/* ---- calls ---- */

static int call_montgomery(cs_case *c)
{
    struct numbers *s = c->state;

    return from_ipp("ippsMontMul", ippsMontMul(s->q, s->b, s->mont, s->r));
}

static int call_mod_mul(cs_case *c)
{
    struct numbers *s = c->state;
    IppStatus status = ippsMontForm(s->a, s->mont, s->q);

    return from_ipp("ippsMontMul", status >= ippStsNoErr ? ippsMontMul(s->q, s->b, s->mont, s->r) : status);
}

static int call_mod_sqr(cs_case *c)
{
    struct numbers *s = c->state;
    IppStatus status = ippsMontForm(s->a, s->mont, s->q);

    return from_ipp("ippsMontMul", status >= ippStsNoErr ? ippsMontMul(s->q, s->a, s->mont, s->r) : status);
}

static int call_mul_mod(cs_case *c)
{
    struct numbers *s = c->state;
    IppStatus status = ippsMul_BN(s->a, s->b, s->wide);

    return from_ipp("ippsMod_BN", status >= ippStsNoErr ? ippsMod_BN(s->wide, s->m, s->r) : status);
}

static int call_sqr_mod(cs_case *c)
{
    struct numbers *s = c->state;
    IppStatus status = ippsMul_BN(s->a, s->a, s->wide);

    return from_ipp("ippsMod_BN", status >= ippStsNoErr ? ippsMod_BN(s->wide, s->m, s->r) : status);
}

/* Both numbers are reduced, so that one subtraction is enough. */
static int call_add(cs_case *c)
{
    struct numbers *s = c->state;
    Ipp32u order = IPP_IS_LT;
    IppStatus status = ippsAdd_BN(s->a, s->b, s->r);

    if (status >= ippStsNoErr)
        status = ippsCmp_BN(s->r, s->m, &order);
    if (status >= ippStsNoErr && order != IPP_IS_LT)
        status = ippsSub_BN(s->r, s->m, s->r);
    return from_ipp("ippsAdd_BN", status);
}

static int call_inverse(cs_case *c)
{
    struct numbers *s = c->state;

    return from_ipp("ippsModInv_BN", ippsModInv_BN(s->a, s->m, s->r));
}

static int call_division(cs_case *c)
{
    struct numbers *s = c->state;

    return from_ipp("ippsDiv_BN", ippsDiv_BN(s->a, s->m, s->q, s->r));
}

/* ---- results ---- */

static int finish_number(cs_case *c)
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
    status = take(c, s->q, c->pub.len + MORE);
    return status == CS_OK ? take(c, s->r, c->pub.len) : status;
}

/* ---- rows ---- */

/* clang-format off */
#define ROW(ID, IMPL, NAME, SETUP, CALL, FINISH)                                                                       \
    {.id = ID, .impl = IMPL, .name = NAME, .setup = SETUP, .call = CALL, .teardown = teardown, .finish = FINISH}

static const cs_op rows[] = {
    ROW("bignum/montmul", "default", "ippsMontMul", setup_montgomery, call_montgomery, finish_number),
    ROW("bignum/mod-add", "default", "ippsAdd_BN, ippsCmp_BN, ippsSub_BN", setup_two, call_add, finish_number),
    ROW("bignum/mod-mul", "default", "ippsMontForm, ippsMontMul", setup_product, call_mod_mul, finish_number),
    ROW("bignum/mod-mul", "ippsMod_BN", "ippsMul_BN, ippsMod_BN", setup_two, call_mul_mod, finish_number),
    ROW("bignum/mod-sqr", "default", "ippsMontForm, ippsMontMul", setup_product, call_mod_sqr, finish_number),
    ROW("bignum/mod-sqr", "ippsMod_BN", "ippsMul_BN, ippsMod_BN", setup_one, call_sqr_mod, finish_number),
    ROW("bignum/mod-inv", "default", "ippsModInv_BN", setup_one, call_inverse, finish_number),
    ROW("bignum/div-mod", "default", "ippsDiv_BN", setup_division, call_division, finish_division),
};
/* clang-format on */

const cs_table ipp_bignum = CS_TABLE(rows);
