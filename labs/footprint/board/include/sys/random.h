/* SPDX-License-Identifier: Apache-2.0
 *
 * Random bytes of the emulator's host: what a board gets them from is not modelled, and not in a size.
 */
#ifndef FOOTPRINT_BOARD_RANDOM_H
#define FOOTPRINT_BOARD_RANDOM_H

#include <sys/types.h>

ssize_t getrandom(void *to, size_t len, unsigned flags);

#endif
