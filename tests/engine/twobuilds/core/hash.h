/* SPDX-License-Identifier: Apache-2.0
 *
 * SHA-256's state of eight words, and what one block of 64 bytes does to it.
 */
#ifndef TWOBUILDS_CORE_HASH_H
#define TWOBUILDS_CORE_HASH_H

#include <stdint.h>

void hash_start(uint32_t state[8]);
void hash_block(uint32_t state[8], const uint8_t *block);

#endif
