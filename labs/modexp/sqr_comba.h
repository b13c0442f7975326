/* SPDX-License-Identifier: Apache-2.0
 *
 * modexp laboratory: squares by columns. Each product off the diagonal is made once, the sum of them doubled, the
 * squares of the limbs added: HAC 14.16. The strips are those of mul_comba.h with the part left of the diagonal cut
 * off.
 */
#define wedge8_set NAMED(wedge8_set)
#define wedge8_add NAMED(wedge8_add)
#define wedge8_last NAMED(wedge8_last)
#define double_and_squares NAMED(double_and_squares)
#define comba_sqr NAMED(comba_sqr)

/* Columns 1 .. 7 of the rows a[0] .. a[7], right of the diagonal. */
LAB_INLINE void wedge_begin(limb_t *r, sum_t *s, const limb_t *a, int add)
{
    strip_column(r + 1, s, a, a + 1, 1, add);
    strip_column(r + 2, s, a, a + 2, 1, add);
    strip_column(r + 3, s, a, a + 3, 2, add);
    strip_column(r + 4, s, a, a + 4, 2, add);
    strip_column(r + 5, s, a, a + 5, 3, add);
    strip_column(r + 6, s, a, a + 6, 3, add);
    strip_column(r + 7, s, a, a + 7, 4, add);
}

/* r = or += the rows a[0] .. a[7] right of the diagonal, of n >= 16 columns; r is where the square of a[0] belongs, and
 * that limb is left alone. r[n] .. r[n + 7] are written only. */
LAB_INLINE void wedge(limb_t *r, const limb_t *a, size_t n, int add)
{
    sum_t s = {0, 0};
    const limb_t *high = a + 15;

    wedge_begin(r, &s, a, add);
    strip_column(r + 8, &s, a, a + 8, 4, add);
    strip_column(r + 9, &s, a, a + 9, 5, add);
    strip_column(r + 10, &s, a, a + 10, 5, add);
    strip_column(r + 11, &s, a, a + 11, 6, add);
    strip_column(r + 12, &s, a, a + 12, 6, add);
    strip_column(r + 13, &s, a, a + 13, 7, add);
    strip_column(r + 14, &s, a, a + 14, 7, add);
    r += 15;
    for (size_t i = 15; i < n; i++) {
        strip_column(r++, &s, a, high++, 8, add);
    }
    high--;
    strip_column(r, &s, a + 1, high, 7, 0);
    strip_column(r + 1, &s, a + 2, high, 6, 0);
    strip_column(r + 2, &s, a + 3, high, 5, 0);
    strip_column(r + 3, &s, a + 4, high, 4, 0);
    strip_column(r + 4, &s, a + 5, high, 3, 0);
    strip_column(r + 5, &s, a + 6, high, 2, 0);
    strip_column(r + 6, &s, a + 7, high, 1, 0);
    r[7] = sum_next(&s);
}

LAB_FUNCTION void wedge8_set(limb_t *r, const limb_t *a, size_t n)
{
    wedge(r, a, n, 0);
}

LAB_FUNCTION void wedge8_add(limb_t *r, const limb_t *a, size_t n)
{
    wedge(r, a, n, 1);
}

/* r += the same for the last eight limbs; r[8] .. r[15] are written only. */
LAB_FUNCTION void wedge8_last(limb_t *r, const limb_t *a)
{
    sum_t s = {0, 0};

    wedge_begin(r, &s, a, 1);
    strip_column(r + 8, &s, a + 1, a + 7, 3, 0);
    strip_column(r + 9, &s, a + 2, a + 7, 3, 0);
    strip_column(r + 10, &s, a + 3, a + 7, 2, 0);
    strip_column(r + 11, &s, a + 4, a + 7, 2, 0);
    strip_column(r + 12, &s, a + 5, a + 7, 1, 0);
    strip_column(r + 13, &s, a + 6, a + 7, 1, 0);
    r[14] = sum_next(&s);
    r[15] = sum_next(&s);
}

/* r = 2 r + the squares of the limbs of a. */
LAB_FUNCTION void double_and_squares(limb_t *r, const limb_t *a, size_t n)
{
    limb_t carry = 0;

    for (size_t i = 0; i < n; i++, r += 2) {
        /* Two limbs at a time; the carry comes last, all else can be added while it is on its way. */
        wide_t pair = (wide_t)((wide_t)r[1] << LIMB_BITS | r[0]);
        sum_t s = {product(a[i], a[i]), 0};

#if LIMB_BITS == 15 || LIMB_BITS == 31
        s.low += 2 * pair + carry;
        carry = (limb_t)(s.low >> (2 * LIMB_BITS));
#else
        sum_wide(&s, pair);
        sum_wide(&s, pair);
        sum_wide(&s, carry);
        carry = s.high;
#endif
        r[0] = LOW(s.low);
        r[1] = LOW(s.low >> LIMB_BITS);
    }
}

/* r = a^2, 2n limbs. */
LAB_FUNCTION void comba_sqr(limb_t *r, const limb_t *a, size_t n)
{
    size_t i = 0;

    if (n < 16) {
        vec_zero(r, n + 1);
    } else {
        r[0] = 0;
        wedge8_set(r, a, n);
        for (i = 8; i + 16 <= n; i += 8) {
            wedge8_add(r + 2 * i, a + i, n - i);
        }
    }
    if (i + 8 == n) {
        wedge8_last(r + 2 * i, a + i);
        i += 8;
    }
    for (; i + 1 < n; i++) {
        r[n + i] = row_mac(r + 2 * i + 1, a + i + 1, n - i - 1, a[i]);
    }
    r[2 * n - 1] = 0;
    double_and_squares(r, a, n);
}
