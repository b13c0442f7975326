/* SPDX-License-Identifier: Apache-2.0
 *
 * modexp laboratory: Montgomery's product with UMAAL, an instruction of Arm's cores with DSP extension (ARMv6, ARMv7-A,
 * ARMv7E-M): (high:low) = a b + low + high, which always fits. A row's carry is added by the very product that needs
 * it, so that neither rows nor columns need an addition of their own. Four rows at a time, column by column, as in
 * mul_comba.h, but every row keeps its own carry: four products for two loads and a store. Not portable; 32 bits only.
 * The order of the reduction is that of mont_columns.h: HAC 14.32.
 */
#define umaal_row NAMED(umaal_row)
#define umaal_set4 NAMED(umaal_set4)
#define umaal_add4 NAMED(umaal_add4)
#define umaal_reduce4 NAMED(umaal_reduce4)
#define umaal_wedge4_set NAMED(umaal_wedge4_set)
#define umaal_wedge4_add NAMED(umaal_wedge4_add)
#define umaal_double NAMED(umaal_double)
#define umaal_product NAMED(umaal_product)
#define umaal_square NAMED(umaal_square)
#define umaal_reduce NAMED(umaal_reduce)
#define umaal_mul NAMED(umaal_mul)
#define umaal_sqr NAMED(umaal_sqr)

LAB_INLINE void umaal_raw(limb_t *low, limb_t *high, limb_t a, limb_t b)
{
    __asm__("umaal %0, %1, %2, %3" : "+r"(*low), "+r"(*high) : "r"(a), "r"(b));
}

/* (high:low) = a b + low + high. */
LAB_INLINE void umaal(limb_t *low, limb_t *high, limb_t a, limb_t b)
{
    COUNT(limb_mul);
    umaal_raw(low, high, a, b);
}

/* (high:low) = low + high + c. */
LAB_INLINE void umaal_sum(limb_t *low, limb_t *high, limb_t c)
{
    umaal_raw(low, high, c, 1);
}

/* r += a b for one limb b; the carry is returned. */
LAB_FUNCTION limb_t umaal_row(limb_t *r, const limb_t *a, size_t n, limb_t b)
{
    limb_t carry = 0;

    for (size_t i = 0; i < n; i++) {
        limb_t sum = r[i];

        umaal(&sum, &carry, a[i], b);
        r[i] = sum;
    }
    return carry;
}

/* Four rows under way: their digits, their carries, and the three limbs of `a` that the last columns read, the newest
 * first. */
typedef struct rows4 {
    limb_t b0, b1, b2, b3, c0, c1, c2, c3, x1, x2, x3;
    const limb_t *a;
    limb_t *r;
} rows4;

/* A column: the next limb takes the place of the oldest, which is read first. */
#define UMAAL_COLUMN(set, new, second, third)                                                                          \
    do {                                                                                                               \
        limb_t sum = (set) ? 0 : *s.r;                                                                                 \
        umaal(&sum, &s.c3, new, s.b3);                                                                                 \
        new = *s.a++;                                                                                                  \
        umaal(&sum, &s.c2, third, s.b2);                                                                               \
        umaal(&sum, &s.c1, second, s.b1);                                                                              \
        umaal(&sum, &s.c0, new, s.b0);                                                                                 \
        *s.r++ = sum;                                                                                                  \
    } while (0)
#define UMAAL_THREE_COLUMNS(set)                                                                                       \
    UMAAL_COLUMN(set, s.x3, s.x1, s.x2);                                                                               \
    UMAAL_COLUMN(set, s.x2, s.x3, s.x1);                                                                               \
    UMAAL_COLUMN(set, s.x1, s.x2, s.x3)

/* `count` columns in which all four rows take part. */
LAB_INLINE void umaal_columns(rows4 *state, size_t count, int set)
{
    rows4 s = *state;

    for (; count >= 6; count -= 6) {
        UMAAL_THREE_COLUMNS(set);
        UMAAL_THREE_COLUMNS(set);
    }
    if (count >= 3) {
        UMAAL_THREE_COLUMNS(set);
        count -= 3;
    }
    for (; count > 0; count--) {
        limb_t newest;

        UMAAL_COLUMN(set, s.x3, s.x1, s.x2);
        newest = s.x3;
        s.x3 = s.x2;
        s.x2 = s.x1;
        s.x1 = newest;
    }
    *state = s;
}

/* The columns in which the rows end: four limbs that are written only. */
LAB_INLINE void umaal_end(rows4 *s)
{
    umaal(&s->c0, &s->c1, s->x1, s->b1);
    umaal(&s->c0, &s->c2, s->x2, s->b2);
    umaal(&s->c0, &s->c3, s->x3, s->b3);
    s->r[0] = s->c0;
    umaal(&s->c1, &s->c2, s->x1, s->b2);
    umaal(&s->c1, &s->c3, s->x2, s->b3);
    s->r[1] = s->c1;
    umaal(&s->c2, &s->c3, s->x1, s->b3);
    s->r[2] = s->c2;
    s->r[3] = s->c3;
}

