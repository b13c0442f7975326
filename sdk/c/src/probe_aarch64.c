/* SPDX-License-Identifier: Apache-2.0
 *
 * AArch64: the same three chains, and the virtual counter, which user space may read.
 */
#include "sdk.h"

#if defined(__aarch64__) && defined(__GNUC__) && !defined(CS_POSIX_ONLY)

/* Ordered after everything before it. Ticks at a fixed rate that is not the core's clock. */
static uint64_t ref(void)
{
    uint64_t ticks;
    __asm__ volatile("isb\n\tmrs %0, cntvct_el0" : "=r"(ticks)::"memory");
    return ticks;
}

static void chain(uint64_t blocks)
{
    uint64_t x = 1, y = 3;
    for (; blocks != 0; blocks--)
        __asm__ volatile(".rept 64\n\tadd %0, %0, %1\n\t.endr" : "+r"(x) : "r"(y));
}

static void throughput(uint64_t blocks)
{
    uint64_t a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8, y = 3;
    for (; blocks != 0; blocks--)
        __asm__ volatile(".rept 16\n\t"
                         "add %0, %0, %8\n\tadd %1, %1, %8\n\tadd %2, %2, %8\n\tadd %3, %3, %8\n\t"
                         "add %4, %4, %8\n\tadd %5, %5, %8\n\tadd %6, %6, %8\n\tadd %7, %7, %8\n\t"
                         ".endr"
                         : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f), "+r"(g), "+r"(h)
                         : "r"(y));
}

static void multiply(uint64_t blocks)
{
    uint64_t x = 1, y = 3;
    for (; blocks != 0; blocks--)
        __asm__ volatile(".rept 64\n\tmul %0, %0, %1\n\t.endr" : "+r"(x) : "r"(y));
}

const cs_isa cs_isa_here = {
    .probe = "aarch64",
    .ref_counter = "cntvct",
    .ref = ref,
    .chain = chain,
    .throughput = throughput,
    .multiply = multiply,
};

#endif
