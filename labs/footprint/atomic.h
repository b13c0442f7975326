/* SPDX-License-Identifier: Apache-2.0
 *
 * A processor without exclusive loads (ARMv6-M) has no atomic exchange: the compiler calls a function, which this C
 * library lacks and a port gives. There is one core: what no interrupt comes between is atomic.
 */
#ifndef FOOTPRINT_ATOMIC_H
#define FOOTPRINT_ATOMIC_H

#if defined(FOOTPRINT_BOARD) && defined(__ARM_ARCH_6M__)
#include <stdbool.h>
#include <stdint.h>

/* Under a name of its own, since the compiler has a function built in of that one. */
bool exchanged_if_same(volatile void *at, void *expected, uint32_t wanted, bool weak, int success,
                       int failure) __asm__("__atomic_compare_exchange_4");

__attribute__((used)) bool exchanged_if_same(volatile void *at, void *expected, uint32_t wanted, bool weak, int success,
                                             int failure)
{
    volatile uint32_t *place = at;
    uint32_t *seen = expected, masked, found;

    (void)weak, (void)success, (void)failure;
    __asm__ volatile("mrs %0, primask\n\tcpsid i" : "=r"(masked)::"memory");
    found = *place;
    if (found == *seen)
        *place = wanted;
    __asm__ volatile("msr primask, %0" ::"r"(masked) : "memory");
    if (found == *seen)
        return true;
    *seen = found;
    return false;
}
#endif

#endif
