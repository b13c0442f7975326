/* SPDX-License-Identifier: Apache-2.0
 *
 * modexp laboratory: the reductions as one table: what exponentiations call.
 */
#define basic_mul NAMED(basic_mul)
#define basic_sqr NAMED(basic_sqr)
#define barrett_mul NAMED(barrett_mul)
#define barrett_sqr NAMED(barrett_sqr)
#define reducers NAMED(reducers)
#define form_enter NAMED(form_enter)
#define form_leave NAMED(form_leave)
#define form_enter_long NAMED(form_enter_long)
#define product_scratch NAMED(product_scratch)

LAB_FUNCTION void basic_mul(limb_t *r, const limb_t *a, const limb_t *b, const modulus *key, limb_t *t)
{
    school_mul(t, a, b, key->n);
    knuth_reduce(r, t, key, t + 2 * key->n);
}

LAB_FUNCTION void basic_sqr(limb_t *r, const limb_t *a, const modulus *key, limb_t *t)
{
    school_sqr(t, a, key->n);
    knuth_reduce(r, t, key, t + 2 * key->n);
}

LAB_FUNCTION void barrett_mul(limb_t *r, const limb_t *a, const limb_t *b, const modulus *key, limb_t *t)
{
    comba_mul(t, a, b, key->n);
    barrett_reduce(r, t, key, t + 2 * key->n);
}

LAB_FUNCTION void barrett_sqr(limb_t *r, const limb_t *a, const modulus *key, limb_t *t)
{
    comba_sqr(t, a, key->n);
    barrett_reduce(r, t, key, t + 2 * key->n);
}

typedef struct reducer {
    void (*mul)(limb_t *r, const limb_t *a, const limb_t *b, const modulus *key, limb_t *t);
    void (*sqr)(limb_t *r, const limb_t *a, const modulus *key, limb_t *t);
} reducer;

static const reducer reducers[MODEXP_REDUCTIONS] = {
    [MODEXP_BASIC] = {basic_mul, basic_sqr}, [MODEXP_BARRETT] = {barrett_mul, barrett_sqr},
    [MODEXP_CIOS] = {cios_mul, cios_sqr},    [MODEXP_FIOS] = {fios_mul, fios_sqr},
    [MODEXP_MONT] = {mont_mul, mont_sqr},    [MODEXP_MONT_K] = {mont_k_mul, mont_k_sqr},
#if MODEXP_HAS_UMAAL && LIMB_BITS == 32
    [MODEXP_UMAAL] = {umaal_mul, umaal_sqr},
#endif
};

/* Limbs of scratch that a product of n limbs needs. */
static size_t product_scratch(modexp_reduction reduction, size_t n)
{
    switch (reduction) {
    case MODEXP_BASIC:
        return 2 * n + 2 * n + 1;
    case MODEXP_BARRETT:
        return 2 * n + 2 * (n + 1);
    case MODEXP_CIOS:
    case MODEXP_FIOS:
        return n;
    case MODEXP_MONT_K:
        return 2 * n + karatsuba_scratch(n);
    default:
        return 2 * n;
    }
}

/* r = x mod m for `x` of 2n limbs, where there is no form: Barrett, basic. */
LAB_INLINE void plain_reduce(modexp_reduction reduction, limb_t *r, const limb_t *x, const modulus *key, limb_t *room)
{
    if (reduction == MODEXP_BARRETT) {
        barrett_reduce(r, x, key, room);
    } else {
        knuth_reduce(r, x, key, room);
    }
}

/* Into the reduction's form: a R mod m, or a mod m, for any a of n limbs. */
LAB_FUNCTION void form_enter(modexp_reduction reduction, limb_t *r, const limb_t *a, const modulus *key, limb_t *t)
{
    size_t n = key->n;

    if (is_montgomery(reduction)) {
        COUNT(mul);
        reducers[reduction].mul(r, a, key->square, key, t);
    } else {
        COUNT(red);
        vec_copy(t, a, n);
        vec_zero(t + n, n);
        plain_reduce(reduction, r, t, key, t + 2 * n);
    }
}

/* The same for any `a` of 2n limbs, which is spoilt. */
LAB_FUNCTION void form_enter_long(modexp_reduction reduction, limb_t *r, limb_t *a, const modulus *key, limb_t *t)
{
    COUNT(red);
    if (is_montgomery(reduction)) {
        mont_reduce(r, a, key);
        COUNT(mul);
        reducers[reduction].mul(r, r, key->cube, key, t);
    } else {
        plain_reduce(reduction, r, a, key, t);
    }
}

/* Out of the form; the result is below m. */
LAB_FUNCTION void form_leave(modexp_reduction reduction, limb_t *r, const limb_t *a, const modulus *key, limb_t *t)
{
    size_t n = key->n;

    switch (reduction) {
    case MODEXP_BASIC:
    case MODEXP_BARRETT:
        vec_copy(r, a, n);
        break;
    case MODEXP_CIOS:
    case MODEXP_FIOS:
        COUNT(red);
        rows_leave(r, a, key, t);
        break;
    default:
        COUNT(red);
        vec_copy(t, a, n);
        vec_zero(t + n, n);
        mont_reduce(r, t, key);
        mont_settle(r, key);
    }
}
