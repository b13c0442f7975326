/* SPDX-License-Identifier: Apache-2.0
 *
 * GMP: the mpn functions, on arrays of limbs as long as the modulus, with scratch memory that is kept. Two lanes:
 * `mpn`, which branches on values, and `mpn_sec`, made of functions that the manual calls side-channel silent.
 *
 * Entry points: mpn_add_n, mpn_cmp, mpn_sub_n, mpn_mul_n, mpn_sqr, mpn_tdiv_qr; mpn_cnd_add_n, mpn_sec_powm,
 * mpn_sec_mul, mpn_sec_sqr, mpn_sec_div_r.
 */
#include <string.h>

#include "adapter.h"

struct limbs {
    mp_size_t n;
    mp_bitcnt_t bits; /* of the exponent, all of them used */
    mp_limb_t *a, *b, *e, *m, *r;
    mp_limb_t *product, *quotient, *scratch;
};

void mpn_teardown(cs_case *c)
{
    struct limbs *s = c->state;

    cs_free(s->a);
    cs_free(s->e);
    cs_free(s->scratch);
    cs_free(s);
    c->state = NULL;
}

void mpn_limbs_from(mp_limb_t *limbs, mp_size_t n, const uint8_t *bytes, size_t len)
{
    mpz_t number;

    mpz_init(number);
    number_from(number, bytes, len);
    for (mp_size_t i = 0; i < n; i++)
        limbs[i] = mpz_getlimbn(number, i);
    mpz_clear(number);
}

mp_size_t mpn_largest(mp_size_t a, mp_size_t b)
{
    return a > b ? a : b;
}

int mpn_fills_limbs(cs_span m)
{
    return m.len > 0 && m.len % sizeof(mp_limb_t) == 0 && m.data[0] != 0;
}

int mpn_takes_modulus(cs_span m)
{
    return mpn_fills_limbs(m) && (m.data[m.len - 1] & 1) != 0;
}

int mpn_take(cs_case *c, mp_limb_t *limbs, mp_size_t n, size_t len)
{
    mpz_t number;
    int status;

    mpz_init(number);
    mpz_import(number, (size_t)n, -1, sizeof(mp_limb_t), 0, 0, limbs);
    status = take(c, number, len);
    mpz_clear(number);
    memset(limbs, 0, (size_t)n * sizeof(mp_limb_t));
    return status;
}

/* What the functions of the lane ask for. */
static mp_size_t scratch_limbs(const struct limbs *s)
{
    mp_size_t n = s->n, most = mpn_largest(mpn_sec_mul_itch(n, n), mpn_sec_sqr_itch(n));

    most = mpn_largest(most, mpn_sec_div_r_itch(2 * n, n));
    return s->bits > 0 ? mpn_largest(most, mpn_sec_powm_itch(n, s->bits, n)) : most;
}

/* Numbers of pub.len bytes: `msg` has one or two. The modulus must fill its limbs, as tdiv_qr and sec_powm want it. */
static int setup(cs_case *c, size_t count)
{
    size_t len = c->pub.len, limb = sizeof(mp_limb_t);
    struct limbs *s;
    mp_size_t n = (mp_size_t)(len / limb);

    if (!mpn_takes_modulus(c->pub))
        return cs_fail("pub is not an odd number of whole limbs without leading zeros");
    if (c->msg.len != count * len)
        return cs_fail("msg is not as long as its numbers");
    s = cs_alloc(sizeof *s);
    if (s == NULL)
        return CS_ERROR;
    c->state = s;
    s->n = n;
    s->bits = 8 * c->key.len;
    s->a = cs_alloc((size_t)(7 * n + 1) * limb);
    s->e = cs_alloc(c->key.len + limb);
    s->scratch = cs_alloc((size_t)scratch_limbs(s) * limb);
    if (s->a == NULL || s->e == NULL || s->scratch == NULL) {
        mpn_teardown(c);
        return CS_ERROR;
    }
    s->b = s->a + n;
    s->m = s->b + n;
    s->r = s->m + n;
    s->product = s->r + n;
    s->quotient = s->product + 2 * n;
    mpn_limbs_from(s->a, n, c->msg.data, len);
    mpn_limbs_from(s->b, n, c->msg.data + (count - 1) * len, len);
    mpn_limbs_from(s->m, n, c->pub.data, len);
    mpn_limbs_from(s->e, (mp_size_t)((c->key.len + limb - 1) / limb), c->key.data, c->key.len);
    return CS_OK;
}

int mpn_setup_one(cs_case *c)
{
    return setup(c, 1);
}

int mpn_setup_two(cs_case *c)
{
    return setup(c, 2);
}

