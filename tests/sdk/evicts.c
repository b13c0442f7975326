/* SPDX-License-Identifier: Apache-2.0
 *
 * Which segments are emptied out of caches, and by which instruction: the unit itself, on a processor that has only the
 * older one.
 */
#define _GNU_SOURCE
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
/* No leaf is known: no clflushopt. */
#define __get_cpuid_count(leaf, part, a, b, c, d) (*(a) = *(b) = *(c) = *(d) = 0, (void)(leaf), (void)(part), 0)
#endif
#include <unistd.h>

/* What the system says of the second cache. */
static long second_cache;

static long told(int name)
{
    return name == _SC_PAGESIZE ? 4096 : second_cache;
}
#define sysconf told
#include "evict.c"

#include <stdio.h>
#include <stdlib.h>

static uint8_t memory[1 << 16];
static bool is_full;

void *cs_alloc(size_t bytes)
{
    return is_full ? NULL : calloc(1, bytes);
}

/* Bytes that are walked through where the second cache has so many, or -1 without memory for them; 0 if a page of them
 * was not written to. */
static long walk(long bytes)
{
    second_cache = bytes;
    walked = NULL;
    if (!cs_evict_survey())
        return -1;
    for (size_t i = 0; i < walk_bytes; i += 4096)
        if (walked[i] == 0)
            return 0;
    if (walked[walk_bytes - 1] == 0 || !cs_evict_survey())
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

int main(void)
{
    size_t all = taken(PT_LOAD, PF_R);
    printf("%zu in %zu %zu %zu %zu %zu\n", all, stretches, taken(PT_LOAD, PF_R | PF_X), taken(PT_LOAD, PF_X),
           taken(PT_LOAD, 0), taken(PT_NOTE, PF_R));
    cs_evict_range(memory + 1, sizeof memory - 2);
    printf("emptied\n");
    const long caches[] = {-1, 0, 1, 2097151, 2097152, 2097153, 8388608, 16777216, 16777217, 1L << 30};
    for (size_t i = 0; i < CS_COUNT(caches); i++)
        printf("%ld ", walk(caches[i]));
    is_full = true;
    printf("%ld\n", walk(0));
    return 0;
}
