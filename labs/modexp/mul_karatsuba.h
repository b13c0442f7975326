/* SPDX-License-Identifier: Apache-2.0
 *
 * modexp laboratory: three products of half the length for one. A. Karatsuba and Y. Ofman (1962); the subtractive form
 * of Knuth, TAOCP 2, 4.3.3: a b = z2 B^2l + (z2 + z0 - (a0 - a1)(b0 - b1)) B^l + z0. Signs are masks, not branches.
 */
#define karatsuba_mul NAMED(karatsuba_mul)
#define karatsuba_sqr NAMED(karatsuba_sqr)
#define karatsuba_scratch NAMED(karatsuba_scratch)
#define abs_difference NAMED(abs_difference)
#define middle_add NAMED(middle_add)

/* Below this many limbs the columns are faster. Found by timing; the products count is what one would expect to
 * matter, the passes over the parts are what does. */
#ifndef KARATSUBA_FROM
#define KARATSUBA_FROM (LIMB_BITS == 64 ? 16 : 32)
#endif

/* Limbs of scratch for a product of n limbs: at each level the middle product. */
static size_t karatsuba_scratch(size_t n)
{
    size_t total = 0;

    while (n >= KARATSUBA_FROM) {
        n = (n + 1) / 2;
        total += 2 * n;
    }
    return total;
}

/* r = |a0 - a1| with l limbs, a1 having h <= l limbs; 1 is returned if a0 < a1. */
LAB_FUNCTION limb_t abs_difference(limb_t *r, const limb_t *a0, const limb_t *a1, size_t l, size_t h)
{
    limb_t borrow = vec_sub(r, a0, a1, h), mask, carry;

    if (h < l) {
        wide_t t = (wide_t)((wide_t)a0[h] - borrow);

        r[h] = LOW(t);
        borrow = HIGH(t) & 1;
    }
    mask = mask_of(borrow);
    carry = borrow;
    for (size_t i = 0; i < l; i++) {
        wide_t t = (wide_t)((wide_t)((r[i] ^ mask) & LIMB_MASK) + carry);

        r[i] = LOW(t);
        carry = HIGH(t);
    }
    return borrow;
}

/* r += (z0 + z2 -+ middle) B^l, where r is z0 and z2 side by side: 2l and 2h limbs. `negative` says that the middle
 * product is to be added. Spoils `middle`. */
LAB_FUNCTION void middle_add(limb_t *r, limb_t *middle, limb_t negative, size_t l, size_t h)
{
    /* minus x is not x plus 1; the 1 enters as the first carry, and B^2l too much leaves at the end. */
    limb_t mask = mask_of(negative ^ 1), carry = negative ^ 1;

    for (size_t i = 0; i < 2 * l; i++) {
        wide_t t = (wide_t)((wide_t)((middle[i] ^ mask) & LIMB_MASK) + r[i] + carry);

        if (i < 2 * h) {
            t += r[2 * l + i];
        }
        middle[i] = LOW(t);
        carry = HIGH(t);
    }
    carry = (limb_t)(carry - (negative ^ 1));
    carry = (limb_t)(carry + vec_add(r + l, r + l, middle, 2 * l));
    for (size_t i = 3 * l; i < 2 * (l + h); i++) {
        wide_t t = (wide_t)((wide_t)r[i] + carry);

        r[i] = LOW(t);
        carry = HIGH(t);
    }
}

/* r = a b, 2n limbs; r is neither a nor b. */
static void karatsuba_mul(limb_t *r, const limb_t *a, const limb_t *b, size_t n, limb_t *scratch)
{
    size_t l = (n + 1) / 2, h = n / 2;
    limb_t sign;

    if (n < KARATSUBA_FROM) {
        comba_mul(r, a, b, n);
        return;
    }
    sign = abs_difference(r, a, a + l, l, h) ^ abs_difference(r + l, b, b + l, l, h);
    karatsuba_mul(scratch, r, r + l, l, scratch + 2 * l);
    karatsuba_mul(r, a, b, l, scratch + 2 * l);
    karatsuba_mul(r + 2 * l, a + l, b + l, h, scratch + 2 * l);
    middle_add(r, scratch, sign, l, h);
}

static void karatsuba_sqr(limb_t *r, const limb_t *a, size_t n, limb_t *scratch)
{
    size_t l = (n + 1) / 2, h = n / 2;

    if (n < KARATSUBA_FROM) {
        comba_sqr(r, a, n);
        return;
    }
    abs_difference(r, a, a + l, l, h);
    karatsuba_sqr(scratch, r, l, scratch + 2 * l);
    karatsuba_sqr(r, a, l, scratch + 2 * l);
    karatsuba_sqr(r + 2 * l, a + l, h, scratch + 2 * l);
    middle_add(r, scratch, 0, l, h);
}
