/* SPDX-License-Identifier: Apache-2.0
 *
 * Steps that a process makes once, each timed separately: it starts the library, asks whether an operation can run,
 * starts its interface, seeds its generator, fetches its algorithms. The next `prepare` that succeeds reports the time
 * of a step, and no other does. No step includes setting up a case or calling it.
 */
#include "sdk.h"

#include <stdlib.h>

#define STEPS_MAX 32

typedef struct fetched_row {
    const cs_op *op;
    void *fetched;
} fetched_row;

static const cs_phases nothing = {.open_ns = -1, .available_ns = -1, .seed_ns = -1, .fetch_ns = -1};
static cs_phases taken = {.open_ns = -1, .available_ns = -1, .seed_ns = -1, .fetch_ns = -1};
static const char *(*steps[STEPS_MAX])(void); /* that were taken in this process */
static size_t step_count;
static fetched_row *rows;
static size_t row_count;

static struct timespec now(void)
{
    struct timespec reading = {0};
    cs_clock_now.gettime(cs_clock_now.wall, &reading);
    return reading;
}

static void add(int64_t *ns, struct timespec before)
{
    struct timespec after = now();
    *ns = (*ns < 0 ? 0 : *ns) + (int64_t)cs_elapsed_ns(&before, &after);
}

int cs_phases_start(const cs_library *library)
{
    if (library->open == NULL)
        return CS_OK;
    struct timespec before = now();
    int status = library->open();
    add(&taken.open_ns, before);
    return status;
}

/* Takes a step unless this process took it before. NULL, or why it failed: then it is tried again the next time. */
static const char *once(const char *(*step)(void), int64_t *ns)
{
    if (step == NULL)
        return NULL;
    for (size_t i = 0; i < step_count; i++)
        if (steps[i] == step)
            return NULL;
    if (step_count == STEPS_MAX)
        return "the adapter has more than 32 functions that open, seed and settle";
    struct timespec before = now();
    const char *reason = step();
    if (reason != NULL)
        return reason;
    add(ns, before);
    steps[step_count++] = step;
    return NULL;
}

static const fetched_row *find(const cs_op *op)
{
    for (size_t i = 0; i < row_count; i++)
        if (rows[i].op == op)
            return &rows[i];
    return NULL;
}

static const char *fetch(const cs_op *op)
{
    if (op->fetch == NULL || find(op) != NULL)
        return NULL;
    fetched_row *more = realloc(rows, (row_count + 1) * sizeof *rows);
    if (more == NULL)
        return "no room for what was fetched";
    rows = more;
    void *fetched = NULL;
    struct timespec before = now();
    const char *reason = op->fetch(op, &fetched);
    if (reason != NULL)
        return reason;
    add(&taken.fetch_ns, before);
    rows[row_count++] = (fetched_row){op, fetched};
    return NULL;
}

static const char *available(const cs_op *op)
{
    if (op->unavailable == NULL)
        return NULL;
    struct timespec before = now();
    const char *reason = op->unavailable(op);
    if (reason == NULL)
        add(&taken.available_ns, before);
    return reason;
}

const char *cs_phases_ready(const cs_op *op, bool known)
{
    const char *reason = known ? NULL : available(op);
    if (reason == NULL)
        reason = once(op->open, &taken.open_ns);
    if (reason == NULL)
        reason = once(op->seed, &taken.seed_ns);
    if (reason == NULL)
        reason = fetch(op);
    int64_t untold = -1; /* what settling took is in no figure */
    return reason == NULL && !known ? once(op->settle, &untold) : reason;
}

void *cs_phases_fetched(const cs_op *op)
{
    const fetched_row *row = find(op);
    return row == NULL ? NULL : row->fetched;
}

cs_phases cs_phases_take(void)
{
    cs_phases told = taken;
    taken = nothing;
    return told;
}
