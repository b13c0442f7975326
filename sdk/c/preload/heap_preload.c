/* SPDX-License-Identifier: Apache-2.0
 *
 * libcsheap.so: counts what a worker allocates, for LD_PRELOAD on systems with glibc. Never part of a timed run: the
 * orchestrator preloads it for `memory` only.
 *
 * Sizes are those of malloc_usable_size, what the heap really hands out. A realloc counts as an allocation; while it
 * runs, only the new size is counted, so a block that moves does not count twice in the peak.
 *
 * Private anonymous mappings count too, in whole pages, each as an allocation: some libraries take the working memory
 * of a password hash so. Those of the heap itself are not seen here, and not counted twice: glibc makes them inside.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* glibc's own names of its allocator: no dlsym, which may itself allocate. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *block);

#define MAPPINGS_MAX 256

/* What the SDK finds as weak symbols. */
int64_t cs_heap_hook_live(void);
int64_t cs_heap_hook_peak(void);
int64_t cs_heap_hook_allocations(void);
void cs_heap_hook_mark(void);

static _Atomic int64_t live;
static _Atomic int64_t peak;
static _Atomic int64_t allocations;

int64_t cs_heap_hook_live(void)
{
    return atomic_load(&live);
}

int64_t cs_heap_hook_peak(void)
{
    return atomic_load(&peak);
}

int64_t cs_heap_hook_allocations(void)
{
    return atomic_load(&allocations);
}

void cs_heap_hook_mark(void)
{
    atomic_store(&peak, atomic_load(&live));
    atomic_store(&allocations, 0);
}

/* Adds to what is live and lifts the peak. */
static void account(int64_t bytes)
{
    int64_t now = atomic_fetch_add(&live, bytes) + bytes;
    int64_t highest = atomic_load(&peak);
    while (now > highest && !atomic_compare_exchange_weak(&peak, &highest, now))
        ;
}

static void *counted(void *block)
{
    if (block != NULL) {
        atomic_fetch_add(&allocations, 1);
        account((int64_t)malloc_usable_size(block));
    }
    return block;
}

/* ---- mappings ---- */

typedef struct mapping {
    _Atomic uintptr_t at; /* 0: free */
    size_t len;
} mapping;

static mapping mappings[MAPPINGS_MAX]; /* a mapping for which there is no place is not counted */

static size_t whole_pages(size_t len)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (len + page - 1) / page * page;
}

static void note_mapping(void *at, size_t len)
{
    for (size_t i = 0; i < MAPPINGS_MAX; i++) {
        uintptr_t none = 0;
        if (atomic_compare_exchange_strong(&mappings[i].at, &none, (uintptr_t)at)) {
            mappings[i].len = whole_pages(len);
            atomic_fetch_add(&allocations, 1);
            account((int64_t)mappings[i].len);
            return;
        }
    }
}

static void *map(void *at, size_t len, int protection, int flags, int file, off64_t offset)
{
#ifdef SYS_mmap
    void *mapped = (void *)syscall(SYS_mmap, at, len, protection, flags, file, offset);
#else /* Arm with 32 bits has the other call alone, which takes units of 4096 bytes. */
    void *mapped = (void *)syscall(SYS_mmap2, at, len, protection, flags, file, (long)(offset / 4096));
#endif
    if (mapped != MAP_FAILED && (flags & MAP_ANONYMOUS) && (flags & MAP_PRIVATE) && !(flags & MAP_FIXED))
        note_mapping(mapped, len);
    return mapped;
}

void *mmap(void *at, size_t len, int protection, int flags, int file, off_t offset)
{
    return map(at, len, protection, flags, file, offset);
}

void *mmap64(void *at, size_t len, int protection, int flags, int file, off64_t offset)
{
    return map(at, len, protection, flags, file, offset);
}

/* One that is taken back in pieces counts until its beginning goes. */
int munmap(void *at, size_t len)
{
    for (size_t i = 0; at != NULL && i < MAPPINGS_MAX; i++)
        if (atomic_load(&mappings[i].at) == (uintptr_t)at) {
            account(-(int64_t)mappings[i].len);
            atomic_store(&mappings[i].at, 0);
            break;
        }
    return (int)syscall(SYS_munmap, at, len);
}

void *malloc(size_t size)
{
    return counted(__libc_malloc(size));
}

void *calloc(size_t count, size_t size)
{
    return counted(__libc_calloc(count, size));
}

void free(void *block)
{
    if (block == NULL)
        return;
    account(-(int64_t)malloc_usable_size(block));
    __libc_free(block);
}

void *realloc(void *block, size_t size)
{
    if (block == NULL)
        return malloc(size);
    int64_t before = (int64_t)malloc_usable_size(block);
    void *moved = __libc_realloc(block, size);
    if (moved != NULL) {
        atomic_fetch_add(&allocations, 1);
        account((int64_t)malloc_usable_size(moved) - before);
    } else if (size == 0) {
        account(-before); /* glibc frees on a size of 0 */
    }
    return moved;
}

void *reallocarray(void *block, size_t count, size_t size)
{
    if (size != 0 && count > SIZE_MAX / size) {
        errno = ENOMEM;
        return NULL;
    }
    return realloc(block, count * size);
}

void *memalign(size_t alignment, size_t size)
{
    return counted(__libc_memalign(alignment, size));
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size)
{
    if (alignment < sizeof(void *) || (alignment & (alignment - 1)) != 0)
        return EINVAL;
    int saved = errno;
    void *p = memalign(alignment, size);
    errno = saved; /* POSIX: the return value tells, errno stays */
    if (p == NULL)
        return ENOMEM;
    *block = p;
    return 0;
}

void *valloc(size_t size)
{
    return memalign((size_t)sysconf(_SC_PAGESIZE), size);
}

void *pvalloc(size_t size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    if (size > SIZE_MAX - page) {
        errno = ENOMEM;
        return NULL;
    }
    return memalign(page, (size + page - 1) / page * page);
}
