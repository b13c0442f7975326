/* SPDX-License-Identifier: Apache-2.0
 *
 * modexp laboratory: sliding windows over odd powers: HAC 14.85. Half the table of fixed windows, fewer products; where
 * the windows lie depends on the exponent.
 */
#define scan_sliding NAMED(scan_sliding)

/* Powers 1, 3, 5 .. 2^k - 1 of the base; the base itself is already entry 0. Uses `power` for the square. */
LAB_FUNCTION void scan_sliding(const work *w)
{
    size_t n = w->key->n, i = w->bits;
    int begun = 0;

    if (is_without_bits(w)) {
        return;
    }
    if (w->window > 1) {
        work_sqr(w, w->power, w->base);
    }
    for (size_t j = 1; j < (size_t)1 << (w->window - 1); j++) {
        work_mul(w, w->table + j * n, w->table + (j - 1) * n, w->power);
    }
    while (i > 0) {
        unsigned length = i < w->window ? (unsigned)i : w->window, digit;

        if (exponent_bits(w, i - 1, 1) == 0) {
            if (begun) {
                work_sqr(w, w->power, w->power);
            }
            i--;
            continue;
        }
        digit = exponent_bits(w, i - length, length);
        while (digit % 2 == 0) {
            digit /= 2;
            length--;
        }
        i -= length;
        if (!begun) {
            vec_copy(w->power, w->table + digit / 2 * n, n);
            begun = 1;
            continue;
        }
        for (unsigned j = 0; j < length; j++) {
            work_sqr(w, w->power, w->power);
        }
        work_mul(w, w->power, w->power, w->table + digit / 2 * n);
    }
    if (!begun) {
        vec_copy(w->power, w->key->one, n);
    }
}
