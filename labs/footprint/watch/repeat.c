/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls the main function of a program again and again, for LD_PRELOAD: what is timed, or counted, is the very file
 * that is measured. Standard input is kept in memory and given anew to every call; what a call writes to standard
 * output is kept as well. Neither costs a system call. FOOTPRINT_TOLD names the file that is written, FOOTPRINT_PLAN
 * says what to do, "WARM BATCHES CALLS". A line of the file:
 *
 *     at BEGIN END       addresses of the two functions around every warm call, for a counter of instructions
 *     call STATUS HEX    a call whose status or output is not that of the one before
 *     feed NS            CPU time of a call that only reads and writes
 *     batch NS           CPU time of CALLS calls; of their outputs the last is looked at
 *
 * Heap that a call leaves behind stays: a program ends after one. Its sockets are closed.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { MOST = 16384, SOCKETS = 16, FEEDS = 1000, BATCHES = 1000 };

typedef int (*main_function)(int, char **, char **);
typedef int (*start_function)(main_function, int, char **, void (*)(void), void (*)(void), void (*)(void), void *);

void cs_count_begin(void);
void cs_count_end(void);
ssize_t __read_chk(int file, void *to, size_t len, size_t room);
int __libc_start_main(main_function entry, int argc, char **argv, void (*init)(void), void (*fini)(void),
                      void (*loader_fini)(void), void *stack_end);

static main_function repeated;
static int within; /* a call: standard input and output are memory */
static uint8_t input[MOST], output[MOST], before[MOST];
static size_t input_len, input_at, output_len, before_len;
static int sockets[SOCKETS], socket_count, before_status = -1;

/* ---- what a program calls ---- */

ssize_t read(int file, void *to, size_t len)
{
    size_t left = input_len - input_at;

    if (!within || file != 0)
        return syscall(SYS_read, file, to, len);
    if (len > left)
        len = left;
    memcpy(to, input + input_at, len);
    input_at += len;
    return (ssize_t)len;
}

ssize_t __read_chk(int file, void *to, size_t len, size_t room)
{
    return read(file, to, len < room ? len : room);
}

ssize_t write(int file, const void *from, size_t len)
{
    if (!within || file != 1)
        return syscall(SYS_write, file, from, len);
    if (len > MOST - output_len)
        len = MOST - output_len;
    memcpy(output + output_len, from, len);
    output_len += len;
    return (ssize_t)len;
}

int socket(int domain, int kind, int protocol)
{
    int file = (int)syscall(SYS_socket, domain, kind, protocol);

    if (within && file >= 0 && socket_count < SOCKETS)
        sockets[socket_count++] = file;
    return file;
}

/* ---- calls ---- */

__attribute__((noinline)) void cs_count_begin(void)
{
    __asm__ volatile("" ::: "memory");
}

__attribute__((noinline)) void cs_count_end(void)
{
    __asm__ volatile("" ::: "memory");
}

static int call(int argc, char **argv, char **environment)
{
    int status;

    input_at = output_len = 0;
    status = repeated(argc, argv, environment);
    while (socket_count > 0)
        close(sockets[--socket_count]);
    return status;
}

/* As the shared header of the programs does it. */
static void feed(void)
{
    static uint8_t given[MOST];
    size_t len = 0;
    ssize_t n;

    input_at = output_len = 0;
    while (len < MOST && (n = read(0, given + len, MOST - len)) > 0)
        len += (size_t)n;
    write(1, before, before_len);
}

static int64_t now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void tell(FILE *told, int status)
{
    if (status == before_status && output_len == before_len && memcmp(output, before, output_len) == 0)
        return;
    fprintf(told, "call %d ", status);
    for (size_t i = 0; i < output_len; i++)
        fprintf(told, "%02x", output[i]);
    fputc('\n', told);
    memcpy(before, output, output_len);
    before_len = output_len, before_status = status;
}

static int repeat(int argc, char **argv, char **environment)
{
    const char *path = getenv("FOOTPRINT_TOLD"), *plan = getenv("FOOTPRINT_PLAN");
    static int64_t spent[BATCHES];
    long warm = 0, batches = 0, calls = 0;
    FILE *told;
    ssize_t n;

    if (path == NULL || plan == NULL || sscanf(plan, "%ld %ld %ld", &warm, &batches, &calls) != 3 || batches > BATCHES)
        return 99;
    while (input_len < MOST && (n = read(0, input + input_len, MOST - input_len)) > 0)
        input_len += (size_t)n;
    told = fopen(path, "w");
    if (told == NULL)
        return 99;
    fprintf(told, "at %lx %lx\n", (unsigned long)(uintptr_t)cs_count_begin, (unsigned long)(uintptr_t)cs_count_end);
    for (long i = 0; i < warm; i++) {
        int status;

        within = 1;
        cs_count_begin();
        status = call(argc, argv, environment);
        cs_count_end();
        within = 0;
        tell(told, status);
    }
    for (int i = 0; i < 2; i++) {
        int64_t began = now();

        within = 1;
        for (int j = 0; j < (batches > 0 ? FEEDS : 1); j++) {
            cs_count_begin();
            feed();
            cs_count_end();
        }
        within = 0;
        if (i == 1)
            fprintf(told, "feed %lld\n", (long long)(now() - began) / FEEDS);
    }
    for (long i = 0; i < batches; i++) {
        int64_t began = now();
        int status = 0;

        within = 1;
        for (long j = 0; j < calls; j++)
            status |= call(argc, argv, environment);
        within = 0;
        spent[i] = now() - began;
        tell(told, status);
    }
    for (long i = 0; i < batches; i++)
        fprintf(told, "batch %lld\n", (long long)spent[i]);
    return fclose(told) == 0 ? 0 : 99;
}

/* The C library's own entry: every program that is linked dynamically calls it with its main. */
int __libc_start_main(main_function entry, int argc, char **argv, void (*init)(void), void (*fini)(void),
                      void (*loader_fini)(void), void *stack_end)
{
    start_function start = (start_function)(uintptr_t)dlsym(RTLD_NEXT, "__libc_start_main");

    repeated = entry;
    return start(repeat, argc, argv, init, fini, loader_fini, stack_end);
}
