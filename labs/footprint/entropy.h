/* SPDX-License-Identifier: Apache-2.0
 *
 * The system's random bytes, for libraries that ask their program for them.
 */
#ifndef FOOTPRINT_ENTROPY_H
#define FOOTPRINT_ENTROPY_H

#include <stddef.h>
#include <sys/random.h>

/* 0, or -1 where the system gives none. */
static inline int system_bytes(unsigned char *to, size_t len)
{
    while (len > 0) {
        ssize_t n = getrandom(to, len, 0);

        if (n <= 0)
            return -1;
        to += n;
        len -= (size_t)n;
    }
    return 0;
}

#endif
