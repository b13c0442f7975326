/* SPDX-License-Identifier: Apache-2.0
 *
 * modexp laboratory: operand scanning, row by row. Knuth, TAOCP 2, 4.3.1, algorithm M; HAC 14.12 and 14.16.
 */
#define row_mac NAMED(row_mac)
#define row_sub NAMED(row_sub)
#define school_mul NAMED(school_mul)
#define school_sqr NAMED(school_sqr)

/* r += a b for one limb b; the carry is returned. */
LAB_FUNCTION limb_t row_mac(limb_t *r, const limb_t *a, size_t n, limb_t b)
{
    limb_t carry = 0;
    size_t i = 0;

#define STEP(k)                                                                                                        \
    do {                                                                                                               \
        wide_t t = product(a[i + (k)], b) + r[i + (k)] + carry;                                                        \
        r[i + (k)] = LOW(t);                                                                                           \
        carry = HIGH(t);                                                                                               \
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

/* r -= a b for one limb b; the borrow (a whole limb) is returned. */
LAB_FUNCTION limb_t row_sub(limb_t *r, const limb_t *a, size_t n, limb_t b)
{
    limb_t carry = 0;

    for (size_t i = 0; i < n; i++) {
        wide_t t = product(a[i], b) + carry;
        wide_t u = (wide_t)((wide_t)r[i] - LOW(t));

        r[i] = LOW(u);
        carry = (limb_t)(HIGH(t) + (HIGH(u) & 1));
    }
    return carry;
}

/* r = a b, 2n limbs; r is neither a nor b. */
LAB_FUNCTION void school_mul(limb_t *r, const limb_t *a, const limb_t *b, size_t n)
{
    vec_zero(r, n);
    for (size_t i = 0; i < n; i++) {
        r[n + i] = row_mac(r + i, a, n, b[i]);
    }
}

/* r = a^2: the products off the diagonal once, doubled, and the squares of the limbs. */
LAB_FUNCTION void school_sqr(limb_t *r, const limb_t *a, size_t n)
{
    limb_t top = 0, carry = 0;

    vec_zero(r, n + 1);
    for (size_t i = 0; i + 1 < n; i++) {
        r[n + i] = row_mac(r + 2 * i + 1, a + i + 1, n - i - 1, a[i]);
    }
    r[2 * n - 1] = 0;
    for (size_t i = 0; i < n; i++) {
        limb_t even = LOW((limb_t)(r[2 * i] << 1)) | top;
        limb_t odd = LOW((limb_t)(r[2 * i + 1] << 1)) | (limb_t)(r[2 * i] >> (LIMB_BITS - 1));
        wide_t t = product(a[i], a[i]) + even + carry;
        wide_t u;

        top = (limb_t)(r[2 * i + 1] >> (LIMB_BITS - 1));
        u = (wide_t)((wide_t)odd + HIGH(t));
        r[2 * i] = LOW(t);
        r[2 * i + 1] = LOW(u);
        carry = HIGH(u);
    }
}
