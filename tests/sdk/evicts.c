/* SPDX-License-Identifier: Apache-2.0
 *
 * Which segments are emptied out of caches, how far, and by which instruction: the unit itself, on a processor that has
 * only the older one, in a system that tells what it is to tell.
 */
#define _GNU_SOURCE
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
/* What the processor says of its features, by EBX of leaf 7; -1: it does not know the leaf. */
static long leaf7;
#define __get_cpuid_count(leaf, part, a, b, c, d)                                                                      \
    (*(a) = *(c) = *(d) = ~0u, *(b) = (unsigned)leaf7, (leaf) == 7 && (part) == 0 && leaf7 >= 0)
#endif
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE 4096

/* What the system says of the second cache. */
static long second_cache;

static long told(int name)
{
    return name == _SC_PAGESIZE ? PAGE : second_cache;
}
#define sysconf told

/* The kernel's table: of the pages of `memory` those are there whose bit is set. */
static _Alignas(PAGE) uint8_t memory[1 << 16];
static unsigned there = 0xffff;
static bool table_is_short;
static int tables_open;

static ssize_t told_page(int table, void *to, size_t bytes, off_t at)
{
    uintptr_t page = (uintptr_t)at / sizeof(uint64_t), first = (uintptr_t)memory / PAGE;
    uint64_t entry = 0x7fffffffffffffff;
    if (page >= first && page < first + 17)
        entry |= (uint64_t)(there >> (page - first) & 1) << 63;
    *(uint64_t *)to = entry;
    return table == 5 && bytes == sizeof entry && !table_is_short ? (ssize_t)bytes : 0;
}

static int open_table(const char *path, int flags)
{
    (void)path;
    (void)flags;
    tables_open++;
    return 5;
}

static int close_table(int table)
{
    tables_open--;
    return table == 5 ? 0 : -1;
}

static int list(int (*tell)(struct dl_phdr_info *, size_t, void *), void *with);
#define pread told_page
#define open open_table
#define close close_table
#define dl_iterate_phdr list
#include "evict.c"

#include <stdio.h>
#include <stdlib.h>

static bool is_full;

/* Behind what is asked for lies something else. */
void *cs_alloc(size_t bytes)
{
    uint8_t *found = is_full ? NULL : calloc(1, bytes + 1);
    if (found != NULL)
        found[bytes] = 0x77;
    return found;
}

/* An object with a segment that is left out and then two of `memory`: one byte in, and three pages. What follows in
 * memory is none of it. The next object is asked for. */
static int list(int (*tell)(struct dl_phdr_info *, size_t, void *), void *with)
{
    const ElfW(Phdr) parts[] = {
        {.p_type = PT_NOTE, .p_flags = PF_R, .p_vaddr = (uintptr_t)memory, .p_memsz = 64},
        {.p_type = PT_LOAD, .p_flags = PF_R, .p_vaddr = (uintptr_t)memory + 1, .p_memsz = 9 * PAGE},
        {.p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_vaddr = (uintptr_t)memory + 12 * PAGE, .p_memsz = 3 * PAGE},
        {.p_type = PT_LOAD, .p_flags = PF_R, .p_vaddr = (uintptr_t)memory + 10 * PAGE, .p_memsz = PAGE}};
    struct dl_phdr_info object = {.dlpi_phdr = parts, .dlpi_phnum = CS_COUNT(parts) - 1};
    if (tell(&object, sizeof object, with) != 0)
        printf("no more ");
    return 0;
}

/* What is to be emptied after a survey: from where in `memory`, how many bytes, `c` if it is code. */
static void surveyed(unsigned pages, bool is_short)
{
    there = pages;
    table_is_short = is_short;
    cs_evict_survey();
    for (size_t i = 0; i < stretches; i++)
        printf("%d+%zu%s ", (int)(stretch[i].from - memory), stretch[i].len, stretch[i].code ? "c" : "");
    printf("%d\n", tables_open);
}

/* Bytes that are walked through where the second cache has so many, or -1 without memory for them; 0 if a page of them
 * was not written to, or not all of them are read, or others. */
