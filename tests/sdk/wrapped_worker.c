/* SPDX-License-Identifier: Apache-2.0
 *
 * What is timed, how often all caches were emptied before it, and how often those of one case's inputs and output: the
 * linker puts functions of these tests before the SDK's own (-Wl,--wrap). Each call leaves all three in its output.
 */
#include "sdk.h"

#include <stdio.h>

static const char *timed = "nothing";
static int emptied, ranges;

void __real_cs_time_batches(cs_case *c, uint64_t calls, unsigned batches, bool around, cs_timing *timing);
void __wrap_cs_time_batches(cs_case *c, uint64_t calls, unsigned batches, bool around, cs_timing *timing);
void __real_cs_evict_all(void);
void __wrap_cs_evict_all(void);
void __real_cs_evict_range(const void *from, size_t len);
void __wrap_cs_evict_range(const void *from, size_t len);

void __wrap_cs_time_batches(cs_case *c, uint64_t calls, unsigned batches, bool around, cs_timing *timing)
{
    timed = c->op->id;
    __real_cs_time_batches(c, calls, batches, around, timing);
    timed = "nothing";
}

void __wrap_cs_evict_all(void)
{
    emptied++;
    __real_cs_evict_all();
}

/* A case has more bytes than its message. */
void __wrap_cs_evict_range(const void *from, size_t len)
{
    ranges += len > 3;
    __real_cs_evict_range(from, len);
}

static int call(cs_case *c)
{
    c->out_len = (size_t)snprintf((char *)c->out, c->out_cap, "%s %d %d", timed, emptied, ranges);
    return CS_OK;
}

static const cs_op ops[] = {{.id = "wrapped/encrypt", .impl = "default", .name = "tells", .call = call}};

static const char *version(void)
{
    return "1.0";
}

static const cs_library library = {
    .abi = CS_ABI, .id = "wrapped", .version = version, .version_from = "library", .tables = CS_ROWS(ops)};

CS_WORKER_MAIN(library)
