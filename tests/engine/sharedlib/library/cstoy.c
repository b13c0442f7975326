/* SPDX-License-Identifier: Apache-2.0
 *
 * SHA-256 (FIPS 180-4) over the block function of the other test library. CSTOY_MARK goes into the file, not into what
 * it computes or says of itself: the same version, another build.
 */
#include "cstoy.h"

#include "../../twobuilds/core/hash.h"

#include <string.h>

const char cstoy_mark[] = CSTOY_MARK;

const char *cstoy_version(void)
{
    return "1.0";
}

void cstoy_hash(const uint8_t *message, size_t length, uint8_t digest[32])
{
    uint32_t state[8];
    uint8_t last[128] = {0};
    size_t whole = length / 64 * 64, rest = length - whole, padded = rest < 56 ? 64 : 128;

    hash_start(state);
    for (size_t i = 0; i < whole; i += 64)
        hash_block(state, message + i);
    if (rest != 0)
        memcpy(last, message + whole, rest);
    last[rest] = 0x80;
    for (size_t i = 0; i < 8; i++)
        last[padded - 1 - i] = (uint8_t)((uint64_t)length * 8 >> (8 * i));
    for (size_t i = 0; i < padded; i += 64)
        hash_block(state, last + i);
    for (size_t i = 0; i < 32; i++)
        digest[i] = (uint8_t)(state[i / 4] >> (24 - 8 * (i % 4)));
}
