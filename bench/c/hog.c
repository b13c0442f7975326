/* SPDX-License-Identifier: Apache-2.0
 *
 * A neighbour: `hog CPU BUSY_MS IDLE_MS SECONDS [MIB]` keeps one CPU busy for BUSY_MS and sleeps IDLE_MS, each drawn
 * from a tenth to nearly twice that, until SECONDS have passed or its standard input is closed. IDLE_MS 0: busy all the
 * time. With MIB it copies so much memory back and forth while it is busy, else it multiplies and adds.
 */
#define _GNU_SOURCE
#include <poll.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
    return 1e-3 * ms * (0.1 + 1.8 * (double)(state >> 40) / (double)(1 << 24));
}

/* True once the input is closed, after at most so many seconds. */
static int ended(double seconds)
{
    struct pollfd input = {.fd = 0, .events = POLLIN};
    struct timespec wait = {.tv_sec = (time_t)seconds, .tv_nsec = (long)(1e9 * (seconds - (double)(time_t)seconds))};
    return ppoll(&input, 1, &wait, NULL) != 0;
}

int main(int argc, char **argv)
{
    if (argc != 5 && argc != 6)
        return 2;
    int cpu = atoi(argv[1]);
    double busy = atof(argv[2]), idle = atof(argv[3]), end = now() + atof(argv[4]);
    size_t bytes = argc == 6 ? (size_t)atoi(argv[5]) << 20 : 0;
    volatile uint64_t sink = 0;
    char *a = NULL, *b = NULL;
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET(cpu, &set);
    if (sched_setaffinity(0, sizeof set, &set) != 0) {
        perror("hog");
        return 1;
    }
    if (bytes > 0) {
        a = malloc(bytes);
        b = malloc(bytes);
        if (a == NULL || b == NULL)
            return 1;
        memset(a, 1, bytes);
        memset(b, 2, bytes);
    }
    state = (uint64_t)cpu + 1;
    while (now() < end) {
        double until = now() + drawn(busy);
        while (now() < until) {
            if (bytes > 0) {
                memcpy(a, b, bytes);
                memcpy(b, a, bytes);
            } else {
                for (int i = 0; i < 1000; i++)
                    sink += (uint64_t)i * sink + 1;
            }
        }
        if (ended(idle > 0 ? drawn(idle) : 0))
            return 0;
    }
    return 0;
}
