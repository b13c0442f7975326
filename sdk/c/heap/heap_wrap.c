/* SPDX-License-Identifier: Apache-2.0
 *
 * Counts what a worker allocates where nothing can be loaded before it: in programs that are linked statically, with
 * or without an operating system. The linker sends every call here (`--wrap`). Never part of a worker whose calls are
 * timed or whose instructions are counted: a twin has it, which is asked for `memory` only.
 *
 * As in libcsheap.so (sdk/c/preload) a realloc counts as an allocation, and the new size alone while it runs; private
 * anonymous mappings count in whole pages. Sizes are those that were asked for, unlike there: what the allocator adds
 * to a block depends on what lay free beside it, and would not repeat. One thread at a time.
 */
#define _GNU_SOURCE
#include <malloc.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#if defined(CS_HEAP_HOSTED)
#include <sys/mman.h>
#include <sys/types.h>
#endif

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void *__real_memalign(size_t alignment, size_t size);
void __real_free(void *block);

void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
void *__wrap_memalign(size_t alignment, size_t size);
void __wrap_free(void *block);

/* What the SDK finds as weak symbols. */
int64_t cs_heap_hook_live(void);
int64_t cs_heap_hook_peak(void);
int64_t cs_heap_hook_allocations(void);
void cs_heap_hook_mark(void);

static int64_t live, peak, allocations;

int64_t cs_heap_hook_live(void)
{
    return live;
}

int64_t cs_heap_hook_peak(void)
{
    return peak;
}

int64_t cs_heap_hook_allocations(void)
{
    return allocations;
}

void cs_heap_hook_mark(void)
{
    peak = live;
    allocations = 0;
}

static void account(int64_t bytes)
{
    live += bytes;
    if (live > peak)
        peak = live;
}

/* What was asked for, by address: a table with open addressing, a quarter of it always free. */
#define BLOCKS 4096

static struct asked {
    void *at;
    int64_t bytes;
} asked[BLOCKS];
static size_t blocks;

static size_t home_of(const void *at)
{
    return (size_t)((uint32_t)((uintptr_t)at >> 3) * UINT32_C(2654435761) >> 20) % BLOCKS;
}

static size_t place_of(const void *at)
{
    size_t i = home_of(at);
    while (asked[i].at != NULL && asked[i].at != at)
        i = (i + 1) % BLOCKS;
    return i;
}

/* A block that found no room in the table counts with what the allocator gave. */
static int64_t size_of(void *at)
{
    size_t i = place_of(at);
    return asked[i].at != NULL ? asked[i].bytes : (int64_t)malloc_usable_size(at);
}

static void note(void *at, size_t bytes)
{
    if (blocks >= BLOCKS / 4 * 3)
        return;
    asked[place_of(at)] = (struct asked){at, (int64_t)bytes};
    blocks++;
}

/* The entries behind it move up, so that each is found from its own place on. */
static void forget(const void *at)
{
    size_t hole = place_of(at);
    if (asked[hole].at == NULL)
        return;
    asked[hole].at = NULL;
    blocks--;
    for (size_t i = (hole + 1) % BLOCKS; asked[i].at != NULL; i = (i + 1) % BLOCKS) {
        size_t home = home_of(asked[i].at);
        if ((i + BLOCKS - home) % BLOCKS >= (i + BLOCKS - hole) % BLOCKS) {
            asked[hole] = asked[i];
            asked[i].at = NULL;
            hole = i;
        }
    }
}

static void *counted(void *block, size_t bytes)
{
    if (block != NULL) {
        allocations++;
        note(block, bytes);
        account(size_of(block));
    }
    return block;
}

void *__wrap_malloc(size_t size)
{
    return counted(__real_malloc(size), size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return counted(__real_calloc(count, size), count * size);
}

void __wrap_free(void *block)
{
    if (block != NULL) {
        account(-size_of(block));
        forget(block);
    }
    __real_free(block);
}

void *__wrap_realloc(void *block, size_t size)
{
    if (block == NULL)
        return __wrap_malloc(size);
    int64_t before = size_of(block);
    void *moved = __real_realloc(block, size);
    if (moved != NULL || size == 0)
        forget(block);
    if (moved != NULL) {
        allocations++;
        note(moved, size);
        account(size_of(moved) - before);
    } else if (size == 0) {
        account(-before);
    }
    return moved;
}

void *__wrap_memalign(size_t alignment, size_t size)
{
    return counted(__real_memalign(alignment, size), size);
}

#if defined(CS_HEAP_HOSTED)
void *__real_aligned_alloc(size_t alignment, size_t size);
int __real_posix_memalign(void **at, size_t alignment, size_t size);
void *__real_mmap(void *at, size_t len, int protection, int flags, int file, off_t offset);
int __real_munmap(void *at, size_t len);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
int __wrap_posix_memalign(void **at, size_t alignment, size_t size);
void *__wrap_mmap(void *at, size_t len, int protection, int flags, int file, off_t offset);
int __wrap_munmap(void *at, size_t len);

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return counted(__real_aligned_alloc(alignment, size), size);
}

int __wrap_posix_memalign(void **at, size_t alignment, size_t size)
{
    int failed = __real_posix_memalign(at, alignment, size);
    if (failed == 0)
        counted(*at, size);
    return failed;
}

enum { PAGE = 4096, MAPPINGS_MAX = 64 };

static struct {
    void *at;
    size_t len;
} mappings[MAPPINGS_MAX]; /* one for which there is no place is not counted */

void *__wrap_mmap(void *at, size_t len, int protection, int flags, int file, off_t offset)
{
    void *mapped = __real_mmap(at, len, protection, flags, file, offset);
    if (mapped == MAP_FAILED || !(flags & MAP_ANONYMOUS) || !(flags & MAP_PRIVATE) || (flags & MAP_FIXED))
        return mapped;
    for (size_t i = 0; i < MAPPINGS_MAX; i++)
        if (mappings[i].at == NULL) {
            mappings[i].at = mapped;
            mappings[i].len = (len + PAGE - 1) / PAGE * PAGE;
            allocations++;
            account((int64_t)mappings[i].len);
            break;
        }
    return mapped;
}

int __wrap_munmap(void *at, size_t len)
{
    for (size_t i = 0; at != NULL && i < MAPPINGS_MAX; i++)
        if (mappings[i].at == at) {
            account(-(int64_t)mappings[i].len);
            mappings[i].at = NULL;
            break;
        }
    return __real_munmap(at, len);
}
#endif
