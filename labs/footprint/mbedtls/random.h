/* SPDX-License-Identifier: Apache-2.0
 *
 * The system's random bytes, as the library asks for them.
 */
#ifndef FOOTPRINT_RANDOM_H
#define FOOTPRINT_RANDOM_H

#include "../entropy.h"
#include "../program.h"

static inline int system_random(void *unused, unsigned char *to, size_t len)
{
    (void)unused;
    return system_bytes(to, len);
}

#endif
