/* SPDX-License-Identifier: Apache-2.0
 *
 * The system's random bytes, as the library asks for them.
 */
#ifndef FOOTPRINT_RANDOM_H
#define FOOTPRINT_RANDOM_H

#include <sys/random.h>

#include "../program.h"

static inline int system_random(void *unused, unsigned char *to, size_t len)
{
    (void)unused;
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
