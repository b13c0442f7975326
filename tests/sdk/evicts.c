/* SPDX-License-Identifier: Apache-2.0
 *
 * Which segments are emptied out of caches, and by which instruction: the unit itself, on a processor that has only the
 * older one.
 */
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
/* No leaf is known: no clflushopt. */
#define __get_cpuid_count(leaf, part, a, b, c, d) (*(a) = *(b) = *(c) = *(d) = 0, (void)(leaf), (void)(part), 0)
#endif
#include "evict.c"

#include <stdio.h>

static uint8_t memory[1 << 16];

void *cs_alloc(size_t bytes)
{
    (void)bytes;
    return NULL;
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
    printf("%zu %zu %zu %zu %zu\n", taken(PT_LOAD, PF_R), taken(PT_LOAD, PF_R | PF_X), taken(PT_LOAD, PF_X),
           taken(PT_LOAD, 0), taken(PT_NOTE, PF_R));
    cs_evict_range(memory + 1, sizeof memory - 2);
    printf("emptied\n");
    return 0;
}
