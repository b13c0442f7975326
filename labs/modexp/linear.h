/* SPDX-License-Identifier: Apache-2.0
 *
 * modexp laboratory: what costs one step a limb: sums, differences, selections, comparisons. None branches on values.
 */
#define vec_add NAMED(vec_add)
#define vec_sub NAMED(vec_sub)
#define vec_sub_if NAMED(vec_sub_if)
#define vec_swap_if NAMED(vec_swap_if)
#define vec_select_if NAMED(vec_select_if)

/* r = a + b, the carry is returned. */
LAB_FUNCTION limb_t vec_add(limb_t *r, const limb_t *a, const limb_t *b, size_t n)
{
    limb_t carry = 0;

    for (size_t i = 0; i < n; i++) {
        wide_t t = (wide_t)a[i] + b[i] + carry;

        r[i] = LOW(t);
        carry = HIGH(t);
    }
    return carry;
}

/* r = a - b, the borrow is returned. */
LAB_FUNCTION limb_t vec_sub(limb_t *r, const limb_t *a, const limb_t *b, size_t n)
{
    limb_t borrow = 0;

    for (size_t i = 0; i < n; i++) {
        wide_t t = (wide_t)((wide_t)a[i] - b[i] - borrow);

        r[i] = LOW(t);
        borrow = HIGH(t) & 1;
    }
    return borrow;
}

/* r = a - (b or 0), where `bit` says whether b; the borrow is returned. */
LAB_FUNCTION limb_t vec_sub_if(limb_t bit, limb_t *r, const limb_t *a, const limb_t *b, size_t n)
{
    limb_t mask = mask_of(bit), borrow = 0;

    for (size_t i = 0; i < n; i++) {
        wide_t t = (wide_t)((wide_t)a[i] - (b[i] & mask) - borrow);

        r[i] = LOW(t);
        borrow = HIGH(t) & 1;
    }
    return borrow;
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
