/* SPDX-License-Identifier: Apache-2.0
 *
 * x86 with 32-bit registers: the probes of x86-64, with the six accumulators that there are registers for. No core
 * retires more additions at once than six.
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

static void chain(uint64_t blocks)
{
    uint32_t x = 1, y = 3;
    for (uint32_t left = (uint32_t)blocks; left != 0; left--)
        __asm__ volatile(".rept 64\n\taddl %1, %0\n\t.endr" : "+r"(x) : "r"(y) : "cc");
}

/* Every register but the stack's is added to, so that the count of the loop lies on the stack; eight blocks a
 * round, because that costs more than a count in a register. */
static void throughput(uint64_t blocks)
{
    uint32_t rounds = (uint32_t)(blocks + 7) / 8;
    if (rounds == 0)
        return;
    __asm__ volatile("pushal\n\tpushl %0\n\tmovl $3, %%ebp\n\t"
                     "1:\n\t"
                     ".rept 170\n\t"
                     "addl %%ebp, %%eax\n\taddl %%ebp, %%ebx\n\taddl %%ebp, %%ecx\n\t"
                     "addl %%ebp, %%edx\n\taddl %%ebp, %%esi\n\taddl %%ebp, %%edi\n\t"
                     ".endr\n\t"
                     "addl %%ebp, %%eax\n\taddl %%ebp, %%ebx\n\taddl %%ebp, %%ecx\n\taddl %%ebp, %%edx\n\t"
                     "decl (%%esp)\n\tjnz 1b\n\t"
                     "popl %%eax\n\tpopal"
                     :
                     : "r"(rounds)
                     : "cc", "memory");
}

static void multiply(uint64_t blocks)
{
    uint32_t x = 1, y = 3;
    for (uint32_t left = (uint32_t)blocks; left != 0; left--)
        __asm__ volatile(".rept 64\n\timull %1, %0\n\t.endr" : "+r"(x) : "r"(y) : "cc");
}

/* As on x86-64: each turn begins with clean upper halves of the vector registers. */
static void tidy(void)
{
    if (__builtin_cpu_supports("avx"))
        __asm__ volatile("vzeroupper");
}

const cs_isa cs_isa_here = {
    .probe = "i386",
    .ref_counter = "tsc",
    .ref = ref,
    .chain = chain,
    .throughput = throughput,
    .multiply = multiply,
    .tidy = tidy,
};

#endif
