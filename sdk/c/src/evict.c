/* SPDX-License-Identifier: Apache-2.0
 *
 * Emptying caches for cache=cold. Inputs, output, code and tables are taken out of every cache by instruction, on
 * x86-64 (clflush) and AArch64 (dc civac, ic ivau). What lies where nobody knows, a context on the heap for instance,
 * is pushed out of the core's own caches by reading more memory than the second-level cache holds; where there is no
 * instruction everything is. Branch predictors and the shared last-level cache behind the core are not emptied of it.
 */
#define CS_SYSTEM_EXTENSIONS
#include "sdk.h"

#include <string.h>
#include <unistd.h>

#if defined(__linux__) && !defined(CS_POSIX_ONLY)
#include <link.h>
#define HAS_SEGMENTS 1
#endif

#define LINE ((size_t)64)
#define LEAST_WALK ((size_t)4 << 20)
#define MOST_WALK ((size_t)32 << 20)
#define SEGMENTS_MAX 512

static uint8_t *walked;
static size_t walk_bytes;

#if (defined(__GNUC__) || defined(__clang__)) && defined(__x86_64__) && !defined(CS_POSIX_ONLY)

static void flush(const uint8_t *from, size_t len, bool code)
{
    (void)code; /* caches of instructions follow */
    const uint8_t *end = from + len;
    for (const uint8_t *at = from - (uintptr_t)from % LINE; at < end; at += LINE)
        __asm__ volatile("clflush (%0)" : : "r"(at) : "memory");
    __asm__ volatile("mfence" : : : "memory");
}

#elif (defined(__GNUC__) || defined(__clang__)) && defined(__aarch64__) && !defined(CS_POSIX_ONLY)

static void flush(const uint8_t *from, size_t len, bool code)
{
    uint64_t kind;
    __asm__ volatile("mrs %0, ctr_el0" : "=r"(kind));
    const uint8_t *end = from + len;
    size_t data = (size_t)4 << (kind >> 16 & 15), instructions = (size_t)4 << (kind & 15);
    for (const uint8_t *at = from - (uintptr_t)from % data; at < end; at += data)
        __asm__ volatile("dc civac, %0" : : "r"(at) : "memory");
    __asm__ volatile("dsb ish" : : : "memory");
    for (const uint8_t *at = from - (uintptr_t)from % instructions; code && at < end; at += instructions)
        __asm__ volatile("ic ivau, %0" : : "r"(at) : "memory");
    __asm__ volatile("dsb ish\n\tisb" : : : "memory");
}

#else

static void flush(const uint8_t *from, size_t len, bool code)
{
    (void)from;
    (void)len;
    (void)code;
}

#endif

static struct segment {
    const uint8_t *from;
    size_t len;
    bool code;
} segment[SEGMENTS_MAX];
static size_t segments;

#ifdef HAS_SEGMENTS
static int add_segments(struct dl_phdr_info *object, size_t size, void *unused)
{
    (void)size;
    (void)unused;
    for (size_t i = 0; i < object->dlpi_phnum && segments < SEGMENTS_MAX; i++) {
        const ElfW(Phdr) *one = &object->dlpi_phdr[i];
        if (one->p_type == PT_LOAD && (one->p_flags & PF_R) != 0)
            segment[segments++] = (struct segment){(const uint8_t *)(object->dlpi_addr + one->p_vaddr), one->p_memsz,
                                                   (one->p_flags & PF_X) != 0};
    }
    return 0;
}
#endif

bool cs_evict_survey(void)
{
    segments = 0;
#ifdef HAS_SEGMENTS
    dl_iterate_phdr(add_segments, NULL);
#endif
    if (walked != NULL)
        return true;
    long level2 = 0;
#ifdef _SC_LEVEL2_CACHE_SIZE
    level2 = sysconf(_SC_LEVEL2_CACHE_SIZE);
#endif
    walk_bytes = level2 > 0 ? 2 * (size_t)level2 : LEAST_WALK;
    walk_bytes = walk_bytes < LEAST_WALK ? LEAST_WALK : walk_bytes > MOST_WALK ? MOST_WALK : walk_bytes;
    walked = cs_alloc(walk_bytes);
    if (walked != NULL)
        memset(walked, 1, walk_bytes); /* pages that are not written to are all the same one */
    return walked != NULL;
}

void cs_evict_range(const void *from, size_t len)
{
    flush(from, len, false);
}

void cs_evict_all(void)
{
    static volatile unsigned sink;
    unsigned sum = 0;
    for (size_t at = 0; at < walk_bytes; at += LINE)
        sum += walked[at];
    sink = sum;
    (void)sink;
    for (size_t i = 0; i < segments; i++)
        flush(segment[i].from, segment[i].len, segment[i].code);
}
