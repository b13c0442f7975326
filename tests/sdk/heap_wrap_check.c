/* SPDX-License-Identifier: Apache-2.0
 *
 * Allocates, grows and frees blocks in an order that a generator draws, and holds what sdk/c/heap counts against its
 * own sums after each step. Prints what is live at the end, without its blocks.
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int64_t cs_heap_hook_live(void);
int64_t cs_heap_hook_peak(void);
int64_t cs_heap_hook_allocations(void);
void cs_heap_hook_mark(void);

#define BLOCKS 2500

static void *block[BLOCKS];
static size_t size[BLOCKS];
static uint64_t state = 1;

static size_t drawn(size_t below)
{
    state = state * UINT64_C(6364136223846793005) + 1;
    return (size_t)(state >> 33) % below;
}

static int step(int64_t *sum)
{
    size_t i = drawn(BLOCKS), bytes = 1 + drawn(300);
    if (block[i] != NULL && drawn(3) == 0) {
        free(block[i]);
        *sum -= (int64_t)size[i];
        block[i] = NULL;
        return 0;
    }
    void *moved = block[i] == NULL && drawn(4) == 0 ? calloc(1, bytes) : realloc(block[i], bytes);
    if (moved == NULL)
        return 1;
    *sum += (int64_t)bytes - (block[i] != NULL ? (int64_t)size[i] : 0);
    block[i] = moved;
    size[i] = bytes;
    return 0;
}

int main(void)
{
    int64_t before = cs_heap_hook_live(), sum = 0, most = 0;
    cs_heap_hook_mark();
    for (int number = 0; number < 200000; number++) {
        if (step(&sum) != 0)
            return 2;
        most = sum > most ? sum : most;
        if (cs_heap_hook_live() - before != sum || cs_heap_hook_peak() - before != most)
            return 3;
    }
    for (size_t i = 0; i < BLOCKS; i++)
        free(block[i]);
    int64_t left = cs_heap_hook_live() - before; /* before printf, which may allocate */
    printf("%" PRId64 " %d\n", left, cs_heap_hook_allocations() > 0);
    return 0;
}
