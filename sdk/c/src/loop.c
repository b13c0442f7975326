/* SPDX-License-Identifier: Apache-2.0
 *
 * The timed region. Nothing here allocates, and between the two readings of the wall clock that bound a batch nothing
 * of the SDK runs but cs_loop; without probes one reading ends a batch and begins the next. The CPU clock and the
 * context switches are system calls: they stay outside of the whole turn, as does the reference counter.
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

/* A probe, then for each batch a reading, its calls, a reading and a probe. */
TIMED int cs_batches_around(const cs_clock *clock, int (*call)(cs_case *), cs_case *c, uint64_t calls, unsigned batches,
                            struct timespec *wall, cs_probe *probe)
{
    int status = CS_OK;
    cs_probe_read(probe);
    do {
        clock->gettime(clock->wall, wall++);
        status |= cs_loop(call, c, calls);
        clock->gettime(clock->wall, wall++);
        cs_probe_read(++probe);
    } while (--batches != 0);
    return status;
}

/* Between the last two readings of a round lies the call. The reading before them fetches the clock's code and data,
 * which `ready` may have taken out of the caches. */
TIMED int cs_calls_apart(const cs_clock *clock, int (*call)(cs_case *), cs_case *c, uint64_t calls, cs_ready *ready,
                         void *what, uint64_t *ns)
{
    int status = CS_OK;
    struct timespec wall[2];
    *ns = 0;
    do {
        ready(what);
        clock->gettime(clock->wall, &wall[1]);
        clock->gettime(clock->wall, &wall[0]);
        status |= call(c);
        clock->gettime(clock->wall, &wall[1]);
        *ns += cs_elapsed_ns(&wall[0], &wall[1]);
    } while (--calls != 0);
    return status;
}

static uint64_t less(uint64_t a, double b)
{
    return (double)a > b ? a - (uint64_t)b : 0;
}

/* Takes the probes off what was counted around the whole turn: as often as there are stretches outside of the batches,
 * the shortest of them, because a probe that was interrupted took no more of this thread's time than the others. As
 * cycles the same over a cycle's length, which the chain tells (an addition a cycle). */
static void without_probes(cs_timing *timing, const struct timespec *wall, unsigned batches)
{
    uint64_t shortest = 0;
    double cycle_ns = -1;
    for (unsigned i = 0; i <= batches; i++) {
        uint64_t outside = cs_elapsed_ns(&wall[2 * i], &wall[2 * i + 1]);
        if (i == 0 || outside < shortest)
            shortest = outside;
        if (timing->probe[i].chain_ns > 0 && (cycle_ns < 0 || timing->probe[i].chain_ns < cycle_ns))
            cycle_ns = timing->probe[i].chain_ns;
    }
    double probes_ns = (double)shortest * (batches + 1);
    timing->cpu_ns = less(timing->cpu_ns, probes_ns);
    if (cycle_ns > 0)
        timing->cycles = less(timing->cycles, probes_ns / cycle_ns);
    else
        timing->has_cycles = false;
}

void cs_time_batches(cs_case *c, uint64_t calls, unsigned batches, bool around, cs_timing *timing)
{
    const cs_clock clock = cs_clock_now;
    uint64_t (*const ref)(void) = cs_isa_here.ref;
    int (*const call)(cs_case *) = c->op->call;
    struct timespec cpu0 = {0}, cpu1 = {0}, wall[2 * CS_MAX_BATCHES + 2];
    uint64_t ref0 = 0, ref1 = 0, cycles0 = 0, cycles1 = 0;
    int64_t switches0 = 0, switches1 = 0;
    int status;

    around = around && cs_isa_here.probe != NULL; /* nothing to read, nothing to take off */
    bool has_switches = clock.nivcsw(&switches0);
    bool has_cpu = clock.has_cpu && clock.gettime(clock.cpu, &cpu0) == 0;
    bool has_cycles = cs_counter_read(&cycles0);
    if (ref != NULL)
        ref0 = ref();
    if (around) {
        clock.gettime(clock.wall, &wall[0]);
        status = cs_batches_around(&clock, call, c, calls, batches, wall + 1, timing->probe);
        clock.gettime(clock.wall, &wall[2 * batches + 1]);
    } else {
        status = cs_batches(&clock, call, c, calls, batches, wall);
    }
    if (ref != NULL)
        ref1 = ref();
    has_cycles = has_cycles && cs_counter_read(&cycles1);
    has_cpu = has_cpu && clock.gettime(clock.cpu, &cpu1) == 0;
    has_switches = has_switches && clock.nivcsw(&switches1);

    timing->status = status;
    for (unsigned i = 0; i < batches; i++)
        timing->ns[i] =
            around ? cs_elapsed_ns(&wall[2 * i + 1], &wall[2 * i + 2]) : cs_elapsed_ns(&wall[i], &wall[i + 1]);
    timing->has_cpu = has_cpu;
    timing->cpu_ns = cs_elapsed_ns(&cpu0, &cpu1);
    timing->has_ref = ref != NULL;
    timing->ref = ref1 - ref0;
    timing->has_cycles = has_cycles;
    timing->cycles = cycles1 - cycles0;
    timing->has_nivcsw = has_switches;
    timing->nivcsw = switches1 - switches0;
    if (around)
        without_probes(timing, wall, batches);
}

void cs_time_apart(cs_case *c, uint64_t calls, unsigned batches, bool around, cs_ready *ready, void *what,
                   cs_timing *timing)
{
    const cs_clock clock = cs_clock_now;
    int64_t switches0 = 0, switches1 = 0;

    timing->status = CS_OK;
    timing->has_cpu = timing->has_ref = timing->has_cycles = false;
    bool has_switches = clock.nivcsw(&switches0);
    around = around && cs_isa_here.probe != NULL;
    if (around)
        cs_probe_read(&timing->probe[0]);
    timing->aside_ns = 0;
    for (unsigned i = 0; i < batches; i++) {
        uint64_t aside = cs_aside_ns();
        timing->status |= cs_calls_apart(&clock, c->op->call, c, calls, ready, what, &timing->ns[i]);
        aside = cs_aside_ns() - aside;
        timing->ns[i] = less(timing->ns[i], (double)aside);
        timing->aside_ns += aside;
        if (around)
            cs_probe_read(&timing->probe[i + 1]);
    }
    timing->has_nivcsw = has_switches && clock.nivcsw(&switches1);
    timing->nivcsw = switches1 - switches0;
}
