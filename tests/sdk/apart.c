/* SPDX-License-Identifier: Apache-2.0
 *
 * cs_time_apart in a world whose clock moves only when something happens: `apart CALLS BATCHES [aside]`. What is done
 * before a call takes 700 ns, a call 1000 ns, of what it does aside each piece 5000 ns, a probe 6000 ns, a reading of
 * the clock 30 ns. Prints the nanoseconds of the batches together, which other figures there are, and what happened: r
 * ready, t a reading, c a call, o what it does aside, p a probe.
 */
#include "sdk.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t now_ns = 1;
static char journal[4096];

static void pass(char what, uint64_t ns)
{
    now_ns += ns;
    journal[strlen(journal)] = what;
}

static int gettime(clockid_t id, struct timespec *reading)
{
    if (id != CLOCK_MONOTONIC)
        abort();
    pass('t', 30);
    reading->tv_sec = (time_t)(now_ns / 1000000000);
    reading->tv_nsec = (long)(now_ns % 1000000000);
    return 0;
}

static bool nivcsw(int64_t *count)
{
    *count = 7;
    return true;
}

bool cs_counter_read(uint64_t *value)
{
    *value = 0;
    return true;
}

void cs_probe_read(cs_probe *result)
{
    pass('p', 6000);
    result->chain_ns = 0.25;
    result->tput_ns = 0.05;
}

const cs_isa cs_isa_here = {.probe = "apart"};

static void ready(void *what)
{
    pass(*(char *)what, 700);
}

static int call(cs_case *c)
{
    (void)c;
    pass('c', 1000);
    return CS_REJECTED;
}

static int call_aside(cs_case *c)
{
    cs_aside_begin();
    pass('o', 5000);
    cs_aside_end();
    int status = call(c);
    cs_aside_begin();
    pass('o', 5000);
    cs_aside_end();
    return status;
}

int main(int argc, char **argv)
{
    static cs_timing timing;
    if (argc != 3 && argc != 4)
        return 2;
    cs_clock_now.gettime = gettime;
    cs_clock_now.nivcsw = nivcsw;
    unsigned batches = (unsigned)atoi(argv[2]);
    const cs_op op = {.id = "apart/hash", .impl = "default", .name = "apart", .call = argc == 4 ? call_aside : call};
    cs_case prepared = {.op = &op};
    char what = 'r';
    cs_time_apart(&prepared, (uint64_t)atoi(argv[1]), batches, true, ready, &what, &timing);
    uint64_t ns = 0;
    for (unsigned i = 0; i < batches; i++)
        ns += timing.ns[i];
    printf("%" PRIu64 " %d%d%d%d %d %s\n", ns, timing.has_cpu, timing.has_ref, timing.has_cycles, timing.has_nivcsw,
           timing.status, journal);
    return 0;
}
