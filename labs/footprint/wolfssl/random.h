/* SPDX-License-Identifier: Apache-2.0
 *
 * The system's random bytes, where the settings of a step have the library ask for them.
 */
#ifndef FOOTPRINT_RANDOM_H
#define FOOTPRINT_RANDOM_H

#include "../entropy.h"

#ifdef CUSTOM_RAND_GENERATE_BLOCK
int footprint_random(unsigned char *to, unsigned len)
{
    return system_bytes(to, len);
}
#endif

#endif
