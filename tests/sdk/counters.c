/* SPDX-License-Identifier: Apache-2.0
 *
 * What the unit of the hardware counter asks the system for, and what it makes of the answer: `counters BYTES`. The
 * counter is a pipe with so many bytes, or -1: the system has none. Prints what was asked, how often, what is told, and
 * the value.
 */
#define _GNU_SOURCE
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static struct perf_event_attr asked;
static int times, file, process, cpu, group, with;
static unsigned long flags;

static long answered(long number, struct perf_event_attr *what, int pid, int on, int leader, unsigned long how)
{
    asked = *what;
    process = pid;
    cpu = on;
    group = leader;
    flags = how;
    with = number == SYS_perf_event_open;
    times++;
    return file;
}
#define syscall answered
#include "counter.c"

int main(int argc, char **argv)
{
    int ends[2];
    long bytes = argc == 2 ? atol(argv[1]) : -1;
    uint64_t value = 0x0102030405060708, wanted[4] = {77, 78, 79, 80};
    if (pipe(ends) != 0)
        return 2;
    file = bytes < 0 ? -1 : ends[0];
    if (bytes > 0 && write(ends[1], wanted, (size_t)bytes) != bytes)
        return 2;
    close(ends[1]);
    if (cs_counter_read(&value))
        return 3;
    const char *told = cs_counter_open();
    printf("%s %d", told == NULL ? "none" : told, times);
    printf(" type=%u size=%d config=%llu kernel=%d hv=%d pinned=%d disabled=%d", asked.type, asked.size == sizeof asked,
           (unsigned long long)asked.config, asked.exclude_kernel, asked.exclude_hv, asked.pinned, asked.disabled);
    printf(" call=%d pid=%d cpu=%d group=%d flags=%lu", with, process, cpu, group, flags);
    bool read = cs_counter_read(&value);
    printf(" %s", read ? "read" : "not");
    if (read)
        printf(" %llu", (unsigned long long)value);
    told = cs_counter_open();
    printf(" %s %d\n", told == NULL ? "none" : told, times);
    return 0;
}
