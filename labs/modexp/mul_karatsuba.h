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
enum { KARATSUBA_FROM = 32, KARATSUBA_SQR_FROM = 64 };

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

/* r = |a0 - a1| with l limbs, a1 having h = l or l - 1 limbs; 1 is returned if a0 < a1. */
LAB_FUNCTION limb_t abs_difference(limb_t *r, const limb_t *a0, const limb_t *a1, size_t l, size_t h)
{
    limb_t borrow = subtract(NO_MASK, r, a0, a1, h);

    if (h < l) {
        borrow = limb_sub(r + h, a0[h], 0, borrow);
    }
    vec_carry(r, mask_of(borrow), borrow, l);
    return borrow;
}

/* *r = carry + the four, the new carry is returned. */
LAB_INLINE limb_t limb_add4(limb_t *r, limb_t carry, limb_t a, limb_t b, limb_t c, limb_t d)
{
    limb_t x, y, z, up = limb_add(&x, a, b, 0);

    up += limb_add(&y, c, d, 0);
    up += limb_add(&z, x, y, 0);
    return up + limb_add(r, z, carry, 0);
}

/* r += (z0 + z2 -+ middle) B^l, where r is z0 and z2 side by side: 2l and 2h limbs, h = l or l - 1. `negative` says
 * that the middle product is to be added. In quarters: the second and the third both take the old second and the old
 * third, the one also the first, the other also the fourth. Spoils `middle`. */
LAB_FUNCTION void middle_add(limb_t *r, limb_t *middle, limb_t negative, size_t l, size_t h)
{
    /* Minus x is not x plus 1; the 1 enters with the first carry, and B^2l too much leaves with the last. */
    limb_t flip = mask_of(negative ^ 1) & LIMB_MASK;
    limb_t *second = r + l, *third = r + 2 * l, *fourth = r + 3 * l;
    limb_t carry = negative ^ 1;
    size_t top = 2 * h - l, i = 0;

    for (i = 0; i < l; i++) {
        limb_t old = second[i];

        carry = limb_add4(second + i, carry, old, third[i], r[i], middle[i] ^ flip);
        middle[i] = old;
    }
    for (i = 0; i < top; i++) {
        carry = limb_add4(third + i, carry, third[i], middle[i], fourth[i], middle[l + i] ^ flip);
    }
    for (; i < l; i++) {
        carry = limb_add4(third + i, carry, third[i], middle[i], 0, middle[l + i] ^ flip);
    }
    vec_carry(fourth, 0, carry - (negative ^ 1), top);
}

/* r = a b, 2n limbs; r is neither a nor b. */
LAB_FUNCTION void karatsuba_mul(limb_t *r, const limb_t *a, const limb_t *b, size_t n, limb_t *scratch)
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

LAB_FUNCTION void karatsuba_sqr(limb_t *r, const limb_t *a, size_t n, limb_t *scratch)
{
    size_t l = (n + 1) / 2, h = n / 2;

    if (n < KARATSUBA_SQR_FROM) {
        comba_sqr(r, a, n);
        return;
    }
    abs_difference(r, a, a + l, l, h);
    karatsuba_sqr(scratch, r, l, scratch + 2 * l);
    karatsuba_sqr(r, a, l, scratch + 2 * l);
    karatsuba_sqr(r + 2 * l, a + l, h, scratch + 2 * l);
    middle_add(r, scratch, 0, l, h);
}
