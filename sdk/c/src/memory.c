/* SPDX-License-Identifier: Apache-2.0
 *
 * What a call costs in memory.
 *
 * Stack: the call runs on a thread whose stack was painted; the distance from where a call that does nothing has its
 * frame to the deepest word that changed is the result. Needs an anonymous mapping and pthread_attr_setstack, and a
 * stack that grows down; null elsewhere. Heap: libcsheap.so (sdk/c/preload), found through weak symbols; null without
 * it, and in a statically linked worker. Random bytes: those that are asked of the system are counted by the same
 * object, those that a call draws from its own generator by the adapter, in the same processes.
 */
#define CS_SYSTEM_EXTENSIONS
#include "sdk.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#if !defined(MAP_ANONYMOUS) && defined(MAP_ANON)
#define MAP_ANONYMOUS MAP_ANON
#endif

#ifndef CS_THREAD_BYTES /* a machine without an operating system says what it has */
#define CS_THREAD_BYTES ((size_t)1 << 20)
#endif
#define PAINT 0xa7
#define PAINTED (UINTPTR_MAX / 0xff * PAINT)
#define EIGHT (8 * sizeof(uintptr_t))
/* Not painted below where a call that does nothing has its frame: the painting function has its own there, and a red
 * zone. A call that needs less reads 0. */
#define OWN_FRAME 256

#if defined(__GNUC__) || defined(__clang__)
#define APART __attribute__((noinline))
#else
#define APART
#endif

#if defined(__ELF__) && defined(__GNUC__) && !defined(CS_POSIX_ONLY)
#define HEAP_HOOKS 1
/* In libcsheap.so, if it is preloaded, or linked in (sdk/c/heap); NULL if not. */
extern int64_t cs_heap_hook_live(void) __attribute__((weak));
extern int64_t cs_heap_hook_peak(void) __attribute__((weak));
extern int64_t cs_heap_hook_allocations(void) __attribute__((weak));
extern void cs_heap_hook_mark(void) __attribute__((weak)); /* peak = live, allocations = 0 */
extern int64_t cs_random_hook_bytes(void) __attribute__((weak));
/* On a machine without an operating system (sdk/c/bare), where no system has a generator to ask. */
extern int64_t cs_host_bytes(void) __attribute__((weak));
#endif

static int64_t drawn;

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

int64_t cs_heap_bytes(void)
{
    return cs_heap_known() ? cs_heap_live() : -1;
}

/* Random bytes that the process has asked of the system so far; negative without a counter. */
static int64_t system_random(void)
{
#ifdef HEAP_HOOKS
    if (cs_random_hook_bytes != NULL)
        return cs_random_hook_bytes();
    if (cs_host_bytes != NULL)
        return cs_host_bytes();
#endif
    return -1;
}

/* Not on a machine without an operating system: what counts there would be in every count of instructions. */
int cs_counts_random(void)
{
#ifdef HEAP_HOOKS
    return cs_random_hook_bytes != NULL && cs_random_hook_bytes() >= 0;
#else
    return false;
#endif
}

void cs_random_drawn(size_t bytes)
{
    drawn += (int64_t)bytes;
}

#ifdef HEAP_HOOKS
/* What a call itself allocates: stretches between those in which it stands aside, one after another. */
static struct own_heap {
    int64_t before, live, peak, allocations;
} held;

static void stretch(bool ends)
{
    if (!ends) {
        held.before = cs_heap_hook_live();
        cs_heap_hook_mark();
        return;
    }
    int64_t peak = held.live + cs_heap_hook_peak() - held.before;
    held.peak = peak > held.peak ? peak : held.peak;
    held.live += cs_heap_hook_live() - held.before;
    held.allocations += cs_heap_hook_allocations();
}
#endif

typedef struct job {
    cs_slot *slot;
    cs_memory *result;
    uintptr_t low; /* lowest byte of the stack; 0 on a stack that is not ours */
} job;

static volatile uintptr_t empty_frame;

/* Where the frame of a call begins that does nothing. */
static int note_frame(cs_case *c)
{
    volatile uint8_t here = 0;
    empty_frame = (uintptr_t)&here + here;
    (void)c;
    return CS_OK;
}

/* Covers what starting the thread left below this frame. No call in here: it would stand in what is painted. By words,
 * eight at a time, since an emulator is asked too. */
static APART uintptr_t paint(uintptr_t low)
{
    uintptr_t top = (empty_frame - OWN_FRAME) & ~(uintptr_t)(sizeof(uintptr_t) - 1);
    volatile uintptr_t *at = (volatile uintptr_t *)low;
    for (; top - (uintptr_t)at >= EIGHT; at += 8) {
        at[0] = at[1] = at[2] = at[3] = PAINTED;
        at[4] = at[5] = at[6] = at[7] = PAINTED;
    }
    for (; at < (volatile uintptr_t *)top; at++)
        *at = PAINTED;
    return top;
}

