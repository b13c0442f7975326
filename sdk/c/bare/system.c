/* SPDX-License-Identifier: Apache-2.0
 *
 * Other functions of the missing operating system that a C library and the SDK call: memory, a second stack, the clock
 * and random bytes of the emulator's host; no processes, no signals. That clock is not the machine's. It serves
 * requests about the behaviour of a worker's clock, and says nothing about the machine.
 */
#include "bare.h"
#include "semihosting.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char cs_heap_begin[], cs_heap_end[];

void *_sbrk(ptrdiff_t by);
_Noreturn void _exit(int status);
int _kill(int process, int signal);
int _getpid(void);
int _gettimeofday(struct timeval *now, void *zone);
clock_t _times(struct tms *used);

static int refuse(int why)
{
    errno = why;
    return -1;
}

/* ---- memory ---- */

void *_sbrk(ptrdiff_t by)
{
    static char *end = cs_heap_begin;
    char *before = end;
    if (by > cs_heap_end - end || by < cs_heap_begin - end) {
        errno = ENOMEM;
        return (void *)-1;
    }
    end += by;
    return before;
}

char *cs_heap_used(void)
{
    return _sbrk(0);
}

int posix_memalign(void **at, size_t alignment, size_t size)
{
    *at = memalign(alignment, size);
    return *at == NULL ? ENOMEM : 0;
}

void *mmap(void *at, size_t size, int protection, int flags, int file, off_t offset)
{
    (void)at;
    (void)protection;
    (void)flags;
    (void)file;
    (void)offset;
    void *made = memalign(4096, size);
    return made == NULL ? MAP_FAILED : made;
}

int munmap(void *at, size_t size)
{
    (void)size;
    free(at);
    return 0;
}

/* There is nothing that could forbid it: what runs over its end is not found out. */
int mprotect(void *at, size_t size, int protection)
{
    (void)at;
    (void)size;
    (void)protection;
    return 0;
}

long sysconf(int name)
{
    return name == _SC_PAGESIZE ? 4096 : refuse(EINVAL);
}

int getrusage(int who, struct rusage *usage)
{
    (void)who;
    (void)usage;
    return refuse(ENOSYS);
}

/* ---- a second stack, on which a function runs to its end before the first goes on ---- */

int pthread_attr_init(pthread_attr_t *made)
{
    made->top = NULL;
    return 0;
}

int pthread_attr_destroy(pthread_attr_t *made)
{
    (void)made;
    return 0;
}

int pthread_attr_setstack(pthread_attr_t *made, void *low, size_t size)
{
    made->top = (char *)low + size;
    return 0;
}

/* (what, work, top of its stack): calls work(what) there. */
__attribute__((naked, noinline)) static void on_stack(void *what, void *(*work)(void *), void *top)
{
    (void)what;
    (void)work;
    (void)top;
    __asm__ volatile("push {r4, lr}\n\t"
                     "mov r4, sp\n\t"
                     "mov sp, r2\n\t"
                     "blx r1\n\t"
                     "mov sp, r4\n\t"
                     "pop {r4, pc}");
}

int pthread_create(pthread_t *made, const pthread_attr_t *how, void *(*work)(void *), void *what)
{
    *made = 1;
    on_stack(what, work, how->top);
    return 0;
}

int pthread_join(pthread_t made, void **result)
{
    (void)made;
    (void)result;
    return 0;
}

/* ---- time and chance ---- */

int clock_gettime(clockid_t clock, struct timespec *reading)
{
    uint32_t words[2] = {0, 0};
    (void)clock;
    cs_host(HOST_ELAPSED, words);
    uint64_t ns = (uint64_t)words[1] << 32 | words[0];
    reading->tv_sec = (time_t)(ns / 1000000000U);
    reading->tv_nsec = (long)(ns % 1000000000U);
    return 0;
}

/* Of clock(), which a library may ask for jitter. */
clock_t _times(struct tms *used)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    *used =
        (struct tms){.tms_utime = (clock_t)now.tv_sec * CLOCKS_PER_SEC + now.tv_nsec / (1000000000 / CLOCKS_PER_SEC)};
    return used->tms_utime;
}

/* No library may take it for a date. */
int _gettimeofday(struct timeval *now, void *zone)
{
    (void)zone;
    now->tv_sec = 0;
    now->tv_usec = 0;
    return 0;
}

int getentropy(void *to, size_t len)
{
    int source = open("/dev/urandom", O_RDONLY);
    if (source < 0)
        return -1;
    ssize_t got = read(source, to, len);
    close(source);
    return got == (ssize_t)len ? 0 : refuse(EIO);
}

/* ---- processes ---- */

void _exit(int status)
{
    cs_stop(status);
}

int _kill(int process, int signal)
{
    (void)process;
    (void)signal;
    return refuse(ENOSYS);
}

int _getpid(void)
{
    return 1;
}

pid_t fork(void)
{
    return refuse(ENOSYS);
}

int pipe(int ends[2])
{
    (void)ends;
    return refuse(ENOSYS);
}

pid_t waitpid(pid_t child, int *how, int options)
{
    (void)child;
    (void)how;
    (void)options;
    return refuse(ENOSYS);
}
