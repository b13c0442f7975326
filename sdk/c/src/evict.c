/* SPDX-License-Identifier: Apache-2.0
 *
 * Emptying caches for cache=cold. Inputs, output, code and tables are taken out of every cache by instruction, on
 * x86 (clflush) and AArch64 (dc civac, ic ivau). Data at unknown addresses, a context on the heap for instance, is
 * pushed out of the core's own caches: the worker reads more memory than the second-level cache holds. Without such an
 * instruction all data are pushed out in this way. This does not empty branch predictors or the shared last-level cache
 * behind the core.
 */
#define CS_SYSTEM_EXTENSIONS
#include "sdk.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#if defined(__linux__) && !defined(CS_POSIX_ONLY)
#include <link.h>
#define HAS_SEGMENTS 1
#endif

#ifndef _SC_LEVEL2_CACHE_SIZE
#define _SC_LEVEL2_CACHE_SIZE (-1) /* unknown here: sysconf says -1 */
#endif

#define LINE ((size_t)64)
#define LEAST_WALK ((size_t)4 << 20)
#define MOST_WALK ((size_t)32 << 20)
#define STRETCHES_MAX 4096

static uint8_t *walked;
static size_t walk_bytes;
static volatile unsigned sum_of_walked; /* so that the compiler leaves the reading in */

#if (defined(__GNUC__) || defined(__clang__)) && (defined(__x86_64__) || defined(__i386__)) && !defined(CS_POSIX_ONLY)
#include <cpuid.h>

#define HAS_CLFLUSHOPT (1u << 23) /* leaf 7, EBX */

/* clflush waits for the one before it; clflushopt, which not every processor has, does not. -1: not asked yet. */
static int unordered = -1;

static void flush(const uint8_t *from, size_t len, bool code)
{
    unsigned a, b, c, d;
    (void)code; /* caches of instructions follow */
    if (unordered < 0)
        unordered = __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & HAS_CLFLUSHOPT);
    for (const uint8_t *at = from - (uintptr_t)from % LINE; at < from + len; at += LINE)
        if (unordered)
            __asm__ volatile(".byte 0x66\n\tclflush (%0)" : : "r"(at) : "memory"); /* clflushopt, for any assembler */
        else
            __asm__ volatile("clflush (%0)" : : "r"(at) : "memory");
    __asm__ volatile("mfence" : : : "memory");
}

#elif (defined(__GNUC__) || defined(__clang__)) && defined(__aarch64__) && !defined(CS_POSIX_ONLY)

/* Bytes of the smallest line of data caches (`field` 16) or instruction caches (0). */
static size_t smallest_line(unsigned field)
{
    uint64_t kind;
    __asm__ volatile("mrs %0, ctr_el0" : "=r"(kind));
    return (size_t)4 << (kind >> field & 15);
}

static void flush(const uint8_t *from, size_t len, bool code)
{
    size_t data = smallest_line(16), instructions = smallest_line(0);
    for (const uint8_t *at = from - (uintptr_t)from % data; at < from + len; at += data)
        __asm__ volatile("dc civac, %0" : : "r"(at) : "memory");
    __asm__ volatile("dsb ish" : : : "memory");
    for (const uint8_t *at = from - (uintptr_t)from % instructions; code && at < from + len; at += instructions)
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

/* Code and tables: whole pages, as far as this process has them. Pages that it never touched are in no cache because
 * of it, and flushing them takes as long. */
static struct stretch {
    const uint8_t *from;
    size_t len;
    bool code;
} stretch[STRETCHES_MAX];
static size_t stretches;

#ifdef HAS_SEGMENTS
static void add(const uint8_t *from, size_t len, bool code)
{
    struct stretch *last = stretches > 0 ? &stretch[stretches - 1] : NULL;
    if (last != NULL && last->from + last->len == from)
        last->len += len;
    else if (stretches < STRETCHES_MAX)
        stretch[stretches++] = (struct stretch){from, len, code};
}

/* Whether a page is there, by the kernel's table of them (64 bits a page, the highest says so); yes if it is silent. */
static bool present(int table, uintptr_t page, size_t page_bytes)
{
    uint64_t entry;
    return table < 0 || pread(table, &entry, sizeof entry, (off_t)(page / page_bytes * sizeof entry)) != sizeof entry ||
           entry >> 63 != 0;
}

static int add_object(struct dl_phdr_info *object, size_t size, void *opened)
{
    const int table = *(const int *)opened;
    const size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    (void)size;
    for (size_t i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *one = &object->dlpi_phdr[i];
        if (one->p_type != PT_LOAD || (one->p_flags & PF_R) == 0)
            continue;
        uintptr_t at = object->dlpi_addr + one->p_vaddr, end = at + one->p_memsz;
        while (at < end) {
            uintptr_t next = (at / page_bytes + 1) * page_bytes;
            next = next < end ? next : end;
            if (present(table, at, page_bytes))
                add((const uint8_t *)at, next - at, (one->p_flags & PF_X) != 0);
            at = next;
        }
    }
    return 0;
}
#endif

bool cs_evict_survey(void)
{
    stretches = 0;
#ifdef HAS_SEGMENTS
    int table = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    dl_iterate_phdr(add_object, &table);
    (void)close(table);
#endif
    if (walked != NULL)
        return true;
    const long wanted = 2 * sysconf(_SC_LEVEL2_CACHE_SIZE);
    walk_bytes = wanted<(long)LEAST_WALK ? LEAST_WALK : wanted>(long) MOST_WALK ? MOST_WALK : (size_t)wanted;
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
    unsigned sum = 0;
    for (size_t at = 0; at < walk_bytes; at += LINE)
        sum += walked[at];
    sum_of_walked = sum;
    for (size_t i = 0; i < stretches; i++)
        flush(stretch[i].from, stretch[i].len, stretch[i].code);
}
