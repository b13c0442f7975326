/* SPDX-License-Identifier: Apache-2.0
 *
 * modexp laboratory: the arena. Working memory is known before a call and never grows.
 */
#include "lab.h"

modexp_counts modexp_counted;

void *modexp_arena_take(modexp_arena *arena, size_t size)
{
    unsigned char *p = arena->base;

    arena->high += size;
    if (p == NULL || size > arena->size - arena->used) {
        return NULL;
    }
    p += arena->used;
    arena->used += size;
    return p;
}
