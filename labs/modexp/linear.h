/* SPDX-License-Identifier: Apache-2.0
 *
 * modexp laboratory: what costs one step a limb: sums, differences, selections, comparisons. None branches on values.
 */
#define vec_add NAMED(vec_add)
#define vec_sub NAMED(vec_sub)
#define vec_sub_if NAMED(vec_sub_if)
#define vec_swap_if NAMED(vec_swap_if)
#define vec_select_if NAMED(vec_select_if)

/* One step of each kind. A full word has no room for the carry. Comparisons find it: gcc turns them into better code
 * than a wide sum. Other limbs have the room. */
#if LIMB_BITS == 32 || LIMB_BITS == 64
LAB_INLINE limb_t limb_add(limb_t *r, limb_t a, limb_t b, limb_t carry)
{
    limb_t t = a + b, u = t + carry;

    *r = u;
    return (limb_t)(t < a) + (u < t);
}
LAB_INLINE limb_t limb_sub(limb_t *r, limb_t a, limb_t b, limb_t borrow)
{
    limb_t t = a - b;

    *r = t - borrow;
    return (limb_t)(a < b) + (t < borrow);
}
#else
LAB_INLINE limb_t limb_add(limb_t *r, limb_t a, limb_t b, limb_t carry)
{
    limb_t t = a + b + carry;

    *r = t & LIMB_MASK;
    return t >> LIMB_BITS;
}
LAB_INLINE limb_t limb_sub(limb_t *r, limb_t a, limb_t b, limb_t borrow)
{
    limb_t t = a - b - borrow;

    *r = t & LIMB_MASK;
    return t >> (WORD_BITS - 1);
}
#endif

/* r = a + b, the carry is returned. */
LAB_FUNCTION limb_t vec_add(limb_t *r, const limb_t *a, const limb_t *b, size_t n)
{
    limb_t carry = 0;
    size_t i = 0;

    for (; i + 4 <= n; i += 4) {
        carry = limb_add(r + i, a[i], b[i], carry);
        carry = limb_add(r + i + 1, a[i + 1], b[i + 1], carry);
        carry = limb_add(r + i + 2, a[i + 2], b[i + 2], carry);
        carry = limb_add(r + i + 3, a[i + 3], b[i + 3], carry);
    }
    for (; i < n; i++) {
        carry = limb_add(r + i, a[i], b[i], carry);
    }
    return carry;
}

/* r = a - (b under a mask), the borrow is returned. */
LAB_INLINE limb_t subtract(limb_t mask, limb_t *r, const limb_t *a, const limb_t *b, size_t n)
{
    limb_t borrow = 0;
    size_t i = 0;

    for (; i + 4 <= n; i += 4) {
        borrow = limb_sub(r + i, a[i], b[i] & mask, borrow);
        borrow = limb_sub(r + i + 1, a[i + 1], b[i + 1] & mask, borrow);
        borrow = limb_sub(r + i + 2, a[i + 2], b[i + 2] & mask, borrow);
        borrow = limb_sub(r + i + 3, a[i + 3], b[i + 3] & mask, borrow);
    }
    for (; i < n; i++) {
        borrow = limb_sub(r + i, a[i], b[i] & mask, borrow);
    }
    return borrow;
}

/* r = a - b, the borrow is returned. */
LAB_FUNCTION limb_t vec_sub(limb_t *r, const limb_t *a, const limb_t *b, size_t n)
{
    return subtract(NO_MASK, r, a, b, n);
}

/* r = a - (b or 0), where `bit` says whether b; the borrow is returned. */
LAB_FUNCTION limb_t vec_sub_if(limb_t bit, limb_t *r, const limb_t *a, const limb_t *b, size_t n)
{
    return subtract(mask_of(bit), r, a, b, n);
}

/* r = (r, its bits turned where `flip` is all ones) + carry, what does not fit is returned. */
LAB_INLINE limb_t vec_carry(limb_t *r, limb_t flip, limb_t carry, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        carry = limb_add(r + i, r[i] ^ (flip & LIMB_MASK), 0, carry);
    }
    return carry;
}

/* Swaps a and b if `bit` is 1. */
LAB_FUNCTION void vec_swap_if(limb_t bit, limb_t *a, limb_t *b, size_t n)
{
    limb_t mask = mask_of(bit);

    for (size_t i = 0; i < n; i++) {
        limb_t t = (a[i] ^ b[i]) & mask;

        a[i] ^= t;
        b[i] ^= t;
    }
}

/* r = a if `bit` is 1. */
LAB_FUNCTION void vec_select_if(limb_t bit, limb_t *r, const limb_t *a, size_t n)
{
    limb_t mask = mask_of(bit);

    for (size_t i = 0; i < n; i++) {
        r[i] ^= (r[i] ^ a[i]) & mask;
    }
}

LAB_INLINE void vec_copy(limb_t *r, const limb_t *a, size_t n)
{
    memmove(r, a, n * sizeof(limb_t));
}

LAB_INLINE void vec_zero(limb_t *r, size_t n)
{
    memset(r, 0, n * sizeof(limb_t));
}

/* 1 if a >= b, else 0. */
LAB_INLINE limb_t vec_not_below(const limb_t *a, const limb_t *b, size_t n)
{
    limb_t borrow = 0;

    for (size_t i = 0; i < n; i++) {
        borrow = HIGH((wide_t)((wide_t)a[i] - b[i] - borrow)) & 1;
    }
    return borrow ^ 1;
}

/* x = x - m if x >= m: one step, for x < 2 m. */
LAB_INLINE void vec_reduce_once(limb_t *x, const limb_t *m, size_t n)
{
    vec_sub_if(vec_not_below(x, m, n), x, x, m, n);
}

/* x = 2 x mod m for x < m. Returns 1 if m was subtracted. */
LAB_INLINE limb_t vec_double_mod(limb_t *x, const limb_t *m, size_t n)
{
    limb_t over = vec_add(x, x, x, n);

    over |= vec_not_below(x, m, n);
    vec_sub_if(over, x, x, m, n);
    return over;
}
