/* SPDX-License-Identifier: Apache-2.0
 *
 * The heap of a minimal program as it is after other work. A worker has done some before a case is timed; a plain
 * program has done none. A call that allocates much takes more or less time in a used heap.
 */
#ifndef USED_HEAP_H
#define USED_HEAP_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { HEAP_LEAST = 64, HEAP_DOUBLINGS = 9, HEAP_MOST = HEAP_LEAST << (HEAP_DOUBLINGS - 1) };

static uint64_t drawn(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* 64 to 16,384 blocks of 16 bytes to 8 KiB, of which one in two to one in 64 stays; the others are free again, in no
 * order. How much is free decides where an allocation comes from (a block that fits, the rest of a larger one, the end
 * of the heap), so that is drawn too. */
static void use_heap(uint64_t seed)
{
    static void *block[HEAP_MOST];
    uint64_t state = seed * 0x9E3779B97F4A7C15u | 1;
    size_t blocks = (size_t)HEAP_LEAST << drawn(&state) % HEAP_DOUBLINGS, kept = (size_t)2 << drawn(&state) % 6;
    for (size_t i = 0; i < blocks; i++) {
        size_t size = (size_t)16 << drawn(&state) % 9;
        size += drawn(&state) % size;
        if ((block[i] = malloc(size)) == NULL)
            exit(1);
        memset(block[i], 1, size);
    }
    for (size_t i = blocks; i > 1; i--) {
        size_t other = (size_t)(drawn(&state) % i);
        void *last = block[i - 1];
        block[i - 1] = block[other];
        block[other] = last;
    }
    for (size_t i = 0; i < blocks; i++)
        if (i % kept != 0)
            free(block[i]);
}

#endif