int mpn_setup_power(cs_case *c)
{
    return c->key.len > 0 ? setup(c, 1) : cs_fail("mpn_sec_powm needs an exponent with bits");
}

int mpn_finish(cs_case *c)
{
    struct limbs *s = c->state;

    c->out_len = 0;
    return mpn_take(c, s->r, s->n, c->pub.len);
}

int mpn_sec_powm_call(cs_case *c)
{
    struct limbs *s = c->state;

    mpn_sec_powm(s->r, s->a, s->n, s->e, s->bits, s->m, s->n, s->scratch);
    return CS_OK;
}

int mpn_add_call(cs_case *c)
{
    struct limbs *s = c->state;

    if (mpn_add_n(s->r, s->a, s->b, s->n) != 0 || mpn_cmp(s->r, s->m, s->n) >= 0)
        mpn_sub_n(s->r, s->r, s->m, s->n);
    return CS_OK;
}

/* Subtracts always, and adds back if that was too much: whether it was is a borrow that the sum's carry does not pay.
 */
int mpn_sec_add_call(cs_case *c)
{
    struct limbs *s = c->state;
    mp_limb_t carry = mpn_add_n(s->r, s->a, s->b, s->n), borrow = mpn_sub_n(s->r, s->r, s->m, s->n);

    mpn_cnd_add_n(borrow - carry, s->r, s->r, s->m, s->n);
    return CS_OK;
}

int mpn_mul_call(cs_case *c)
{
    struct limbs *s = c->state;

    mpn_mul_n(s->product, s->a, s->b, s->n);
    mpn_tdiv_qr(s->quotient, s->r, 0, s->product, 2 * s->n, s->m, s->n);
    return CS_OK;
}

int mpn_sqr_call(cs_case *c)
{
    struct limbs *s = c->state;

    mpn_sqr(s->product, s->a, s->n);
    mpn_tdiv_qr(s->quotient, s->r, 0, s->product, 2 * s->n, s->m, s->n);
    return CS_OK;
}

/* The remainder is left in the lower half of the product. */
int mpn_sec_mul_call(cs_case *c)
{
    struct limbs *s = c->state;

    mpn_sec_mul(s->product, s->a, s->n, s->b, s->n, s->scratch);
    mpn_sec_div_r(s->product, 2 * s->n, s->m, s->n, s->scratch);
    mpn_copyi(s->r, s->product, s->n);
    return CS_OK;
}

int mpn_sec_sqr_call(cs_case *c)
{
    struct limbs *s = c->state;

    mpn_sec_sqr(s->product, s->a, s->n, s->scratch);
    mpn_sec_div_r(s->product, 2 * s->n, s->m, s->n, s->scratch);
    mpn_copyi(s->r, s->product, s->n);
    return CS_OK;
}

#define MPN_ROW(ID, PARAMS, IMPL, NAME, SETUP, CALL)                                                                   \
    {.id = ID,                                                                                                         \
     .impl = IMPL,                                                                                                     \
     .name = NAME,                                                                                                     \
     .setup = SETUP,                                                                                                   \
     .call = CALL,                                                                                                     \
     .teardown = mpn_teardown,                                                                                         \
     .finish = mpn_finish,                                                                                             \
     .params = PARAMS}

static const cs_op rows[] = {
    MPN_ROW("modexp/private", "crt=no", "mpn_sec", "mpn_sec_powm", mpn_setup_power, mpn_sec_powm_call),
    MPN_ROW("bignum/mod-add", NULL, "mpn", "mpn_add_n, mpn_cmp, mpn_sub_n", mpn_setup_two, mpn_add_call),
    MPN_ROW("bignum/mod-add", NULL, "mpn_sec", "mpn_add_n, mpn_sub_n, mpn_cnd_add_n", mpn_setup_two, mpn_sec_add_call),
    MPN_ROW("bignum/mod-mul", NULL, "mpn", "mpn_mul_n, mpn_tdiv_qr", mpn_setup_two, mpn_mul_call),
    MPN_ROW("bignum/mod-mul", NULL, "mpn_sec", "mpn_sec_mul, mpn_sec_div_r", mpn_setup_two, mpn_sec_mul_call),
    MPN_ROW("bignum/mod-sqr", NULL, "mpn", "mpn_sqr, mpn_tdiv_qr", mpn_setup_one, mpn_sqr_call),
    MPN_ROW("bignum/mod-sqr", NULL, "mpn_sec", "mpn_sec_sqr, mpn_sec_div_r", mpn_setup_one, mpn_sec_sqr_call),
};

const cs_table gmp_mpn = CS_TABLE(rows);
