/* SPDX-License-Identifier: Apache-2.0
 *
 * x86 with 32-bit registers: a reference counter, and no probes. Six accumulators, for which there are registers, do
 * not keep a core busy that retires six additions at once: it read 4.6 a cycle where eight read 5.2, and would look
 * shared for ever beside workers of 64 bits.
 */
#include "sdk.h"

#if defined(__i386__) && defined(__GNUC__) && !defined(CS_POSIX_ONLY)

/* Ordered after everything before it. Ticks at a fixed rate that is not the core's clock. */
static uint64_t ref(void)
{
    uint32_t low, high;
    __asm__ volatile("lfence\n\trdtsc" : "=a"(low), "=d"(high)::"memory");
    return (uint64_t)high << 32 | low;
}

/* As on x86-64: each turn begins with clean upper halves of the vector registers. */
static void tidy(void)
{
    if (__builtin_cpu_supports("avx"))
        __asm__ volatile("vzeroupper");
}

const cs_isa cs_isa_here = {.ref_counter = "tsc", .ref = ref, .tidy = tidy};

#endif
