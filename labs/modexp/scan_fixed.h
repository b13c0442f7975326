/* SPDX-License-Identifier: Apache-2.0
 *
 * modexp laboratory: fixed windows, from the left. HAC 14.82. The first window has what is left over when the rest is
 * cut into windows of k bits.
 */
#define scan_fixed NAMED(scan_fixed)
#define scan_fixed_ct NAMED(scan_fixed_ct)
#define fixed_table NAMED(fixed_table)
#define table_gather NAMED(table_gather)

/* Powers 0 .. 2^k - 1 of the base; even ones by squaring. The base itself is already entry 1. */
LAB_FUNCTION void fixed_table(const work *w)
{
    size_t n = w->key->n;

    vec_copy(w->table, w->key->one, n);
    for (size_t i = 2; i < (size_t)1 << w->window; i++) {
        if (i % 2 == 0) {
            work_sqr(w, w->table + i * n, w->table + i / 2 * n);
        } else {
            work_mul(w, w->table + i * n, w->table + (i - 1) * n, w->base);
        }
    }
}

static unsigned first_window(const work *w)
{
    return w->bits % w->window != 0 ? (unsigned)(w->bits % w->window) : w->window;
}

/* An exponent without bits, which has no first window: 1. That it has none is its length, which is public. */
static int is_without_bits(const work *w)
{
    if (w->bits == 0) {
        vec_copy(w->power, w->key->one, w->key->n);
    }
    return w->bits == 0;
}

/* Looks the entry up by its index and leaves windows of zeros out. */
LAB_FUNCTION void scan_fixed(const work *w)
{
    size_t n = w->key->n, at = w->bits - first_window(w);

    if (is_without_bits(w)) {
        return;
    }
    fixed_table(w);
    vec_copy(w->power, w->table + exponent_bits(w, at, first_window(w)) * n, n);
    while (at > 0) {
        unsigned digit;

        at -= w->window;
        for (unsigned i = 0; i < w->window; i++) {
            work_sqr(w, w->power, w->power);
        }
        digit = exponent_bits(w, at, w->window);
        if (digit != 0) {
            work_mul(w, w->power, w->power, w->table + digit * n);
        }
    }
}

/* All ones where j is digit, else 0. */
LAB_INLINE limb_t mask_if_same(size_t j, unsigned digit)
{
    return mask_of((limb_t)((((uint32_t)j ^ digit) - 1u) >> 31));
}

/* r = entry `digit` of the table; every entry is read, whichever it is. */
LAB_FUNCTION void table_gather(limb_t *r, const limb_t *table, unsigned digit, size_t entries, size_t n)
{
    size_t i = 0;

    for (; i + 8 <= n; i += 8) {
        limb_t sum[8] = {0};

        for (size_t j = 0; j < entries; j++) {
            limb_t mask = mask_if_same(j, digit);
            const limb_t *entry = table + j * n + i;

            for (size_t k = 0; k < 8; k++) {
                sum[k] |= entry[k] & mask;
            }
        }
        vec_copy(r + i, sum, 8);
    }
    for (; i < n; i++) {
        limb_t sum = 0;

        for (size_t j = 0; j < entries; j++) {
            sum |= table[j * n + i] & mask_if_same(j, digit);
        }
        r[i] = sum;
    }
}

LAB_FUNCTION void scan_fixed_ct(const work *w)
{
    size_t n = w->key->n, at = w->bits - first_window(w), entries = (size_t)1 << w->window;

    if (is_without_bits(w)) {
        return;
    }
    fixed_table(w);
    table_gather(w->power, w->table, exponent_bits(w, at, first_window(w)), entries, n);
    while (at > 0) {
        at -= w->window;
        for (unsigned i = 0; i < w->window; i++) {
            work_sqr(w, w->power, w->power);
        }
        table_gather(w->entry, w->table, exponent_bits(w, at, w->window), entries, n);
        work_mul(w, w->power, w->power, w->entry);
    }
}
