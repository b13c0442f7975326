/* SPDX-License-Identifier: Apache-2.0
 *
 * The clocks. RUSAGE_THREAD exists on Linux and FreeBSD; elsewhere context switches are unknown (null in the reply). A
 * system without CLOCK_PROCESS_CPUTIME_ID has no CPU clock (null). It is the process's and not the thread's: a library
 * may compute in threads of its own, and what they take is its cost.
 */
#define CS_SYSTEM_EXTENSIONS
#include "sdk.h"

#include <sys/resource.h>

static bool read_nivcsw(int64_t *count)
{
#ifdef RUSAGE_THREAD
    struct rusage usage;
    if (getrusage(RUSAGE_THREAD, &usage) != 0)
        return false;
    *count = usage.ru_nivcsw;
    return true;
#else
    (void)count;
    return false;
#endif
}

cs_clock cs_clock_now = {
    .name = "CLOCK_MONOTONIC",
    .wall = CLOCK_MONOTONIC,
#ifdef CLOCK_PROCESS_CPUTIME_ID
    .has_cpu = true,
    .cpu = CLOCK_PROCESS_CPUTIME_ID,
    .cpu_name = "CLOCK_PROCESS_CPUTIME_ID",
#endif
    .gettime = clock_gettime,
    .nivcsw = read_nivcsw,
};

uint64_t cs_elapsed_ns(const struct timespec *a, const struct timespec *b)
{
    int64_t seconds = (int64_t)b->tv_sec - (int64_t)a->tv_sec;
    int64_t ns = seconds * 1000000000 + ((int64_t)b->tv_nsec - (int64_t)a->tv_nsec);
    return ns > 0 ? (uint64_t)ns : 0;
}

uint64_t cs_clock_step_ns(void)
{
    uint64_t smallest = 0;
    struct timespec last, now;
    cs_clock_now.gettime(cs_clock_now.wall, &last);
    for (int i = 0; i < 2000; i++) {
        cs_clock_now.gettime(cs_clock_now.wall, &now);
        uint64_t step = cs_elapsed_ns(&last, &now);
        if (step > 0 && (smallest == 0 || step < smallest))
            smallest = step;
        last = now;
    }
    return smallest;
}
