/* SPDX-License-Identifier: Apache-2.0
 *
 * modexp laboratory: Montgomery reduction of a whole product, by columns: HAC 14.32 in the order of product scanning
 * (FIPS of Koc, Acar, Kaliski 1996), in strips of eight rows as in mul_comba.h. With a product apart, squares cost
 * less, and Karatsuba applies.
 */
#define mont_reduce NAMED(mont_reduce)
#define mont_settle NAMED(mont_settle)
#define reduce8 NAMED(reduce8)
#define mont_mul NAMED(mont_mul)
#define mont_sqr NAMED(mont_sqr)
#define mont_k_mul NAMED(mont_k_mul)
#define mont_k_sqr NAMED(mont_k_sqr)

/* One column that finds a digit of the quotient: the lowest limb becomes 0, and q takes its place. */
LAB_INLINE void quotient_column(limb_t *t, sum_t *s, const modulus *key, unsigned c)
{
    sum_limb(s, t[c]);
    column_of(s, t, key->m + c, c);
    t[c] = LOW(product(LOW(s->low), key->negative_inverse));
    sum_add(s, t[c], key->m[0]);
    (void)sum_next(s);
}

/* One column that q, `count` digits from q[0] on, adds to. */
LAB_INLINE void reduced_column(limb_t *t, sum_t *s, const limb_t *q, const limb_t *m, unsigned count)
{
    column_and(s, *t, q, m, count);
    *t = sum_next(s);
}

/* t += q m with the q of eight limbs that makes the lowest eight limbs 0; q is left in their place. t has n + 8 limbs;
 * `over` is a carry into limb n, the carry out of the last limb is returned. */
LAB_FUNCTION limb_t reduce8(limb_t *t, const modulus *key, limb_t over)
{
    const limb_t *m = key->m + 8, *q = t;
    size_t n = key->n;
    sum_t s = {0, 0};

    quotient_column(t, &s, key, 0);
    quotient_column(t, &s, key, 1);
    quotient_column(t, &s, key, 2);
    quotient_column(t, &s, key, 3);
    quotient_column(t, &s, key, 4);
    quotient_column(t, &s, key, 5);
    quotient_column(t, &s, key, 6);
    quotient_column(t, &s, key, 7);
    t += 8;
    for (size_t i = 8; i < n; i++) {
        reduced_column(t++, &s, q, m++, 8);
    }
    m--;
    sum_limb(&s, over);
    reduced_column(t, &s, q + 1, m, 7);
    reduced_column(t + 1, &s, q + 2, m, 6);
    reduced_column(t + 2, &s, q + 3, m, 5);
    reduced_column(t + 3, &s, q + 4, m, 4);
    reduced_column(t + 4, &s, q + 5, m, 3);
    reduced_column(t + 5, &s, q + 6, m, 2);
    reduced_column(t + 6, &s, q + 7, m, 1);
    sum_limb(&s, t[7]);
    t[7] = sum_next(&s);
    return LOW(s.low);
}

/* r = t / R mod m, below R; t has 2n limbs and is spoilt: the digits of the quotient take the place of its lower half.
 *
 * With a scaled modulus, M = m (-1/m mod B^8), which is -1 modulo B^8, the next eight digits of the quotient are those
 * of t itself: nothing to compute and nothing to wait for. (L. Hars, Long modular multiplication for cryptographic
 * applications, CHES 2004, scales by one digit.) t + q M = t - q + q (M + 1), so that one strip of (M + 1) / B^8, which
 * has n limbs, does it. As M is longer than m, the last rows take m itself; the sum is then below R + 2m. */
LAB_FUNCTION void mont_reduce(limb_t *r, limb_t *t, const modulus *key)
{
    size_t n = key->n, i = 0;
    limb_t over = 0, borrow;

    if (key->scaled != NULL) {
        /* A strip of the scaled modulus ends eight limbs further than one of m: so does its carry. */
        for (; i + 16 <= n; i += 8) {
            over = strip8_carry(t + i + 8, key->scaled + 8, n, t + i, over);
        }
        over += reduce8(t + i, key, 0);
        i += 8;
    } else {
        for (; i + 8 <= n; i += 8) {
            over = reduce8(t + i, key, over);
        }
    }
    for (; i < n; i++) {
        limb_t q = LOW(product(t[i], key->negative_inverse));
        wide_t sum = (wide_t)((wide_t)row_mac(t + i, key->m, n, q) + t[i + n] + over);

        t[i + n] = LOW(sum);
        over = HIGH(sum);
    }
    borrow = vec_sub_if((over | over >> 1) & 1, r, t + n, key->m, n);
    if (key->scaled != NULL) {
        over -= borrow;
        vec_sub_if((over | over >> 1) & 1, r, r, key->m, n);
    }
}

/* x below m, for x that a product of numbers below m, or of one and 1, has left. That is below m + m, or with a scaled
 * modulus m + 2m; and below R, which is no more than 2m where m fills its limbs. */
LAB_FUNCTION void mont_settle(limb_t *x, const modulus *key)
{
    vec_reduce_once(x, key->m, key->n);
    if (key->scaled != NULL && key->shift != 0) {
        vec_reduce_once(x, key->m, key->n);
    }
}

/* `t` has 2n limbs; with Karatsuba, karatsuba_scratch(n) more. */
LAB_FUNCTION void mont_mul(limb_t *r, const limb_t *a, const limb_t *b, const modulus *key, limb_t *t)
{
    comba_mul(t, a, b, key->n);
    mont_reduce(r, t, key);
}

LAB_FUNCTION void mont_sqr(limb_t *r, const limb_t *a, const modulus *key, limb_t *t)
{
    comba_sqr(t, a, key->n);
    mont_reduce(r, t, key);
}

LAB_FUNCTION void mont_k_mul(limb_t *r, const limb_t *a, const limb_t *b, const modulus *key, limb_t *t)
{
    karatsuba_mul(t, a, b, key->n, t + 2 * key->n);
    mont_reduce(r, t, key);
}

LAB_FUNCTION void mont_k_sqr(limb_t *r, const limb_t *a, const modulus *key, limb_t *t)
{
    karatsuba_sqr(t, a, key->n, t + 2 * key->n);
    mont_reduce(r, t, key);
}
