/* SPDX-License-Identifier: Apache-2.0
 *
 * A worker with one operation that leaves vector registers as no function may, and one that tells how it finds them.
 */
#include "cipherstone.h"

#include <string.h>

static int text(cs_case *c, const char *words)
{
    c->out_len = strlen(words);
    memcpy(c->out, words, c->out_len);
    return CS_OK;
}

#if defined(__x86_64__) && defined(__GNUC__)
#include <cpuid.h>

/* Whether AVX is there and XGETBV tells which registers are in use (CPUID leaf 13, subleaf 1). */
static int told(void)
{
    unsigned a, b, c, d;
    return __builtin_cpu_supports("avx2") && __get_cpuid_count(13, 1, &a, &b, &c, &d) && (a & 4) != 0;
}

/* Leaves the upper half of a register in use, which the calling convention forbids. */
static int dirties(cs_case *c)
{
    if (told())
        __asm__ volatile("vpcmpeqd %%ymm1, %%ymm1, %%ymm1" ::: "xmm1");
    return text(c, "done");
}

/* What it finds before it does anything. */
static int upper_halves(cs_case *c)
{
    unsigned a = 0, d;
    int known = told();
    if (known)
        __asm__ volatile("xgetbv" : "=a"(a), "=d"(d) : "c"(1));
    return text(c, !known ? "unknown" : (a & 4) != 0 ? "in use" : "clean");
}
#else
static int dirties(cs_case *c)
{
    return text(c, "done");
}

static int upper_halves(cs_case *c)
{
    return text(c, "unknown");
}
#endif

static const char *version(void)
{
    return "1";
}

static const cs_op ops[] = {
    {.id = "vector-dirties/hash", .impl = "default", .name = "dirties", .call = dirties},
    {.id = "vector-finds/hash", .impl = "default", .name = "upper_halves", .call = upper_halves},
};
static const cs_library library = {
    .abi = CS_ABI, .id = "vector", .version = version, .version_from = "library", .tables = CS_ROWS(ops)};

CS_WORKER_MAIN(library)
