/* SPDX-License-Identifier: Apache-2.0
 *
 * modexp laboratory: bit by bit. Left-to-right binary (HAC 14.79), and the ladder: P. L. Montgomery (1987), M. Joye and
 * S.-M. Yen, The Montgomery powering ladder (2002).
 */
#define scan_fast NAMED(scan_fast)
#define scan_ladder NAMED(scan_ladder)

/* A square for each bit, a product for one bits only: reveals the exponent to anyone who can time it. */
LAB_FUNCTION void scan_fast(const work *w)
{
    size_t i = w->bits;

    while (i > 0 && exponent_bits(w, i - 1, 1) == 0) {
        i--;
    }
    if (i == 0) {
        vec_copy(w->power, w->key->one, w->key->n);
        return;
    }
    vec_copy(w->power, w->base, w->key->n);
    for (i--; i-- > 0;) {
        work_sqr(w, w->power, w->power);
        if (exponent_bits(w, i, 1) != 0) {
            work_mul(w, w->power, w->power, w->base);
        }
    }
}

/* The pair (x^k, x^(k+1)) becomes (x^2k, x^(2k+1)) or (x^(2k+1), x^(2k+2)): the same product and square for either bit;
 * the bit only says, under a mask, which of the two is which. */
LAB_FUNCTION void scan_ladder(const work *w)
{
    size_t n = w->key->n;
    limb_t swapped = 0;

    vec_copy(w->power, w->key->one, n);
    for (size_t i = w->bits; i-- > 0;) {
        limb_t bit = exponent_bits(w, i, 1);

        vec_swap_if(swapped ^ bit, w->power, w->base, n);
        swapped = bit;
        work_mul(w, w->base, w->base, w->power);
        work_sqr(w, w->power, w->power);
    }
    vec_swap_if(swapped, w->power, w->base, n);
}