/* r = a b or r + a b, for b of four limbs and a of n >= 4; r[n] and up are written only. */
LAB_INLINE void umaal_rows(limb_t *r, const limb_t *a, size_t n, const limb_t *b, int set)
{
    rows4 s = {
        .b0 = b[0], .b1 = b[1], .b2 = b[2], .b3 = b[3], .x3 = a[0], .x2 = a[1], .x1 = a[2], .a = a + 3, .r = r + 3};
    limb_t sum = set ? 0 : r[0];

    umaal(&sum, &s.c0, s.x3, s.b0);
    r[0] = sum;
    sum = set ? 0 : r[1];
    umaal(&sum, &s.c0, s.x2, s.b0);
    umaal(&sum, &s.c1, s.x3, s.b1);
    r[1] = sum;
    sum = set ? 0 : r[2];
    umaal(&sum, &s.c0, s.x1, s.b0);
    umaal(&sum, &s.c1, s.x2, s.b1);
    umaal(&sum, &s.c2, s.x3, s.b2);
    r[2] = sum;
    umaal_columns(&s, n - 3, set);
    umaal_end(&s);
}

LAB_FUNCTION void umaal_set4(limb_t *r, const limb_t *a, size_t n, const limb_t *b)
{
    umaal_rows(r, a, n, b, 1);
}

LAB_FUNCTION void umaal_add4(limb_t *r, const limb_t *a, size_t n, const limb_t *b)
{
    umaal_rows(r, a, n, b, 0);
}

/* r = a b, 2n limbs; r is neither a nor b. */
LAB_FUNCTION void umaal_product(limb_t *r, const limb_t *a, const limb_t *b, size_t n)
{
    size_t i = 0;

    if (n >= 4) {
        umaal_set4(r, a, n, b);
        i = 4;
    } else {
        vec_zero(r, n);
    }
    for (; i + 4 <= n; i += 4) {
        umaal_add4(r + i, a, n, b + i);
    }
    for (; i < n; i++) {
        r[n + i] = umaal_row(r + i, a, n, b[i]);
    }
}

/* r = or += the rows a[0] .. a[3] right of the diagonal, of n >= 8 columns; r is where the square of a[0] belongs, and
 * that limb is left alone. r[n] .. r[n + 3] are written only. */
LAB_INLINE void umaal_wedge(limb_t *r, const limb_t *a, size_t n, int set)
{
    rows4 s = {
        .b0 = a[0], .b1 = a[1], .b2 = a[2], .b3 = a[3], .x3 = a[4], .x2 = a[5], .x1 = a[6], .a = a + 7, .r = r + 7};
    limb_t sum = set ? 0 : r[1];

    umaal(&sum, &s.c0, s.b1, s.b0);
    r[1] = sum;
    sum = set ? 0 : r[2];
    umaal(&sum, &s.c0, s.b2, s.b0);
    r[2] = sum;
    sum = set ? 0 : r[3];
    umaal(&sum, &s.c0, s.b3, s.b0);
    umaal(&sum, &s.c1, s.b2, s.b1);
    r[3] = sum;
    sum = set ? 0 : r[4];
    umaal(&sum, &s.c0, s.x3, s.b0);
    umaal(&sum, &s.c1, s.b3, s.b1);
    r[4] = sum;
    sum = set ? 0 : r[5];
    umaal(&sum, &s.c0, s.x2, s.b0);
    umaal(&sum, &s.c1, s.x3, s.b1);
    umaal(&sum, &s.c2, s.b3, s.b2);
    r[5] = sum;
    sum = set ? 0 : r[6];
    umaal(&sum, &s.c0, s.x1, s.b0);
    umaal(&sum, &s.c1, s.x2, s.b1);
    umaal(&sum, &s.c2, s.x3, s.b2);
    r[6] = sum;
    umaal_columns(&s, n - 7, set);
    umaal_end(&s);
}

LAB_FUNCTION void umaal_wedge4_set(limb_t *r, const limb_t *a, size_t n)
{
    umaal_wedge(r, a, n, 1);
}

LAB_FUNCTION void umaal_wedge4_add(limb_t *r, const limb_t *a, size_t n)
{
    umaal_wedge(r, a, n, 0);
}

/* r = 2 r + the squares of the limbs of a. */
LAB_FUNCTION void umaal_double(limb_t *r, const limb_t *a, size_t n)
{
    limb_t top = 0, carry = 0;

    for (size_t i = 0; i < n; i++, r += 2) {
        limb_t even = r[0] << 1 | top, odd = r[1] << 1 | r[0] >> (LIMB_BITS - 1);

        top = r[1] >> (LIMB_BITS - 1);
        umaal(&even, &carry, a[i], a[i]);
        umaal_sum(&odd, &carry, 0);
        r[0] = even;
        r[1] = odd;
    }
}

