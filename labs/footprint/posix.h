/* SPDX-License-Identifier: Apache-2.0
 *
 * Further functions of a system that libraries for POSIX call, and that on a board the program supplies: random bytes,
 * the date in microseconds, a wait that ends at once, and the numbers of the user: one user, without other rights.
 */
#ifndef FOOTPRINT_POSIX_H
#define FOOTPRINT_POSIX_H

#ifdef FOOTPRINT_BOARD
#include "atomic.h"
#include "entropy.h"

#include <sys/time.h>
#include <time.h>
#include <unistd.h>

int getentropy(void *to, size_t len)
{
    return system_bytes(to, len);
}

int _gettimeofday(struct timeval *at, void *zone);

int _gettimeofday(struct timeval *at, void *zone)
{
    (void)zone;
    *at = (struct timeval){.tv_sec = time(NULL)};
    return 0;
}

int nanosleep(const struct timespec *how_long, struct timespec *left);

int nanosleep(const struct timespec *how_long, struct timespec *left)
{
    (void)how_long;
    (void)left;
    return 0;
}

uid_t getuid(void)
{
    return 0;
}

uid_t geteuid(void)
{
    return 0;
}

gid_t getgid(void)
{
    return 0;
}

gid_t getegid(void)
{
    return 0;
}
#endif

#endif
