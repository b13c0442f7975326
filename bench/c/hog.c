/* SPDX-License-Identifier: Apache-2.0
 *
 * A bursty neighbour: `hog CPU BUSY_MS IDLE_MS SECONDS` keeps one CPU busy for BUSY_MS and sleeps IDLE_MS, each drawn
 * from half to one and a half times that, until SECONDS have passed or its standard input is closed.
 */
#include <poll.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static uint64_t state;

static double drawn(double ms)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return 1e-3 * ms * (0.5 + (double)(state >> 40) / (double)(1 << 24));
}

int main(int argc, char **argv)
{
    if (argc != 5)
        return 2;
    int cpu = atoi(argv[1]);
    double busy = atof(argv[2]), idle = atof(argv[3]), end = now() + atof(argv[4]);
    volatile uint64_t sink = 0;
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    if (sched_setaffinity(0, sizeof set, &set) != 0) {
        perror("hog");
        return 1;
    }
    state = (uint64_t)cpu + 1;
    while (now() < end) {
        double until = now() + drawn(busy);
        while (now() < until)
            for (int i = 0; i < 1000; i++)
                sink += (uint64_t)i * sink + 1;
        struct pollfd input = {.fd = 0, .events = POLLIN};
        if (poll(&input, 1, (int)(1e3 * drawn(idle))) != 0)
            return 0;
    }
    return 0;
}
