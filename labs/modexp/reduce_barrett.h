/* SPDX-License-Identifier: Apache-2.0
 *
 * modexp laboratory: reduction by the precomputed reciprocal. P. Barrett (CRYPTO '86); HAC 14.42, with the columns left
 * out of both products that cannot change the result by more than one subtraction (HAC 14.44). No branch on values.
 */
#define barrett_reduce NAMED(barrett_reduce)

enum { BARRETT_CORRECTIONS = 3 };

/* r = x mod m, x has 2n limbs. `room` is 2 (n + 1) limbs. */
LAB_FUNCTION void barrett_reduce(limb_t *r, const limb_t *x, const modulus *key, limb_t *room)
{
    size_t n = key->n;
    const limb_t *m = key->m, *high = x + n - 1, *reciprocal = key->reciprocal;
    limb_t *q = room, *rest = room + n + 1;
    limb_t borrow = 0;
    sum_t s = {0, 0};

    /* The quotient: the top of (x / B^(n-1)) times the reciprocal, from column n - 1 on. */
    for (size_t i = n - 1; i <= n; i++) {
        column_add(&s, high, reciprocal + i, i + 1);
        (void)sum_next(&s);
    }
    for (size_t i = n + 1; i <= 2 * n; i++) {
        column_add(&s, high + (i - n), reciprocal + n, 2 * n + 1 - i);
        q[i - n - 1] = sum_next(&s);
    }
    q[n] = sum_next(&s);

    /* rest = x - q m, known to be small: modulo B^(n+1). */
    s = (sum_t){0, 0};
    for (size_t i = 0; i <= n; i++) {
        wide_t t;

        if (i < n) {
            column_add(&s, q, m + i, i + 1);
        } else {
            column_add(&s, q + 1, m + n - 1, n);
        }
        t = (wide_t)((wide_t)x[i] - sum_next(&s) - borrow);
        rest[i] = LOW(t);
        borrow = HIGH(t) & 1;
    }
    for (int i = 0; i < BARRETT_CORRECTIONS; i++) {
        wide_t top = (wide_t)((wide_t)rest[n] - vec_sub(q, rest, m, n));

        q[n] = LOW(top);
        vec_select_if((HIGH(top) & 1) ^ 1, rest, q, n + 1);
    }
    vec_copy(r, rest, n);
}
