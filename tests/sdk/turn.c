/* SPDX-License-Identifier: Apache-2.0
 *
 * loop.c in a world whose clocks move only when something happens: `turn COUNTER BATCHES LONG_PROBE CHAIN`. A call
 * takes 1000 ns and 4000 cycles; a probe 6000 ns, at 250 ps an addition 24000 cycles. COUNTER (0 or 1): whether there
 * is a hardware counter; built with TURN_PROBES there are probes. Probe number LONG_PROBE (from 0) is interrupted: for
 * 5 ms the wall clock goes on and the thread does not, and its chain reads CHAIN ps. Prints ns, CPU ns and cycles of
 * the turn, "null" for cycles that it cannot tell.
 */
#include "sdk.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define CALLS 3
#define CALL_NS 1000
#define PROBE_NS 6000
#define CYCLES_A_NS 4

static uint64_t wall_ns = 1, cpu_ns = 1, cycles = 1;
static long probes_read, long_probe;
static double long_chain_ns;
static bool has_counter;

static void pass(uint64_t ns)
{
    wall_ns += ns;
    cpu_ns += ns;
    cycles += CYCLES_A_NS * ns;
}

static int gettime(clockid_t id, struct timespec *reading)
{
    uint64_t now = id == CLOCK_MONOTONIC ? wall_ns : cpu_ns;
    reading->tv_sec = (time_t)(now / 1000000000);
    reading->tv_nsec = (long)(now % 1000000000);
    return 0;
}

static bool nivcsw(int64_t *count)
{
    (void)count;
    return false;
}

bool cs_counter_read(uint64_t *value)
{
    *value = cycles;
    return has_counter;
}

/* As the real one. */
void cs_probe_read(cs_probe *result)
{
    result->chain_ns = result->tput_ns = -1;
    if (cs_isa_here.probe == NULL)
        return;
    pass(PROBE_NS);
    result->chain_ns = 0.25;
    if (probes_read++ == long_probe) {
        wall_ns += 5000000;
        result->chain_ns = long_chain_ns;
    }
    result->tput_ns = 0.05;
}

#ifdef TURN_PROBES
const cs_isa cs_isa_here = {.probe = "turn"};
#else
const cs_isa cs_isa_here = {.probe = NULL};
#endif

static int call(cs_case *c)
{
    (void)c;
    pass(CALL_NS);
    return CS_OK;
}

int main(int argc, char **argv)
{
    static cs_timing timing;
    if (argc != 5)
        return 2;
    cs_clock_now.gettime = gettime;
    cs_clock_now.nivcsw = nivcsw;
    has_counter = argv[1][0] == '1';
    unsigned batches = (unsigned)atoi(argv[2]);
    long_probe = atol(argv[3]);
    long_chain_ns = atof(argv[4]) / 1000;
    const cs_op op = {.id = "turn/hash", .impl = "default", .name = "turn", .call = call};
    cs_case prepared = {.op = &op};
    cs_time_batches(&prepared, CALLS, batches, true, &timing);
    uint64_t ns = 0;
    for (unsigned i = 0; i < batches; i++)
        ns += timing.ns[i];
    printf("%" PRIu64 " %" PRIu64 " ", ns, timing.cpu_ns);
    if (timing.has_cycles)
        printf("%" PRIu64 "\n", timing.cycles);
    else
        printf("null\n");
    return 0;
}