/* The lowest byte from `low` on that is not as it was painted; `top` if all are. */
static uintptr_t deepest_byte(uintptr_t low, uintptr_t top)
{
    for (; top - low >= EIGHT; low += EIGHT) {
        const uintptr_t *at = (const uintptr_t *)low;
        uintptr_t some = (at[0] ^ PAINTED) | (at[1] ^ PAINTED) | (at[2] ^ PAINTED) | (at[3] ^ PAINTED);
        uintptr_t more = (at[4] ^ PAINTED) | (at[5] ^ PAINTED) | (at[6] ^ PAINTED) | (at[7] ^ PAINTED);
        if ((some | more) != 0)
            break;
    }
    while (low < top && *(const volatile uintptr_t *)low == PAINTED)
        low += sizeof(uintptr_t);
    while (low < top && *(const volatile uint8_t *)low == PAINT)
        low++;
    return low;
}

static void *on_painted_stack(void *argument)
{
    job *j = argument;
    cs_memory *result = j->result;
    int (*volatile call)(cs_case *) = note_frame;
    call(&j->slot->c);
    call = j->slot->c.op->call;
    result->heap_peak_bytes = result->allocations = result->stack_bytes = -1;
    result->system_random_before = system_random();
    drawn = 0;
    uintptr_t top = j->low == 0 ? 0 : paint(j->low);
#ifdef HEAP_HOOKS
    int64_t before = cs_heap_live();
    if (cs_heap_known()) {
        held = (struct own_heap){0};
        stretch(false);
        cs_aside_heap = stretch;
    }
#endif
    cs_count_begin();
    result->status = call(&j->slot->c);
    cs_count_end();
#ifdef HEAP_HOOKS
    if (cs_heap_known()) {
        stretch(true);
        cs_aside_heap = NULL;
        result->heap_peak_bytes = held.peak;
        result->allocations = held.allocations;
        j->slot->heap_held += cs_heap_hook_live() - before;
    }
#endif
    if (j->low != 0) {
        /* The word that it is in: one byte in 256 is written as the paint is, and what is written there are words. */
        uintptr_t deepest = deepest_byte(j->low, top) & ~(uintptr_t)(sizeof(uintptr_t) - 1);
        result->stack_bytes = deepest < top ? (int64_t)(empty_frame - deepest) : 0;
    }
    bool known = result->system_random_before >= 0;
    result->system_random_bytes = known ? system_random() - result->system_random_before : -1;
    result->random_bytes = cs_counts_random() && j->slot->c.op->counts_random ? drawn : -1;
    return NULL;
}

#ifdef MAP_ANONYMOUS

/* Runs the job on a stack of CS_THREAD_BYTES above a guard page; false if there is no such stack. */
static bool run_painted(job *j)
{
    long page_size = sysconf(_SC_PAGESIZE);
    size_t page = page_size > 0 ? (size_t)page_size : 4096;
    uint8_t *memory = mmap(NULL, page + CS_THREAD_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return false;
    bool ran = false;
    pthread_attr_t attributes;
    pthread_t thread;
    j->low = (uintptr_t)memory + page;
    if (mprotect(memory, page, PROT_NONE) == 0 && pthread_attr_init(&attributes) == 0) {
        ran = pthread_attr_setstack(&attributes, memory + page, CS_THREAD_BYTES) == 0 &&
              pthread_create(&thread, &attributes, on_painted_stack, j) == 0 && pthread_join(thread, NULL) == 0;
        pthread_attr_destroy(&attributes);
    }
    munmap(memory, page + CS_THREAD_BYTES);
    return ran;
}

bool cs_stack_known(void)
{
    return true;
}

#else

static bool run_painted(job *j)
{
    (void)j;
    return false;
}

bool cs_stack_known(void)
{
    return false;
}

#endif

#if defined(__linux__) && !defined(CS_POSIX_ONLY)

/* Of this program alone: getrusage counts what was resident in the process that started it as its own. */
static int64_t max_rss_of_program(void)
{
    FILE *status = fopen("/proc/self/status", "r");
    if (status == NULL)
        return -1;
    char text[128];
    long kib = -1;
    while (kib < 0 && fgets(text, sizeof text, status) != NULL)
        if (strncmp(text, "VmHWM:", 6) == 0)
            kib = strtol(text + 6, NULL, 10);
    fclose(status);
    return kib;
}

#else

static int64_t max_rss_of_program(void)
{
    return -1;
}

#endif

static int64_t max_rss_kib(void)
{
    int64_t own = max_rss_of_program();
    if (own > 0)
        return own;
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
    job j = {slot, result, 0};
    memset(result, 0, sizeof *result);
    if (!run_painted(&j)) {
        j.low = 0;
        on_painted_stack(&j);
    }
    result->max_rss_kib = max_rss_kib();
}
