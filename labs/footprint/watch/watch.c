/* SPDX-License-Identifier: Apache-2.0
 *
 * Peak of heap and stack of one program, for LD_PRELOAD beside the SDK's heap counter: the program is the very file
 * that is measured, and nothing of it is compiled anew. Main runs above a painted stack; what is deepest of it that has
 * lost its paint was used. What is written, into the file that FOOTPRINT_WATCH names: bytes of heap and of stack.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { DEPTH = 1 << 20, PAINT = 0xa5 };

typedef int (*main_function)(int, char **, char **);
typedef int (*start_function)(main_function, int, char **, void (*)(void), void (*)(void), void (*)(void), void *);

int64_t cs_heap_hook_live(void);
int64_t cs_heap_hook_peak(void);
void cs_heap_hook_mark(void);
int __libc_start_main(main_function entry, int argc, char **argv, void (*init)(void), void (*fini)(void),
                      void (*loader_fini)(void), void *stack_end);

static main_function watched;
static uintptr_t lowest;

static __attribute__((noinline)) void paint(void)
{
    volatile uint8_t area[DEPTH];

    for (size_t i = 0; i < DEPTH; i++)
        area[i] = PAINT;
    lowest = (uintptr_t)area;
}

/* How much of the painted stack was used; -1: all of it, and perhaps more. */
static long used(void)
{
    const volatile uint8_t *at = (const volatile uint8_t *)lowest;
    size_t left = 0;

    while (left < DEPTH && at[left] == PAINT)
        left++;
    return left == 0 ? -1 : (long)(DEPTH - left);
}

static int watch(int argc, char **argv, char **environment)
{
    const char *path = getenv("FOOTPRINT_WATCH");
    char text[64];
    int64_t before = cs_heap_hook_live(), heap;
    int status, fd, len;
    long stack;

    paint();
    cs_heap_hook_mark();
    status = watched(argc, argv, environment);
    stack = used();
    heap = cs_heap_hook_peak() - before;
    fd = path != NULL ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;
    len = snprintf(text, sizeof text, "%lld %ld\n", (long long)heap, stack);
    if (fd < 0 || write(fd, text, (size_t)len) != len)
        return 99;
    close(fd);
    return status;
}

/* The C library's own entry: every program that is linked dynamically calls it with its main. */
int __libc_start_main(main_function entry, int argc, char **argv, void (*init)(void), void (*fini)(void),
                      void (*loader_fini)(void), void *stack_end)
{
    start_function start = (start_function)(uintptr_t)dlsym(RTLD_NEXT, "__libc_start_main");

    watched = entry;
    return start(watch, argc, argv, init, fini, loader_fini, stack_end);
}
