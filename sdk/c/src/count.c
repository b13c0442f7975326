/* SPDX-License-Identifier: Apache-2.0
 *
 * Where an emulator begins and ends to count instructions (sdk/c/count): it finds both functions by their symbols. What
 * lies between them is one call and what it takes to get there, which harness/empty has too. Only `compute` comes
 * through here, and `memory` between the same two functions, whose outputs are looked at: what is counted is the very
 * call that is proven. Batches do not (loop.c).
 */
#include "sdk.h"

/* Two functions with the same code would be made one. */
#if defined(__GNUC__) || defined(__clang__)
#define MARK __attribute__((noinline, used))
#define CODE_OF_ITS_OWN(text) __asm__ volatile(text : : : "memory")
#else
static volatile int here;
#define MARK
#define CODE_OF_ITS_OWN(text) (here = sizeof(text))
#endif

MARK void cs_count_begin(void)
{
    CODE_OF_ITS_OWN("nop");
}

MARK void cs_count_end(void)
{
    CODE_OF_ITS_OWN("nop\n\tnop");
}

int cs_counted_call(cs_case *c)
{
    cs_count_begin();
    int status = c->op->call(c);
    cs_count_end();
    return status;
}
