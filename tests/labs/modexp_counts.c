/* SPDX-License-Identifier: Apache-2.0
 *
 * What the counting build counts against the formulas of HAC, section 14.6, worked out from the exponent's own bits.
 */
#include "modexp_driver.h"

#include <stdio.h>
#include <stdlib.h>

/* Reduction by columns: a digit of the quotient costs a product of its own only in the rows that the scaled modulus
 * leaves to the modulus itself. */
static uint64_t columns_of(uint64_t n)
{
    return n * n + (n < 16 ? n : 8 + n % 8);
}

/* Products of one modular multiplication of n limbs where all is by the book; HAC table 14.7 and Koc and others. */
static uint64_t products_of(modexp_reduction reduction, uint64_t n, int square)
{
    uint64_t whole = square ? n * (n + 1) / 2 : n * n;

    switch (reduction) {
    case MODEXP_CIOS:
    case MODEXP_FIOS:
        return 2 * n * n + n;
    case MODEXP_MONT:
        return whole + columns_of(n);
    case MODEXP_BARRETT:
        /* Both products cut: columns n - 1 and up of (n + 1) by (n + 1), columns up to n of (n + 1) by n. */
        return whole + (n + 1) * (n + 1) - n * (n - 1) / 2 + n * (n + 1) / 2 + n;
    default:
        return 0;
    }
}

static int bit(const mpz_t e, size_t i)
{
    return mpz_tstbit(e, i);
}

/* Squares and products of the walk alone, `t` = all bits scanned. */
static void expected(modexp_method method, const mpz_t e, size_t t, uint64_t *mul, uint64_t *sqr)
{
    uint64_t k = method.window, entries = k == 0 ? 0 : (uint64_t)1 << k;
    size_t top = mpz_sizeinbase(e, 2), first = k == 0 ? 0 : (t % k != 0 ? t % k : k);

    *mul = *sqr = 0;
    switch (method.scan) {
    case MODEXP_FAST: /* HAC 14.79 */
        *sqr = top - 1;
        *mul = mpz_popcount(e) - 1;
        break;
    case MODEXP_LADDER:
        *sqr = *mul = t;
        break;
    case MODEXP_FIXED:
    case MODEXP_FIXED_CT: /* HAC 14.82 */
        *sqr = entries / 2 - 1 + (t - first);
        *mul = entries / 2 - 1;
        for (size_t at = t - first; at > 0;) {
            int zero = 1;

            at -= k;
            for (size_t i = 0; i < k; i++) {
                zero &= !bit(e, at + i);
            }
            *mul += method.scan == MODEXP_FIXED_CT || !zero;
        }
        break;
    default: /* HAC 14.85: squares for all bits below the first window, a product for each other window */
        *sqr = k > 1;
        *mul = entries / 2 - 1;
        for (size_t i = top, windows = 0; i > 0;) {
            size_t low = i >= k ? i - k : 0;

            if (!bit(e, i - 1)) {
                i--;
                *sqr += 1;
                continue;
            }
            while (!bit(e, low)) {
                low++;
            }
            *sqr += windows > 0 ? i - low : 0;
            *mul += windows > 0;
            windows++;
            i = low;
        }
    }
}

typedef struct numbers {
    mpz_t m, base, e;
    size_t bits;
} numbers;

static void compare(modexp_method method, void *context)
{
    const numbers *x = context;
    size_t len = x->bits / 8;
    int montgomery = method.reduction != MODEXP_BASIC && method.reduction != MODEXP_BARRETT;

    for (int i = 0; i < 4; i++) {
        const driver *d = &drivers[i], turned = {d->counted, d->counted};
        uint64_t n = d->plain->limbs((unsigned)x->bits), mul, sqr, limbs;

        expected(method, x->e, x->bits, &mul, &sqr);
        driver_power(&turned, method, x->m, x->base, x->e, len);
        /* Into Montgomery form is one product more, out of it a reduction; elsewhere the base is reduced. */
        mul += (uint64_t)montgomery;
        if (modexp_counted.mul != mul || modexp_counted.sqr != sqr || modexp_counted.red != 1) {
            printf("mul %lu, expected %lu; sqr %lu, expected %lu; red %lu\n", (unsigned long)modexp_counted.mul,
                   (unsigned long)mul, (unsigned long)modexp_counted.sqr, (unsigned long)sqr,
                   (unsigned long)modexp_counted.red);
            driver_fail(d, method, "counts differ from the formula", x->m, x->base, x->e);
        }
        limbs = mul * products_of(method.reduction, n, 0) + sqr * products_of(method.reduction, n, 1) +
                (montgomery ? columns_of(n) : products_of(method.reduction, n, 0) - n * n);
        if (products_of(method.reduction, n, 0) != 0) {
            if (method.reduction == MODEXP_CIOS || method.reduction == MODEXP_FIOS) {
                limbs = (mul + sqr) * (2 * n * n + n) + n * n + n;
            }
            if (modexp_counted.limb_mul != limbs) {
                printf("limb products %lu, expected %lu\n", (unsigned long)modexp_counted.limb_mul,
                       (unsigned long)limbs);
                driver_fail(d, method, "limb products differ from the formula", x->m, x->base, x->e);
            }
        }
    }
}

void part_counts(void)
{
    numbers x;

    mpz_inits(x.m, x.base, x.e, NULL);
    for (unsigned i = 0; i < 6; i++) {
        x.bits = i < 4 ? 256 : 512;
        mpz_urandomb(x.m, driver_random, x.bits);
        mpz_setbit(x.m, x.bits - 1);
        mpz_setbit(x.m, 0);
        mpz_urandomm(x.base, driver_random, x.m);
        if (i % 2 == 0) {
            mpz_urandomb(x.e, driver_random, x.bits);
        } else {
            mpz_rrandomb(x.e, driver_random, x.bits - i);
        }
        mpz_setbit(x.e, x.bits - 1 - i);
        driver_methods(0, compare, &x);
    }
    mpz_clears(x.m, x.base, x.e, NULL);
}
