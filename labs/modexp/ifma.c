/* SPDX-License-Identifier: Apache-2.0
 *
 * modexp laboratory, IFMA back end: whether it can run, single products, and what its rows tell of themselves.
 */
#if defined(__x86_64__) /* elsewhere: without_ifma.c */

#include "ifma.h"
#include "ifma_convert.h"

#include <cpuid.h>
#include <stdio.h>
#include <string.h>

/* XCR0: the system saves the registers xmm, ymm, the mask registers, and both halves of zmm. */
#define SAVED_STATE 0xe6u

static uint32_t saved_state(void)
{
    uint32_t low, high;

    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

const char *modexp_ifma_unavailable(void)
{
    unsigned a, b, c, d;

    if (!__get_cpuid(1, &a, &b, &c, &d) || (c & bit_OSXSAVE) == 0 || (saved_state() & SAVED_STATE) != SAVED_STATE) {
        return "the system does not save AVX-512 registers";
    }
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d)) {
        return "the CPU has no AVX-512 IFMA";
    }
    if ((b & bit_AVX512IFMA) == 0) {
        return "the CPU has no AVX-512 IFMA";
    }
    if ((b & bit_AVX512F) == 0 || (b & bit_AVX512VL) == 0 || (b & bit_AVX512BW) == 0 || (b & bit_AVX512DQ) == 0 ||
        (b & bit_BMI2) == 0) {
        return "the CPU has no AVX-512 F, VL, BW, DQ or BMI2 beside its IFMA";
    }
    return NULL;
}

void modexp_ifma_load(void *operand, const uint64_t *limbs, int montgomery, const void *key)
{
    const ifma_key *k = key;

    modexp_ifma_to_block(operand, limbs, k->bits / 64, k);
    if (montgomery) {
        modexp_ifma_mul(operand, operand, ifma_number((ifma_key *)k, IFMA_SQUARE_OF_R), key);
    }
}

void modexp_ifma_mul(void *r, const void *a, const void *b, const void *key)
{
    const ifma_key *const k = key;
    const ifma_kernel *kernel = modexp_ifma_kernel(k->bits, 1);
    uint64_t *const result[] = {r};
    const uint64_t *const left[] = {a}, *const right[] = {b};

    kernel->mul(result, left, right, &k);
    kernel->reduce(r, k);
}

void modexp_ifma_store(uint64_t *limbs, const void *operand, const void *key)
{
    const ifma_key *k = key;

    modexp_ifma_from_block(limbs, k->bits / 64, operand, k);
}

/* Limb products of one product: a row multiplies q with all lanes, the head's limbs and one more, and q itself is a
 * product; a multiplication does the same with a limb of the operand. */
static uint64_t products_of_mul(const ifma_kernel *kernel, unsigned limbs)
{
    const uint64_t lanes = 8 * kernel->zmm + 4 * kernel->half;

    return limbs * (1 + 2 * (lanes + IFMA_HEAD + 1));
}

/* A squaring leaves out the words below the one that the row's limb is in, and the head where it was done. */
static uint64_t products_of_sqr(const ifma_kernel *kernel, unsigned limbs)
{
    const uint64_t lanes = 8 * kernel->zmm + 4 * kernel->half;
    uint64_t sum = 0;

    for (unsigned i = 0; i < limbs; i++) {
        sum += 1 + lanes + IFMA_HEAD + 1;
        if (i < IFMA_HEAD) {
            sum += lanes + IFMA_HEAD + 1;
        } else {
            unsigned word = (i - IFMA_HEAD) / 8;

            sum += lanes - 8 * (uint64_t)word + (word == 0);
        }
    }
    return sum;
}

void modexp_ifma_count(modexp_ifma_counts *counts, const uint64_t *exponent, unsigned exponent_bits, unsigned bits,
                       unsigned window, int constant_time)
{
    const ifma_kernel *kernel = modexp_ifma_kernel(bits, 1);
    const unsigned limbs = ifma_limbs(bits);

    (void)constant_time; /* both ways walk the same */
    memset(counts, 0, sizeof(*counts));
    counts->mul = 1; /* the base into Montgomery form */
    counts->red = 1; /* out of it: the product by one */
    if (window == 0) {
        unsigned at = exponent_bits;

        while (at > 0 && (exponent[(at - 1) / 64] >> ((at - 1) % 64) & 1) == 0) {
            at--;
        }
        for (at -= at > 0; at > 0; at--) {
            counts->sqr++;
            counts->mul += exponent[(at - 1) / 64] >> ((at - 1) % 64) & 1;
        }
    } else if (exponent_bits > 0) {
        const unsigned digits = (exponent_bits - 1) / window, half = (1u << window) / 2 - 1;

        counts->mul += half + digits;
        counts->sqr += half + digits * window;
    }
    counts->limb_mul =
        (counts->mul + counts->red) * products_of_mul(kernel, limbs) + counts->sqr * products_of_sqr(kernel, limbs);
}

const char *modexp_ifma_symbols(unsigned bits, unsigned window, int constant_time, int pair)
{
    static char names[512];
    const ifma_kernel *kernel = modexp_ifma_power_kernel(bits, window, pair);
    const int gathers = window > 0 && constant_time;

    snprintf(names, sizeof(names), "%s %s %s%s%s %s modexp_ifma_to_block modexp_ifma_from_block%s", kernel->mul_name,
             kernel->sqr_name, gathers ? kernel->gather_name : "", gathers ? " " : "", kernel->reduce_name,
             window > 0 ? "ifma_by_windows ifma_fill_table" : "ifma_by_bits",
             pair ? " modexp_ifma_power_x2 ifma_exponentiate" : " modexp_ifma_power ifma_exponentiate");
    return names;
}

#endif
