/* SPDX-License-Identifier: Apache-2.0
 *
 * What a call costs in memory.
 *
 * Stack: the call runs on a thread whose stack was painted; the deepest byte that changed is the high-water mark. Needs
 * an anonymous mapping and pthread_attr_setstack; null elsewhere. Heap: libcsheap.so (sdk/c/preload), found through
 * weak symbols; null without it, and in a statically linked worker.
 */
#define CS_SYSTEM_EXTENSIONS
#include "sdk.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#if !defined(MAP_ANONYMOUS) && defined(MAP_ANON)
#define MAP_ANONYMOUS MAP_ANON
#endif

#define STACK_BYTES ((size_t)1 << 20)
#define PAINT 0xa7

#if defined(__linux__) && defined(__GNUC__)
#define HEAP_HOOKS 1
/* In libcsheap.so, if it is preloaded; NULL if not. */
extern int64_t cs_heap_hook_live(void) __attribute__((weak));
extern int64_t cs_heap_hook_peak(void) __attribute__((weak));
extern int64_t cs_heap_hook_allocations(void) __attribute__((weak));
extern void cs_heap_hook_mark(void) __attribute__((weak)); /* peak = live, allocations = 0 */
#endif

bool cs_heap_known(void)
{
#ifdef HEAP_HOOKS
    return cs_heap_hook_live != NULL && cs_heap_hook_peak != NULL && cs_heap_hook_allocations != NULL &&
           cs_heap_hook_mark != NULL;
#else
    return false;
#endif
}

int64_t cs_heap_live(void)
{
#ifdef HEAP_HOOKS
    if (cs_heap_known())
        return cs_heap_hook_live();
#endif
    return 0;
}

typedef struct job {
    cs_slot *slot;
    int (*call)(cs_case *);
    cs_memory *result;
} job;

static void *on_painted_stack(void *argument)
{
    job *j = argument;
    j->result->heap_peak_bytes = j->result->allocations = -1;
#ifdef HEAP_HOOKS
    if (cs_heap_known()) {
        int64_t before = cs_heap_hook_live();
        cs_heap_hook_mark();
        j->result->status = j->call(&j->slot->c);
        j->result->heap_peak_bytes = cs_heap_hook_peak() - before;
        j->result->allocations = cs_heap_hook_allocations();
        return NULL;
    }
#endif
    j->result->status = j->call(&j->slot->c);
    return NULL;
}

#ifdef MAP_ANONYMOUS

/* Runs the job on a stack of STACK_BYTES above a guard page. Returns its high-water mark in bytes, negative if there is
 * no such stack; result->called says whether the job ran. */
static int64_t run_painted(job *j)
{
    long page_size = sysconf(_SC_PAGESIZE);
    size_t page = page_size > 0 ? (size_t)page_size : 4096;
    uint8_t *memory = mmap(NULL, page + STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return -1;
    int64_t depth = -1;
    uint8_t *low = memory + page;
    pthread_attr_t attributes;
    pthread_t thread;
    memset(low, PAINT, STACK_BYTES);
    if (mprotect(memory, page, PROT_NONE) == 0 && pthread_attr_init(&attributes) == 0) {
        if (pthread_attr_setstack(&attributes, low, STACK_BYTES) == 0 &&
            pthread_create(&thread, &attributes, on_painted_stack, j) == 0 && pthread_join(thread, NULL) == 0) {
            j->result->called = true;
            size_t clean = 0;
            while (clean < STACK_BYTES && low[clean] == PAINT)
                clean++;
            depth = (int64_t)(STACK_BYTES - clean);
        }
        pthread_attr_destroy(&attributes);
    }
    munmap(memory, page + STACK_BYTES);
    return depth;
}

bool cs_stack_known(void)
{
    return true;
}

#else

static int64_t run_painted(job *j)
{
    on_painted_stack(j);
    j->result->called = true;
    return -1;
}

bool cs_stack_known(void)
{
    return false;
}

#endif

static int64_t max_rss_kib(void)
{
    struct rusage usage;
    if (getrusage(RUSAGE_SELF, &usage) != 0)
        return -1;
#ifdef __APPLE__
    return usage.ru_maxrss / 1024; /* bytes there */
#else
    return usage.ru_maxrss;
#endif
}

void cs_memory_measure(cs_slot *slot, cs_memory *result)
{
    cs_memory idle = {0};
    job empty = {slot, cs_empty_op.call, &idle};
    job real = {slot, slot->c.op->call, result};
    memset(result, 0, sizeof *result);
    /* Twice: the first thread of a process also pays for binding the symbols that threads need. */
    run_painted(&empty);
    int64_t floor = run_painted(&empty);
    int64_t depth = run_painted(&real);
    result->stack_bytes = floor < 0 || depth < 0 ? -1 : depth > floor ? depth - floor : 0;
    result->max_rss_kib = max_rss_kib();
}
