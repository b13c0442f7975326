/* SPDX-License-Identifier: Apache-2.0
 *
 * GMP: inverse and division on arrays of limbs: `mpn`, which branches on values, and `mpn_sec`, made of functions that
 * the manual calls side-channel silent. They write over what they are given, so each call copies that first.
 *
 * Entry points: mpn_gcdext, mpn_sub_n; mpn_sec_invert; mpn_tdiv_qr; mpn_sec_div_qr.
 */
#include <string.h>

#include "adapter.h"

struct quotient {
    mp_size_t n, given;   /* limbs of `pub`, and of `msg` */
    mp_limb_t *m, *a;     /* a: `given` limbs */
    mp_limb_t *work[2];   /* copies: of `given` limbs and one more */
    mp_limb_t *g, *q, *r; /* n + 1 limbs each */
    mp_limb_t *scratch;
};

void mpn_quotient_teardown(cs_case *c)
{
    struct quotient *s = c->state;

    cs_free(s->m);
    cs_free(s->scratch);
    cs_free(s);
    c->state = NULL;
}

/* `times`: how often as long as `pub` the number in `msg` is. */
static int setup(cs_case *c, mp_size_t times, mp_size_t scratch)
{
    const size_t limb = sizeof(mp_limb_t);
    struct quotient *s;
    mp_size_t n = (mp_size_t)(c->pub.len / limb);

    if (cs_expect_length("msg", c->msg, (size_t)times * c->pub.len) != CS_OK)
        return CS_ERROR;
    s = cs_alloc(sizeof *s);
    if (s == NULL)
        return CS_ERROR;
    c->state = s;
    s->n = n;
    s->given = times * n;
    s->m = cs_alloc((size_t)(4 * n + 3 * s->given + 5) * limb);
    s->scratch = cs_alloc((size_t)scratch * limb);
    if (s->m == NULL || s->scratch == NULL) {
        mpn_quotient_teardown(c);
        return CS_ERROR;
    }
    s->a = s->m + n;
    s->work[0] = s->a + s->given;
    s->work[1] = s->work[0] + s->given + 1;
    s->g = s->work[1] + s->given + 1;
    s->q = s->g + n + 1;
    s->r = s->q + n + 1;
    mpn_limbs_from(s->m, n, c->pub.data, c->pub.len);
    mpn_limbs_from(s->a, s->given, c->msg.data, c->msg.len);
    return CS_OK;
}

/* ---- the inverse ---- */

static mp_bitcnt_t inverse_bits(mp_size_t n)
{
    return 2 * (mp_bitcnt_t)n * GMP_NUMB_BITS; /* of both numbers together */
}

int mpn_inverse_setup(cs_case *c)
{
    if (!mpn_takes_modulus(c->pub))
        return cs_fail("pub is not an odd number of whole limbs without leading zeros");
    return setup(c, 1, mpn_sec_invert_itch((mp_size_t)(c->pub.len / sizeof(mp_limb_t))));
}

/* A cofactor of `a` is an inverse if the divisor is 1, and may be below zero. */
int mpn_inverse_call(cs_case *c)
{
    struct quotient *s = c->state;
    mp_size_t n = s->n, len = 0, size;

    mpn_copyi(s->work[0], s->a, n);
    mpn_copyi(s->work[1], s->m, n);
    size = mpn_gcdext(s->g, s->q, &len, s->work[0], n, s->work[1], n);
    if (size != 1 || s->g[0] != 1)
        return cs_fail("mpn_gcdext: there is no inverse");
    size = len < 0 ? -len : len;
    mpn_zero(s->q + size, n - size);
    if (len < 0)
        mpn_sub_n(s->r, s->m, s->q, n);
    else
        mpn_copyi(s->r, s->q, n);
    return CS_OK;
}

/* Whether there is an inverse is in the status, and no branch depends on it. */
int mpn_sec_inverse_call(cs_case *c)
{
    struct quotient *s = c->state;

    mpn_copyi(s->work[0], s->a, s->n);
    return CS_ERROR * (1 - mpn_sec_invert(s->r, s->work[0], s->m, s->n, inverse_bits(s->n), s->scratch));
}

int mpn_inverse_finish(cs_case *c)
{
    struct quotient *s = c->state;

    c->out_len = 0;
    return mpn_take(c, s->r, s->n, c->pub.len);
}

/* ---- quotient and remainder ---- */

int mpn_division_setup(cs_case *c)
{
    mp_size_t n = (mp_size_t)(c->pub.len / sizeof(mp_limb_t));

    if (!mpn_fills_limbs(c->pub))
        return cs_fail("pub is not a number of whole limbs without leading zeros");
    return setup(c, 2, mpn_sec_div_qr_itch(2 * n, n));
}

/* Reads the dividend where it lies. */
int mpn_division_call(cs_case *c)
{
    struct quotient *s = c->state;

    mpn_tdiv_qr(s->q, s->r, 0, s->a, s->given, s->m, s->n);
    return CS_OK;
}

/* The remainder is left in the lower limbs of the dividend. */
int mpn_sec_division_call(cs_case *c)
{
    struct quotient *s = c->state;

    mpn_copyi(s->work[0], s->a, s->given);
    s->q[s->n] = mpn_sec_div_qr(s->q, s->work[0], s->given, s->m, s->n, s->scratch);
    mpn_copyi(s->r, s->work[0], s->n);
    return CS_OK;
}

int mpn_division_finish(cs_case *c)
{
    struct quotient *s = c->state;
    int status;

    c->out_len = 0;
    status = mpn_take(c, s->q, s->n + 1, c->pub.len + 8);
    return status == CS_OK ? mpn_take(c, s->r, s->n, c->pub.len) : status;
}

#define QUOTIENT_ROW(ID, IMPL, NAME, KIND, CALL)                                                                       \
    {.id = ID,                                                                                                         \
     .impl = IMPL,                                                                                                     \
     .name = NAME,                                                                                                     \
     .setup = mpn_##KIND##_setup,                                                                                      \
     .call = CALL,                                                                                                     \
     .teardown = mpn_quotient_teardown,                                                                                \
     .finish = mpn_##KIND##_finish}

static const cs_op rows[] = {
    QUOTIENT_ROW("bignum/mod-inv", "mpn", "mpn_gcdext", inverse, mpn_inverse_call),
    QUOTIENT_ROW("bignum/mod-inv", "mpn_sec", "mpn_sec_invert", inverse, mpn_sec_inverse_call),
    QUOTIENT_ROW("bignum/div-mod", "mpn", "mpn_tdiv_qr", division, mpn_division_call),
    QUOTIENT_ROW("bignum/div-mod", "mpn_sec", "mpn_sec_div_qr", division, mpn_sec_division_call),
};

const cs_table gmp_mpn_division = CS_TABLE(rows);
