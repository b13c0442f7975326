/* SPDX-License-Identifier: Apache-2.0
 *
 * modexp laboratory: product scanning, column by column: the sum stays in registers, each limb of the result is written
 * once. P. G. Comba, Exponentiation cryptosystems on the IBM PC, IBM Systems Journal 29 (1990).
 *
 * Whole columns have lengths from 1 to n and so a loop in each. Here the columns run over a strip of eight rows at a
 * time: all but the ends of a strip have eight products in a straight line, and a limb of the result is read and
 * written once for eight products. N. Gura and others, Comparing elliptic curve cryptography and RSA on 8-bit CPUs
 * (CHES 2004), call it hybrid.
 */
#define strip8_set NAMED(strip8_set)
#define strip8_add NAMED(strip8_add)
#define strip8_carry NAMED(strip8_carry)
#define strip4_add NAMED(strip4_add)
#define comba_mul NAMED(comba_mul)
#define comba_rest NAMED(comba_rest)

/* s += a[0] b[0] + a[1] b[-1] + ..., `count` products, at most 8 and known to the compiler. */
LAB_INLINE void column_of(sum_t *s, const limb_t *a, const limb_t *b, unsigned count)
{
    if (count % 2 != 0) {
        sum_add(s, a[0], b[0]);
        a++;
        b--;
    }
    if (count >= 2) {
        sum_add2(s, a[0], b[0], a[1], b[-1]);
    }
    if (count >= 4) {
        sum_add2(s, a[2], b[-2], a[3], b[-3]);
    }
    if (count >= 6) {
        sum_add2(s, a[4], b[-4], a[5], b[-5]);
    }
    if (count >= 8) {
        sum_add2(s, a[6], b[-6], a[7], b[-7]);
    }
}

/* The same and a limb r. */
LAB_INLINE void column_and(sum_t *s, limb_t r, const limb_t *a, const limb_t *b, unsigned count)
{
    sum_add_limb(s, a[0], b[0], r);
    column_of(s, a + 1, b - 1, count - 1);
}

/* s += the same for any count. */
LAB_INLINE void column_add(sum_t *s, const limb_t *a, const limb_t *b, size_t count)
{
    for (; count >= 8; count -= 8, a += 8, b -= 8) {
        column_of(s, a, b, 8);
    }
    for (; count >= 2; count -= 2, a += 2, b -= 2) {
        column_of(s, a, b, 2);
    }
    if (count != 0) {
        sum_add(s, a[0], b[0]);
    }
}

/* One limb of a strip's result: `count` products that begin at a[0] and b[0], and what is there already if asked. */
LAB_INLINE void strip_column(limb_t *r, sum_t *s, const limb_t *a, const limb_t *b, unsigned count, int add)
{
    if (add) {
        column_and(s, *r, a, b, count);
    } else {
        column_of(s, a, b, count);
    }
    *r = sum_next(s);
}

/* The columns in which a strip ends: seven products down to none, or three for four rows. a and b are where the first
 * of them begins. */
LAB_INLINE void strip_end(limb_t *r, sum_t *s, const limb_t *a, const limb_t *b, unsigned width, int add)
{
    if (width == 8) {
        strip_column(r, s, a, b, 7, add);
        strip_column(r + 1, s, a + 1, b, 6, add);
        strip_column(r + 2, s, a + 2, b, 5, add);
        strip_column(r + 3, s, a + 3, b, 4, add);
        r += 4;
        a += 4;
    }
    strip_column(r, s, a, b, 3, add);
    strip_column(r + 1, s, a + 1, b, 2, add);
    strip_column(r + 2, s, a + 2, b, 1, add);
    if (add) {
        sum_limb(s, r[3]);
    }
    r[3] = sum_next(s);
}

enum { STRIP_SET, STRIP_ADD, STRIP_CARRY };

/* r = a b (set) or r + a b, for b of `width` limbs (4 or 8) and a of n >= width. r[n] and up are written only, or, with
 * `carry`, added to as well, `over` to r[n]; what goes beyond r[n + width - 1] is returned. */
LAB_INLINE limb_t strip(limb_t *r, const limb_t *a, size_t n, const limb_t *b, unsigned width, int mode, limb_t over)
{
    sum_t s = {0, 0};

    strip_column(r, &s, a, b, 1, mode != STRIP_SET);
    strip_column(r + 1, &s, a, b + 1, 2, mode != STRIP_SET);
    strip_column(r + 2, &s, a, b + 2, 3, mode != STRIP_SET);
    strip_column(r + 3, &s, a, b + 3, 4, mode != STRIP_SET);
    if (width == 8) {
        strip_column(r + 4, &s, a, b + 4, 5, mode != STRIP_SET);
        strip_column(r + 5, &s, a, b + 5, 6, mode != STRIP_SET);
        strip_column(r + 6, &s, a, b + 6, 7, mode != STRIP_SET);
        strip_column(r + 7, &s, a, b + 7, 8, mode != STRIP_SET);
    }
    r += width;
    b += width - 1;
    a += 1;
    for (size_t i = width; i < n; i++) {
        strip_column(r++, &s, a++, b, width, mode != STRIP_SET);
    }
    if (mode == STRIP_CARRY) {
        sum_limb(&s, over);
    }
    strip_end(r, &s, a, b, width, mode == STRIP_CARRY);
    return LOW(s.low);
}

LAB_FUNCTION void strip8_set(limb_t *r, const limb_t *a, size_t n, const limb_t *b)
{
    strip(r, a, n, b, 8, STRIP_SET, 0);
}

LAB_FUNCTION void strip8_add(limb_t *r, const limb_t *a, size_t n, const limb_t *b)
{
    strip(r, a, n, b, 8, STRIP_ADD, 0);
}

LAB_FUNCTION limb_t strip8_carry(limb_t *r, const limb_t *a, size_t n, const limb_t *b, limb_t over)
{
    return strip(r, a, n, b, 8, STRIP_CARRY, over);
}

LAB_FUNCTION void strip4_add(limb_t *r, const limb_t *a, size_t n, const limb_t *b)
{
    strip(r, a, n, b, 4, STRIP_ADD, 0);
}

/* r += a b for b of fewer than 8 limbs, a of n; r[n] and up are written only. */
LAB_FUNCTION void comba_rest(limb_t *r, const limb_t *a, size_t n, const limb_t *b, size_t rows)
{
    if (rows >= 4 && n >= 4) {
        strip4_add(r, a, n, b);
        r += 4;
        b += 4;
        rows -= 4;
    }
    for (; rows > 0; rows--, r++, b++) {
        r[n] = row_mac(r, a, n, b[0]);
    }
}

/* r = a b, 2n limbs; r is neither a nor b. */
LAB_FUNCTION void comba_mul(limb_t *r, const limb_t *a, const limb_t *b, size_t n)
{
    size_t i = 0;

    if (n >= 8) {
        strip8_set(r, a, n, b);
        i = 8;
    } else {
        vec_zero(r, n);
    }
    for (; i + 8 <= n; i += 8) {
        strip8_add(r + i, a, n, b + i);
    }
    comba_rest(r + i, a, n, b + i, n - i);
}
