/* SPDX-License-Identifier: Apache-2.0
 *
 * Every toy operation uses sum(x): 64-bit FNV-1a (Fowler, Noll, Vo), written most significant byte first.
 */
#ifndef TOY_SUM_H
#define TOY_SUM_H

#include "cipherstone.h"

#define SUM_BYTES 8
#define SUM_START 0xcbf29ce484222325u

static uint64_t sum(uint64_t state, cs_span bytes)
{
    for (size_t i = 0; i < bytes.len; i++)
        state = (state ^ bytes.data[i]) * 0x100000001b3u;
    return state;
}

static void put64(uint8_t *out, uint64_t value)
{
    for (size_t i = 0; i < 8; i++)
        out[i] = (uint8_t)(value >> (56 - 8 * i));
}

#endif
