/* SPDX-License-Identifier: Apache-2.0
 *
 * modexp laboratory: Montgomery multiplication by rows. P. L. Montgomery (1985); the two orders of work, and their
 * names, from C. K. Koc, T. Acar, B. S. Kaliski, Analyzing and comparing Montgomery multiplication algorithms (1996).
 *
 * All Montgomery products here take and give numbers below R, not below m: m is subtracted once, under a mask, when the
 * sum passes R. That is enough for the next product, and the last step (leave) brings the result below m.
 */
#define cios_mul NAMED(cios_mul)
#define cios_sqr NAMED(cios_sqr)
#define fios_mul NAMED(fios_mul)
#define fios_sqr NAMED(fios_sqr)
#define rows_leave NAMED(rows_leave)
#define row_reduce NAMED(row_reduce)

/* t = (t + q m) / B with the q that makes the division exact, t has n limbs; what belongs on top is returned. */
LAB_FUNCTION limb_t row_reduce(limb_t *t, const modulus *key)
{
    const limb_t *m = key->m;
    size_t n = key->n, i = 1;
    limb_t q = LOW(product(t[0], key->negative_inverse));
    limb_t carry = HIGH(product(q, m[0]) + t[0]);

#define STEP(k)                                                                                                        \
    do {                                                                                                               \
        wide_t s = product(q, m[i + (k)]) + t[i + (k)] + carry;                                                        \
        t[i + (k) - 1] = LOW(s);                                                                                       \
        carry = HIGH(s);                                                                                               \
    } while (0)
    for (; i + 4 <= n; i += 4) {
        STEP(0);
        STEP(1);
        STEP(2);
        STEP(3);
    }
    for (; i < n; i++) {
        STEP(0);
    }
#undef STEP
    return carry;
}

/* Coarsely integrated: a row of the product, then a row of the reduction. `t` has n limbs. */
LAB_FUNCTION void cios_mul(limb_t *r, const limb_t *a, const limb_t *b, const modulus *key, limb_t *t)
{
    size_t n = key->n;
    limb_t over = 0;

    vec_zero(t, n);
    for (size_t i = 0; i < n; i++) {
        /* t has n limbs and the carry `over`. */
        wide_t top = (wide_t)((wide_t)row_mac(t, a, n, b[i]) + over);

        top += row_reduce(t, key);
        t[n - 1] = LOW(top);
        over = HIGH(top);
    }
    vec_sub_if(over, r, t, key->m, n);
}

LAB_FUNCTION void cios_sqr(limb_t *r, const limb_t *a, const modulus *key, limb_t *t)
{
    cios_mul(r, a, a, key, t);
}

/* Finely integrated: both rows in one loop. `t` has n limbs. */
LAB_FUNCTION void fios_mul(limb_t *r, const limb_t *a, const limb_t *b, const modulus *key, limb_t *t)
{
    const limb_t *m = key->m;
    size_t n = key->n;
    limb_t over = 0;

    vec_zero(t, n);
    for (size_t i = 0; i < n; i++) {
        limb_t digit = b[i];
        wide_t u = product(a[0], digit) + t[0];
        limb_t q = LOW(product(LOW(u), key->negative_inverse));
        wide_t v = product(q, m[0]) + LOW(u);
        size_t j = 1;

#define STEP(k)                                                                                                        \
    do {                                                                                                               \
        u = product(a[j + (k)], digit) + t[j + (k)] + HIGH(u);                                                         \
        v = product(q, m[j + (k)]) + LOW(u) + HIGH(v);                                                                 \
        t[j + (k) - 1] = LOW(v);                                                                                       \
    } while (0)
        for (; j + 4 <= n; j += 4) {
            STEP(0);
            STEP(1);
            STEP(2);
            STEP(3);
        }
        for (; j < n; j++) {
            STEP(0);
        }
#undef STEP
        u = (wide_t)((wide_t)HIGH(u) + HIGH(v) + over);
        t[n - 1] = LOW(u);
        over = HIGH(u);
    }
    vec_sub_if(over, r, t, m, n);
}

LAB_FUNCTION void fios_sqr(limb_t *r, const limb_t *a, const modulus *key, limb_t *t)
{
    fios_mul(r, a, a, key, t);
}

/* Out of Montgomery form: rows of reduction alone. `t` has n limbs. The result is below m. */
LAB_FUNCTION void rows_leave(limb_t *r, const limb_t *a, const modulus *key, limb_t *t)
{
    size_t n = key->n;

    vec_copy(t, a, n);
    for (size_t i = 0; i < n; i++) {
        t[n - 1] = row_reduce(t, key);
    }
    vec_copy(r, t, n);
    vec_reduce_once(r, key->m, n);
}