/* r = a^2, 2n limbs. */
LAB_FUNCTION void umaal_square(limb_t *r, const limb_t *a, size_t n)
{
    size_t i = 0;

    if (n < 8) {
        vec_zero(r, n + 1);
    } else {
        r[0] = 0;
        umaal_wedge4_set(r, a, n);
        for (i = 4; i + 8 <= n; i += 4) {
            umaal_wedge4_add(r + 2 * i, a + i, n - i);
        }
    }
    for (; i + 1 < n; i++) {
        r[n + i] = umaal_row(r + 2 * i + 1, a + i + 1, n - i - 1, a[i]);
    }
    r[2 * n - 1] = 0;
    umaal_double(r, a, n);
}

/* A column in which the rows of the reduction end: a limb of the number, a row's last carry, and the carry between. */
#define UMAAL_LAST(k, carry)                                                                                           \
    sum = s.r[k];                                                                                                      \
    umaal_sum(&sum, &(carry), over);                                                                                   \
    over = (carry)

/* t += q m with the q of four limbs that makes the lowest four limbs 0, which are left as they were. t has n + 4 limbs,
 * n >= 4; `over` is a carry into limb n, the carry out of the last limb is returned. */
LAB_FUNCTION limb_t umaal_reduce4(limb_t *t, const modulus *key, limb_t over)
{
    const limb_t *m = key->m;
    limb_t inverse = key->negative_inverse, first = m[0], sum = t[0];
    rows4 s = {.x3 = m[1], .x2 = m[2], .x1 = m[3], .a = m + 4, .r = t + 4};

    s.b0 = sum * inverse;
    umaal(&sum, &s.c0, first, s.b0);
    sum = t[1];
    umaal(&sum, &s.c0, s.x3, s.b0);
    s.b1 = sum * inverse;
    umaal(&sum, &s.c1, first, s.b1);
    sum = t[2];
    umaal(&sum, &s.c0, s.x2, s.b0);
    umaal(&sum, &s.c1, s.x3, s.b1);
    s.b2 = sum * inverse;
    umaal(&sum, &s.c2, first, s.b2);
    sum = t[3];
    umaal(&sum, &s.c0, s.x1, s.b0);
    umaal(&sum, &s.c1, s.x2, s.b1);
    umaal(&sum, &s.c2, s.x3, s.b2);
    s.b3 = sum * inverse;
    umaal(&sum, &s.c3, first, s.b3);
    umaal_columns(&s, key->n - 4, 0);
    UMAAL_LAST(0, s.c0);
    umaal(&sum, &s.c1, s.x1, s.b1);
    umaal(&sum, &s.c2, s.x2, s.b2);
    umaal(&sum, &s.c3, s.x3, s.b3);
    s.r[0] = sum;
    UMAAL_LAST(1, s.c1);
    umaal(&sum, &s.c2, s.x1, s.b2);
    umaal(&sum, &s.c3, s.x2, s.b3);
    s.r[1] = sum;
    UMAAL_LAST(2, s.c2);
    umaal(&sum, &s.c3, s.x1, s.b3);
    s.r[2] = sum;
    UMAAL_LAST(3, s.c3);
    s.r[3] = sum;
    COUNT(limb_mul);
    COUNT(limb_mul);
    COUNT(limb_mul);
    COUNT(limb_mul);
    return over;
}

/* r = t / R mod m, below R; t has 2n limbs and is spoilt. */
LAB_FUNCTION void umaal_reduce(limb_t *r, limb_t *t, const modulus *key)
{
    size_t n = key->n, i = 0;
    limb_t over = 0;

    for (; n >= 4 && i + 4 <= n; i += 4) {
        over = umaal_reduce4(t + i, key, over);
    }
    for (; i < n; i++) {
        limb_t carry = umaal_row(t + i, key->m, n, (limb_t)product(t[i], key->negative_inverse));

        umaal_sum(&t[i + n], &carry, over);
        over = carry;
    }
    vec_sub_if(over, r, t + n, key->m, n);
}

/* `t` has 2n limbs. */
LAB_FUNCTION void umaal_mul(limb_t *r, const limb_t *a, const limb_t *b, const modulus *key, limb_t *t)
{
    umaal_product(t, a, b, key->n);
    umaal_reduce(r, t, key);
}

LAB_FUNCTION void umaal_sqr(limb_t *r, const limb_t *a, const modulus *key, limb_t *t)
{
    umaal_square(t, a, key->n);
    umaal_reduce(r, t, key);
}
