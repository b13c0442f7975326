/* SPDX-License-Identifier: Apache-2.0
 *
 * Part of libcsheap.so: counts the random bytes that a worker asks of the system: getrandom and getentropy, called as
 * functions or by syscall(), and what is read from /dev/random and /dev/urandom. Through a buffered stream it counts
 * what the caller takes, not what the C library reads ahead. Instructions of the CPU (RDRAND) are not seen, and neither
 * is a system call that is made without the C library.
 */
#define _GNU_SOURCE
#undef _FORTIFY_SOURCE /* its headers define read and fread themselves */
#include <dlfcn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* What the SDK finds as a weak symbol: bytes since the process began. */
int64_t cs_random_hook_bytes(void);

static _Atomic int64_t bytes;

int64_t cs_random_hook_bytes(void)
{
    return atomic_load(&bytes);
}

/* The next object's function of this name; without it nothing in this process can go on. */
static void *next(const char *name, _Atomic(void *) *kept)
{
    void *found = atomic_load(kept);
    if (found == NULL) {
        found = dlsym(RTLD_NEXT, name);
        if (found == NULL)
            _exit(127);
        atomic_store(kept, found);
    }
    return found;
}

#define NEXT(function)                                                                                                 \
    static _Atomic(void *) kept;                                                                                       \
    __typeof__(function) *real;                                                                                        \
    *(void **)&real = next(#function, &kept)

static void count(int64_t asked)
{
    if (asked > 0)
        atomic_fetch_add(&bytes, asked);
}

ssize_t getrandom(void *buffer, size_t length, unsigned flags)
{
    NEXT(getrandom);
    ssize_t got = real(buffer, length, flags);
    count(got);
    return got;
}

int getentropy(void *buffer, size_t length)
{
    NEXT(getentropy);
    int failed = real(buffer, length);
    count(failed == 0 ? (int64_t)length : 0);
    return failed;
}

/* Six arguments of a register each, whatever the call takes: what is not given is not looked at. */
long syscall(long number, ...)
{
    NEXT(syscall);
    va_list list;
    va_start(list, number);
    long a = va_arg(list, long), b = va_arg(list, long), c = va_arg(list, long);
    long d = va_arg(list, long), e = va_arg(list, long), f = va_arg(list, long);
    va_end(list);
    long result = real(number, a, b, c, d, e, f);
    if (number == SYS_getrandom)
        count(result);
    return result;
}

/* Linux gives the two devices these numbers (Documentation/admin-guide/devices.txt), by whatever name they are opened.
 */
static int is_random(int descriptor)
{
    struct stat found;
    return descriptor >= 0 && fstat(descriptor, &found) == 0 && S_ISCHR(found.st_mode) &&
           (found.st_rdev == makedev(1, 8) || found.st_rdev == makedev(1, 9));
}

ssize_t read(int descriptor, void *buffer, size_t length)
{
    NEXT(read);
    ssize_t got = real(descriptor, buffer, length);
    if (got > 0 && is_random(descriptor))
        count(got);
    return got;
}

size_t fread(void *restrict buffer, size_t size, size_t members, FILE *restrict stream)
{
    NEXT(fread);
    size_t got = real(buffer, size, members, stream);
    if (got > 0 && is_random(fileno(stream)))
        count((int64_t)(got * size));
    return got;
}

/* The same in objects that were compiled with _FORTIFY_SOURCE. */
ssize_t __read_chk(int descriptor, void *buffer, size_t length, size_t room);
size_t __fread_chk(void *restrict buffer, size_t room, size_t size, size_t members, FILE *restrict stream);

ssize_t __read_chk(int descriptor, void *buffer, size_t length, size_t room)
{
    NEXT(__read_chk);
    ssize_t got = real(descriptor, buffer, length, room);
    if (got > 0 && is_random(descriptor))
        count(got);
    return got;
}

size_t __fread_chk(void *restrict buffer, size_t room, size_t size, size_t members, FILE *restrict stream)
{
    NEXT(__fread_chk);
    size_t got = real(buffer, room, size, members, stream);
    if (got > 0 && is_random(fileno(stream)))
        count((int64_t)(got * size));
    return got;
}
