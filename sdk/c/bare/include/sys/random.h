/* SPDX-License-Identifier: Apache-2.0
 *
 * Random bytes, of the emulator's host: a board has a device of its own for them, which is not modelled.
 */
#ifndef CS_BARE_RANDOM_H
#define CS_BARE_RANDOM_H

#include <stddef.h>

int getentropy(void *to, size_t len);

#endif
