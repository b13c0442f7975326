/* SPDX-License-Identifier: Apache-2.0
 *
 * The system's random bytes, where the settings of a step have the library ask for them.
 */
#ifndef FOOTPRINT_RANDOM_H
#define FOOTPRINT_RANDOM_H

#include <sys/random.h>

#ifdef CUSTOM_RAND_GENERATE_BLOCK
int footprint_random(unsigned char *to, unsigned len)
{
    while (len > 0) {
        ssize_t n = getrandom(to, len, 0);

        if (n <= 0)
            return -1;
        to += n;
        len -= (unsigned)n;
    }
    return 0;
}
#endif

#endif
