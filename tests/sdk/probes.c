/* SPDX-License-Identifier: Apache-2.0
 *
 * probe.c in a world whose clock moves only in chains: `probes COMMAND NS...`. Every call of a chain takes the next of
 * the times, the last of them for ever after. Prints the calls, a letter (c chain, t throughput, m multiply) and its
 * blocks each, equal ones counted; then what was read.
 */
#include "sdk.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t now = 1;
static char **times;
static char last;
static uint64_t last_blocks, count;

static void told(void)
{
    if (count > 0)
        printf("%c%" PRIu64 "x%" PRIu64 " ", last, last_blocks, count);
    count = 0;
}

static void passed(char what, uint64_t blocks)
{
    if (what != last || blocks != last_blocks)
        told();
    last = what;
    last_blocks = blocks;
    count++;
    now += strtoull(*times, NULL, 10);
    if (times[1] != NULL)
        times++;
}

static void chain(uint64_t blocks)
{
    passed('c', blocks);
}

static void throughput(uint64_t blocks)
{
    passed('t', blocks);
}

static void multiply(uint64_t blocks)
{
    passed('m', blocks);
}

#ifdef NO_PROBES
const cs_isa cs_isa_here = {.chain = chain, .throughput = throughput, .multiply = multiply};
#else
const cs_isa cs_isa_here = {.probe = "none", .chain = chain, .throughput = throughput, .multiply = multiply};
#endif

static int gettime(clockid_t id, struct timespec *reading)
{
    (void)id;
    reading->tv_sec = (time_t)(now / 1000000000);
    reading->tv_nsec = (long)(now % 1000000000);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    cs_clock_now.gettime = gettime;
    times = argv + 2;
    if (strcmp(argv[1], "warm") == 0) {
        cs_probe_warm();
        told();
        printf("\n");
    } else if (strcmp(argv[1], "read") == 0) {
        cs_probe one;
        cs_probe_read(&one);
        told();
        printf("%.4f %.4f %.4f\n", one.chain_ns, one.tput_ns, cs_probe_ipc(&one));
    } else {
        double ratio = cs_probe_imul_ratio();
        told();
        printf("%.4f\n", ratio);
    }
    return 0;
}
