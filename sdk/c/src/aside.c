/* SPDX-License-Identifier: Apache-2.0
 *
 * The stopwatch of calls that stand aside: the work between cs_aside_begin and cs_aside_end is subtracted from the time
 * of the batch and from the heap figures. A pair adds one reading of the clock to the time: half before it, half after.
 */
#include "sdk.h"

static struct timespec since;
static uint64_t taken_ns;
static bool away;

void (*cs_aside_heap)(bool away);

void cs_aside_begin(void)
{
    if (away)
        return;
    cs_clock_now.gettime(cs_clock_now.wall, &since);
    away = true;
    if (cs_aside_heap != NULL)
        cs_aside_heap(true);
}

void cs_aside_end(void)
{
    struct timespec now;
    if (!away)
        return;
    if (cs_aside_heap != NULL)
        cs_aside_heap(false);
    away = false;
    cs_clock_now.gettime(cs_clock_now.wall, &now);
    taken_ns += cs_elapsed_ns(&since, &now);
}

uint64_t cs_aside_ns(void)
{
    return taken_ns;
}

bool cs_aside_left(void)
{
    bool left = away;
    cs_aside_end();
    return left;
}
