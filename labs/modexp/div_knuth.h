/* SPDX-License-Identifier: Apache-2.0
 *
 * modexp laboratory: reduction by long division. Knuth, TAOCP 2, 4.3.1, algorithm D; HAC 14.20. The quotient itself is
 * not wanted. Branches on values, and divides by an instruction whose time depends on them: never constant-time.
 */
#define knuth_reduce NAMED(knuth_reduce)

/* Quotient of the digits (u2 u1 u0) by the divisor whose two leading digits are (v1 v0): never below the true digit, at
 * most one above it. */
LAB_INLINE limb_t knuth_digit(limb_t u2, limb_t u1, limb_t u0, limb_t v1, limb_t v0)
{
    wide_t top = (wide_t)((wide_t)u2 << LIMB_BITS) | u1;
    wide_t q, rest;

    if (u2 >= v1) {
        q = LIMB_MASK;
        rest = top - q * v1;
        COUNT(limb_mul);
    } else {
        q = top / v1;
        rest = top - q * v1;
        COUNT(limb_mul);
    }
    while (rest <= LIMB_MASK && product((limb_t)q, v0) > ((rest << LIMB_BITS) | u0)) {
        q--;
        rest += v1;
    }
    return (limb_t)q;
}

/* r = x mod m, x has 2n limbs. `u` is room for 2n + 1. */
LAB_FUNCTION void knuth_reduce(limb_t *r, const limb_t *x, const modulus *key, limb_t *u)
{
    const limb_t *v = key->normalised;
    size_t n = key->n;
    limb_t carry = 0;

    for (size_t i = 0; i < 2 * n; i++) {
        wide_t t = (wide_t)((wide_t)x[i] << key->shift) | carry;

        u[i] = LOW(t);
        carry = HIGH(t);
    }
    u[2 * n] = carry;
    for (size_t j = n + 1; j-- > 0;) {
        limb_t q = knuth_digit(u[j + n], u[j + n - 1], n > 1 ? u[j + n - 2] : 0, v[n - 1], n > 1 ? v[n - 2] : 0);
        limb_t borrow = row_sub(u + j, v, n, q);

        if (u[j + n] < borrow) {
            u[j + n] = (limb_t)(u[j + n] - borrow + vec_add(u + j, u + j, v, n)) & LIMB_MASK;
        } else {
            u[j + n] -= borrow;
        }
    }
    for (size_t i = 0; i < n; i++) {
        wide_t high = i + 1 < n ? u[i + 1] : 0;

        r[i] = LOW((wide_t)((high << LIMB_BITS) | u[i]) >> key->shift);
    }
}
