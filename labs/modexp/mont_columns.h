/* SPDX-License-Identifier: Apache-2.0
 *
 * modexp laboratory: Montgomery reduction of a whole product, by columns (product scanning): HAC 14.32 in the order of
 * Koc, Acar, Kaliski (1996), section 6. With a product apart, squares cost less, and Karatsuba applies.
 */
#define mont_reduce NAMED(mont_reduce)
#define mont_mul NAMED(mont_mul)
#define mont_sqr NAMED(mont_sqr)
#define mont_k_mul NAMED(mont_k_mul)
#define mont_k_sqr NAMED(mont_k_sqr)

/* r = t / R mod m, below R; t has 2n limbs and is spoilt: the digits of the quotient take the place of its lower half.
 */
LAB_FUNCTION void mont_reduce(limb_t *r, limb_t *t, const modulus *key)
{
    const limb_t *m = key->m;
    size_t n = key->n;
    sum_t s = {0, 0};

    for (size_t i = 0; i < n; i++) {
        sum_limb(&s, t[i]);
        column_add(&s, t, m + i, i);
        t[i] = LOW(product(LOW(s.low), key->negative_inverse));
        sum_add(&s, t[i], m[0]);
        (void)sum_next(&s);
    }
    for (size_t i = n; i < 2 * n; i++) {
        sum_limb(&s, t[i]);
        column_add(&s, t + (i - n + 1), m + n - 1, 2 * n - 1 - i);
        t[i] = sum_next(&s);
    }
    vec_sub_if(LOW(s.low), r, t + n, m, n);
}

/* `t` has 2n limbs; with Karatsuba, karatsuba_scratch(n) more. */
static void mont_mul(limb_t *r, const limb_t *a, const limb_t *b, const modulus *key, limb_t *t)
{
    comba_mul(t, a, b, key->n);
    mont_reduce(r, t, key);
}

static void mont_sqr(limb_t *r, const limb_t *a, const modulus *key, limb_t *t)
{
    comba_sqr(t, a, key->n);
    mont_reduce(r, t, key);
}

static void mont_k_mul(limb_t *r, const limb_t *a, const limb_t *b, const modulus *key, limb_t *t)
{
    karatsuba_mul(t, a, b, key->n, t + 2 * key->n);
    mont_reduce(r, t, key);
}

static void mont_k_sqr(limb_t *r, const limb_t *a, const modulus *key, limb_t *t)
{
    karatsuba_sqr(t, a, key->n, t + 2 * key->n);
    mont_reduce(r, t, key);
}
