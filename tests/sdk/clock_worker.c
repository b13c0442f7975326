/* SPDX-License-Identifier: Apache-2.0
 *
 * A worker with a scripted clock. CS_SCRIPT holds the readings, "s.nnnnnnnnn" each, separated by commas: of the wall
 * clock, then after a semicolon of the CPU clock. Prints on standard error, in order, what was read or called: W wall
 * clock, C CPU clock, S context switches, k the operation.
 */
#include "sdk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *wall_script = "", *cpu_script = "";
static int64_t switches;
static char journal[4096];
static size_t written;

static void note(char what)
{
    if (written < sizeof journal - 1)
        journal[written++] = what;
}

static int next_reading(const char **script, struct timespec *reading)
{
    char *end;
    reading->tv_sec = (time_t)strtoll(*script, &end, 10);
    reading->tv_nsec = strtol(*end == '.' ? end + 1 : end, &end, 10);
    *script = *end == ',' ? end + 1 : end;
    return 0;
}

static int gettime(clockid_t id, struct timespec *reading)
{
    note(id == CLOCK_MONOTONIC ? 'W' : 'C');
    return next_reading(id == CLOCK_MONOTONIC ? &wall_script : &cpu_script, reading);
}

static bool nivcsw(int64_t *count)
{
    note('S');
    *count = switches;
    switches += 5000000000;
    return true;
}

static int setup(cs_case *c)
{
    c->out_len = 1;
    return CS_OK;
}

static int call(cs_case *c)
{
    note('k');
    c->out[0] = 7;
    return CS_OK;
}

static const char *version(void)
{
    return "1";
}

static const cs_op ops[] = {{.id = "clock/hash", .impl = "default", .name = "clock", .setup = setup, .call = call}};
static const cs_library library = {
    .abi = CS_ABI, .id = "clock", .version = version, .version_from = "library", .tables = CS_ROWS(ops)};

int main(int argc, char **argv)
{
    wall_script = getenv("CS_SCRIPT");
    if (wall_script == NULL)
        return 2;
    const char *semicolon = strchr(wall_script, ';');
    cpu_script = semicolon == NULL ? "" : semicolon + 1;
    cs_clock_now.gettime = gettime;
    cs_clock_now.nivcsw = nivcsw;
    int status = cs_worker_main(&library, argc, argv);
    fprintf(stderr, "%s\n", journal);
    return status;
}
