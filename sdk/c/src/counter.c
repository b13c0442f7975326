/* SPDX-License-Identifier: Apache-2.0
 *
 * The hardware cycle counter, where the kernel gives one to this process: Linux perf events, user mode only. Virtual
 * machines mostly have none, other systems have other ways: then cycles come from the probes, and the reply says null.
 */
#define CS_SYSTEM_EXTENSIONS
#include "sdk.h"

#if defined(__linux__) && !defined(CS_POSIX_ONLY)

#include <linux/perf_event.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int counter = -1;

const char *cs_counter_open(void)
{
    struct perf_event_attr what;
    memset(&what, 0, sizeof what);
    what.type = PERF_TYPE_HARDWARE;
    what.size = sizeof what;
    what.config = PERF_COUNT_HW_CPU_CYCLES;
    what.exclude_kernel = 1;
    what.exclude_hv = 1;
    what.pinned = 1; /* all of the time or not at all: a share of it would be an estimate */
    if (counter < 0)
        counter = (int)syscall(SYS_perf_event_open, &what, 0, -1, -1, 0UL);
    uint64_t value;
    return cs_counter_read(&value) ? "perf-events cpu-cycles:u" : NULL;
}

bool cs_counter_read(uint64_t *value)
{
    return counter >= 0 && read(counter, value, sizeof *value) == (ssize_t)sizeof *value;
}

#else

const char *cs_counter_open(void)
{
    return NULL;
}

bool cs_counter_read(uint64_t *value)
{
    (void)value;
    return false;
}

#endif
