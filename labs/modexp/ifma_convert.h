/* SPDX-License-Identifier: Apache-2.0
 *
 * modexp laboratory, IFMA back end: limbs of 64 bits to blocks of 52-bit limbs, and back.
 */
#ifndef MODEXP_IFMA_CONVERT_H
#define MODEXP_IFMA_CONVERT_H

#include "ifma_block.h"

/* `count` limbs of 64 bits to a whole block; the number must be below 2^(52 limbs). */
void modexp_ifma_to_block(uint64_t *block, const uint64_t *limbs64, unsigned count, const ifma_key *key);

/* The number, below 2^(64 count), as `count` limbs of 64 bits. */
void modexp_ifma_from_block(uint64_t *limbs64, unsigned count, const uint64_t *block, const ifma_key *key);

#endif
