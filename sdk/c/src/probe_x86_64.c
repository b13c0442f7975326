/* SPDX-License-Identifier: Apache-2.0
 *
 * x86-64: register-register additions only, because newer cores can fold `inc` and `add` of an immediate.
 */
#include "sdk.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(CS_POSIX_ONLY)

/* Ordered after everything before it. Ticks at a fixed rate that is not the core's clock. */
static uint64_t ref(void)
{
    uint32_t low, high;
    __asm__ volatile("lfence\n\trdtsc" : "=a"(low), "=d"(high)::"memory");
    return (uint64_t)high << 32 | low;
}

static void chain(uint64_t blocks)
{
    uint64_t x = 1, y = 3;
    for (; blocks != 0; blocks--)
        __asm__ volatile(".rept 64\n\taddq %1, %0\n\t.endr" : "+r"(x) : "r"(y) : "cc");
}

static void throughput(uint64_t blocks)
{
    uint64_t a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8, y = 3;
    for (; blocks != 0; blocks--)
        __asm__ volatile(".rept 16\n\t"
                         "addq %8, %0\n\taddq %8, %1\n\taddq %8, %2\n\taddq %8, %3\n\t"
                         "addq %8, %4\n\taddq %8, %5\n\taddq %8, %6\n\taddq %8, %7\n\t"
                         ".endr"
                         : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f), "+r"(g), "+r"(h)
                         : "r"(y)
                         : "cc");
}

static void multiply(uint64_t blocks)
{
    uint64_t x = 1, y = 3;
    for (; blocks != 0; blocks--)
        __asm__ volatile(".rept 64\n\timulq %1, %0\n\t.endr" : "+r"(x) : "r"(y) : "cc");
}

/* The calling convention wants the upper halves of the vector registers clean. Code that leaves them dirty makes every
 * SSE instruction after it slower until other code cleans them. A call of 120 ns took 300 ns after another operation
 * had run in the same process. So each turn begins clean. The effect of an operation on its own next calls stays its
 * own.
 */
static void tidy(void)
{
    if (__builtin_cpu_supports("avx"))
        __asm__ volatile("vzeroupper");
}

const cs_isa cs_isa_here = {
    .probe = "x86_64",
    .ref_counter = "tsc",
    .ref = ref,
    .chain = chain,
    .throughput = throughput,
    .multiply = multiply,
    .tidy = tidy,
};

#endif
