/* SPDX-License-Identifier: Apache-2.0
 *
 * The timed region. Nothing here allocates, and between two readings of the wall clock nothing of the SDK runs but
 * cs_loop; one reading ends a batch and begins the next. The CPU clock and the context switches are system calls: they
 * stay outside, as does the reference counter.
 */
#include "sdk.h"

#if defined(__GNUC__) || defined(__clang__)
#define TIMED __attribute__((noinline, aligned(64)))
#else
#define TIMED
#endif

/* Kept apart so that its machine code is the same in every worker and can be looked at. */
TIMED int cs_loop(int (*call)(cs_case *), cs_case *c, uint64_t calls)
{
    int status = CS_OK;
    do
        status |= call(c);
    while (--calls != 0);
    return status;
}

/* A reading, then for each batch its calls and a reading: `wall` gets batches + 1 of them. Apart for the same reason.
 */
TIMED int cs_batches(const cs_clock *clock, int (*call)(cs_case *), cs_case *c, uint64_t calls, unsigned batches,
                     struct timespec *wall)
{
    int status = CS_OK;
    clock->gettime(clock->wall, wall);
    do {
        status |= cs_loop(call, c, calls);
        clock->gettime(clock->wall, ++wall);
    } while (--batches != 0);
    return status;
}

void cs_time_batches(cs_case *c, uint64_t calls, unsigned batches, cs_timing *timing)
{
    const cs_clock clock = cs_clock_now;
    uint64_t (*const ref)(void) = cs_isa_here.ref;
    int (*const call)(cs_case *) = c->op->call;
    struct timespec cpu0 = {0}, cpu1 = {0}, wall[CS_MAX_BATCHES + 1];
    uint64_t ref0 = 0, ref1 = 0, cycles0 = 0, cycles1 = 0;
    int64_t switches0 = 0, switches1 = 0;

    bool has_switches = clock.nivcsw(&switches0);
    bool has_cpu = clock.has_cpu && clock.gettime(clock.cpu, &cpu0) == 0;
    bool has_cycles = cs_counter_read(&cycles0);
    if (ref != NULL)
        ref0 = ref();
    int status = cs_batches(&clock, call, c, calls, batches, wall);
    if (ref != NULL)
        ref1 = ref();
    has_cycles = has_cycles && cs_counter_read(&cycles1);
    has_cpu = has_cpu && clock.gettime(clock.cpu, &cpu1) == 0;
    has_switches = has_switches && clock.nivcsw(&switches1);

    timing->status = status;
    for (unsigned i = 0; i < batches; i++)
        timing->ns[i] = cs_elapsed_ns(&wall[i], &wall[i + 1]);
    timing->has_cpu = has_cpu;
    timing->cpu_ns = cs_elapsed_ns(&cpu0, &cpu1);
    timing->has_ref = ref != NULL;
    timing->ref = ref1 - ref0;
    timing->has_cycles = has_cycles;
    timing->cycles = cycles1 - cycles0;
    timing->has_nivcsw = has_switches;
    timing->nivcsw = switches1 - switches0;
}
