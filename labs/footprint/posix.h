/* SPDX-License-Identifier: Apache-2.0
 *
 * What libraries that are written for POSIX ask of a system besides, and a board has from its program: random bytes,
 * the date in microseconds, to wait, which is over at once, and who runs it: one user, without rights of another's.
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
