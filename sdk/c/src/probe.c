/* SPDX-License-Identifier: Apache-2.0
 *
 * The two probes around a batch: the core's clock, from additions that wait for each other, and how many additions the
 * core retires at once, which falls when a sibling thread shares it. Short, because each batch has one before and one
 * after it: about 7 us, a clock step of 10 ns is 0.3 % of either half.
 */
#include "sdk.h"

#define CHAIN_BLOCKS 200      /* x 64 additions, 3 to 5 us */
#define THROUGHPUT_BLOCKS 256 /* x 128 additions, 1.5 to 3 us on a core of its own */
#define INTERRUPTED 1.02      /* a chain this much longer than the last: the core only looks as if it were free */
#define FAR_ABOVE 1.1         /* times `quiet`: a chain that a neighbour slowed, not a core that is free */
#define CHECK_BLOCKS 640      /* of the calibrating chain and its witness, which are compared once a pass */

static double time_ns(void (*work)(uint64_t), uint64_t blocks)
{
    struct timespec a = {0}, b = {0};
    cs_clock_now.gettime(cs_clock_now.wall, &a);
    work(blocks);
    cs_clock_now.gettime(cs_clock_now.wall, &b);
    return (double)cs_elapsed_ns(&a, &b);
}

/* About a millisecond: after a sleep cores run slower for the first microseconds. */
static void warm_up(void)
{
    for (int i = 0; i < 100; i++)
        cs_isa_here.chain(CHECK_BLOCKS);
}

/* Fetches the code and trains the loop branches. The core itself is awake: other workers ran on it just before, and the
 * first rounds of a pass, when it may have slept, do not count. */
void cs_probe_warm(void)
{
    if (cs_isa_here.probe == NULL)
        return;
    cs_isa_here.chain(CHAIN_BLOCKS / 16);
    cs_isa_here.throughput(THROUGHPUT_BLOCKS / 16);
}

void cs_probe_read(cs_probe *result)
{
    result->chain_ns = result->tput_ns = -1;
    if (cs_isa_here.probe == NULL)
        return;
    result->chain_ns = time_ns(cs_isa_here.chain, CHAIN_BLOCKS) / (CHAIN_BLOCKS * 64.0);
    result->tput_ns = time_ns(cs_isa_here.throughput, THROUGHPUT_BLOCKS) / (THROUGHPUT_BLOCKS * 128.0);
}

double cs_probe_ipc(const cs_probe *probe)
{
    return probe->chain_ns > 0 && probe->tput_ns > 0 ? probe->chain_ns / probe->tput_ns : -1;
}

uint64_t cs_probe_wait(double quiet, uint64_t wait_ns)
{
    struct timespec begin = {0}, now = {0};
    cs_probe probe = {-1, -1};
    int quiet_ones = 0; /* in a row: one alone is too often an interrupted chain */
    if (cs_isa_here.probe == NULL)
        return 0;
    cs_probe_warm();
    cs_clock_now.gettime(cs_clock_now.wall, &begin);
    uint64_t waited;
    do {
        double before = probe.chain_ns;
        cs_probe_read(&probe);
        cs_clock_now.gettime(cs_clock_now.wall, &now);
        waited = cs_elapsed_ns(&begin, &now);
        double ipc = cs_probe_ipc(&probe);
        bool is_quiet =
            ipc >= quiet && ipc <= FAR_ABOVE * quiet && (before <= 0 || probe.chain_ns <= INTERRUPTED * before);
        quiet_ones = is_quiet ? quiet_ones + 1 : 0;
    } while (quiet_ones < 2 && waited < wait_ns);
    return waited;
}

double cs_probe_imul_ratio(void)
{
    if (cs_isa_here.probe == NULL)
        return -1;
    double add = 0, multiply = 0;
    warm_up();
    /* The smallest of several, in turns: an interruption only ever adds time. */
    for (int i = 0; i < 15; i++) {
        double a = time_ns(cs_isa_here.chain, CHECK_BLOCKS);
        double m = time_ns(cs_isa_here.multiply, CHECK_BLOCKS);
        add = i == 0 || a < add ? a : add;
        multiply = i == 0 || m < multiply ? m : multiply;
    }
    return add > 0 ? multiply / add : -1;
}
