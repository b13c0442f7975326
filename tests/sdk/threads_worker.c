/* SPDX-License-Identifier: Apache-2.0
 *
 * A library that computes in a thread of its own while the caller waits: four milliseconds of CPU time a call.
 */
#include "cipherstone.h"

#include <pthread.h>
#include <time.h>

enum { OWN_NS = 4000000 };

static void *work(void *unused)
{
    struct timespec spent;

    do {
        if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent) != 0)
            break;
    } while (spent.tv_sec == 0 && spent.tv_nsec < OWN_NS);
    return unused;
}

static int setup(cs_case *c)
{
    c->out[0] = 1;
    c->out_len = 1;
    return CS_OK;
}

static int call(cs_case *c)
{
    pthread_t helper;

    (void)c;
    if (pthread_create(&helper, NULL, work, NULL) != 0 || pthread_join(helper, NULL) != 0)
        return cs_fail("no thread");
    return CS_OK;
}

static const cs_op ops[] = {
    {.id = "threads/hash", .impl = "default", .name = "another", .setup = setup, .call = call},
};

static const char *version(void)
{
    return "1.0";
}

static const cs_library library = {
    .abi = CS_ABI, .id = "threads", .version = version, .version_from = "library", .tables = CS_ROWS(ops)};

CS_WORKER_MAIN(library)