static long walk(long bytes)
{
    second_cache = bytes;
    walked = NULL;
    if (!cs_evict_survey())
        return -1;
    for (size_t i = 0; i < walk_bytes; i += PAGE)
        if (walked[i] == 0)
            return 0;
    const uint8_t *first = walked;
    if (walked[walk_bytes - 1] == 0 || !cs_evict_survey() || walked != first)
        return 0;
    stretches = 0;
    walked[0] = 3;
    cs_evict_all();
    if (sum_of_walked != (walk_bytes + 63) / 64 + 2)
        return 0;
    free(walked);
    return (long)walk_bytes;
}

/* Bytes of `memory` that are to be emptied if it is a segment of that kind and with these flags. */
static size_t taken(uint32_t type, uint32_t flags)
{
    const ElfW(Phdr) one = {.p_type = type, .p_flags = flags, .p_vaddr = (uintptr_t)memory, .p_memsz = sizeof memory};
    struct dl_phdr_info object = {.dlpi_phdr = &one, .dlpi_phnum = 1};
    const int no_table = -1;
    size_t sum = 0;

    stretches = 0;
    add_object(&object, sizeof object, (void *)(uintptr_t)&no_table);
    for (size_t i = 0; i < stretches; i++)
        sum += stretch[i].len;
    return sum;
}

/* Whether emptying so many bytes from there comes to a page that nobody may read, the first or the third: `.` no, `x`
 * yes. */
static void reaches(const uint8_t *pages, size_t at, size_t len)
{
    fflush(stdout);
    pid_t child = fork();
    int how = 0;
    if (child == 0) {
        walk_bytes = 0;
        stretch[0] = (struct stretch){pages + at, len, false};
        stretch[1] = (struct stretch){pages, 1, false};
        stretches = 1;
        cs_evict_all();
        _exit(0);
    }
    if (child < 0 || waitpid(child, &how, 0) != child)
        abort();
    printf(how == 0 ? "." : "x");
}

int main(void)
{
    size_t all = taken(PT_LOAD, PF_R);
    printf("%zu in %zu %zu %zu %zu %zu\n", all, stretches, taken(PT_LOAD, PF_R | PF_X), taken(PT_LOAD, PF_X),
           taken(PT_LOAD, 0), taken(PT_NOTE, PF_R));
    surveyed(0xffff, false);
    surveyed(0xffff, false);
    surveyed(0x5a06, false);
    surveyed(0, false);
    surveyed(0, true);
    cs_evict_range(memory + 1, sizeof memory - 2);
    uint8_t *pages = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED || mprotect(pages, PAGE, PROT_NONE) != 0 ||
        mprotect(pages + 2 * PAGE, PAGE, PROT_NONE) != 0)
        return 2;
    const size_t ranges[][2] = {{PAGE, PAGE},         {PAGE - 1, 2},    {PAGE - 64, 64},   {PAGE + 1, PAGE - 1},
                                {PAGE + 63, 1},       {PAGE + 1, PAGE}, {2 * PAGE - 1, 2}, {PAGE, 2 * PAGE},
                                {2 * PAGE - 64, 64},  {PAGE, 0},        {3 * PAGE, PAGE},  {3 * PAGE - 63, 64},
                                {2 * PAGE - 128, 129}};
#if defined(__x86_64__) || defined(__i386__)
    const long told_of_leaf7[] = {-1, 0, ~(1L << 23) & 0xffffffff, 1L << 23};
    for (size_t k = 0; k < CS_COUNT(told_of_leaf7); k++) {
        leaf7 = told_of_leaf7[k];
        unordered = -1;
        cs_evict_range(memory, 1);
        leaf7 = 0; /* it is asked once */
        cs_evict_range(memory, 1);
        printf("%d ", unordered);
        if (k % 3 == 0)
            for (size_t i = 0; i < CS_COUNT(ranges); i++)
                reaches(pages, ranges[i][0], ranges[i][1]);
    }
#endif
    printf("\n");
    stretches = 0;
    for (size_t i = 0; i < 5000; i++)
        add(memory + 2 * i, 1, false);
    printf("%zu\n", stretches);
    const long caches[] = {-1, 0, 1, 2097151, 2097152, 2097153, 8388608, 16777216, 16777217, 1L << 30};
    for (size_t i = 0; i < CS_COUNT(caches); i++)
        printf("%ld ", walk(caches[i]));
    is_full = true;
    printf("%ld\n", walk(0));
    return 0;
}
