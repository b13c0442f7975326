/* SPDX-License-Identifier: Apache-2.0
 *
 * modexp laboratory: product scanning, column by column: each limb of the result is written once, the sum stays in
 * registers. P. G. Comba, Exponentiation cryptosystems on the IBM PC, IBM Systems Journal 29 (1990).
 */
#define comba_mul NAMED(comba_mul)
#define comba_sqr NAMED(comba_sqr)

/* s += a[0] b[0] + a[1] b[-1] + ... of n products. */
LAB_INLINE void column_add(sum_t *s, const limb_t *a, const limb_t *b, size_t n)
{
    for (; n >= 8; n -= 8, a += 8, b -= 8) {
        sum_add2(s, a[0], b[0], a[1], b[-1]);
        sum_add2(s, a[2], b[-2], a[3], b[-3]);
        sum_add2(s, a[4], b[-4], a[5], b[-5]);
        sum_add2(s, a[6], b[-6], a[7], b[-7]);
    }
    for (; n >= 2; n -= 2, a += 2, b -= 2) {
        sum_add2(s, a[0], b[0], a[1], b[-1]);
    }
    if (n != 0) {
        sum_add(s, a[0], b[0]);
    }
}

/* r = a b, 2n limbs; r is neither a nor b. */
LAB_FUNCTION void comba_mul(limb_t *r, const limb_t *a, const limb_t *b, size_t n)
{
    sum_t s = {0, 0};

    for (size_t i = 0; i < n; i++) {
        column_add(&s, a, b + i, i + 1);
        r[i] = sum_next(&s);
    }
    for (size_t i = n; i < 2 * n - 1; i++) {
        column_add(&s, a + (i - n + 1), b + n - 1, 2 * n - 1 - i);
        r[i] = sum_next(&s);
    }
    r[2 * n - 1] = sum_next(&s);
}

/* r = a^2: half of each column, doubled, and the square in the middle. HAC 14.2.4. */
LAB_FUNCTION void comba_sqr(limb_t *r, const limb_t *a, size_t n)
{
    sum_t s = {0, 0};

    for (size_t i = 0; i < 2 * n - 1; i++) {
        size_t first = i < n ? 0 : i - n + 1;
        size_t pairs = (i + 1) / 2 - first;
        sum_t half = {0, 0};

        column_add(&half, a + first, a + (i - first), pairs);
        sum_double(&half);
        if (i % 2 == 0) {
            sum_add(&half, a[i / 2], a[i / 2]);
        }
        sum_sum(&s, &half);
        r[i] = sum_next(&s);
    }
    r[2 * n - 1] = sum_next(&s);
}
