/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls that stand aside, under a clock that only they move: a step is a microsecond, a reading costs nothing. The
 * first byte of `msg` says how many steps are the call's own, the second how many it makes aside; both sides allocate.
 */
#include "sdk.h"

#include <stdlib.h>

enum { STEP_NS = 1000, OWN = 1000, OTHER = 50000 };

static int64_t now_ns;

static void work(int64_t steps)
{
    now_ns += steps * STEP_NS;
}

static int gettime(clockid_t id, struct timespec *reading)
{
    (void)id;
    reading->tv_sec = (time_t)(now_ns / 1000000000);
    reading->tv_nsec = (long)(now_ns % 1000000000);
    return 0;
}

static int setup(cs_case *c)
{
    c->out_len = 1;
    return c->msg.len >= 2 ? CS_OK : cs_fail("two bytes");
}

static int call(cs_case *c)
{
    void *mine = malloc(OWN), *volatile theirs;

    work(c->msg.data[0]);
    for (int i = 0; i < 2; i++) {
        cs_aside_begin();
        theirs = malloc(OTHER);
        work(c->msg.data[1]);
        free(theirs);
        cs_aside_end();
    }
    c->out[0] = mine != NULL;
    free(mine);
    return CS_OK;
}

static int lost(cs_case *c)
{
    cs_aside_begin();
    c->out[0] = 1;
    return CS_OK;
}

static const cs_op ops[] = {
    {.id = "aside/hash", .impl = "default", .name = "both", .setup = setup, .call = call, .stands_aside = 1},
    {.id = "aside-lost/hash", .impl = "default", .name = "lost", .setup = setup, .call = lost, .stands_aside = 1},
    {.id = "aside-unsaid/hash", .impl = "default", .name = "unsaid", .setup = setup, .call = call},
};

static const char *version(void)
{
    return "1.0";
}

static const cs_library library = {
    .abi = CS_ABI, .id = "aside", .version = version, .version_from = "library", .tables = CS_ROWS(ops)};

int main(int argc, char **argv)
{
    cs_clock_now.gettime = gettime;
    return cs_worker_main(&library, argc, argv);
}
