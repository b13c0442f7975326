/* SPDX-License-Identifier: Apache-2.0
 *
 * The verbs that measure: `run`, batches of calls with a probe before the first and after each, and `probe`, readings
 * alone. The asker judges the readings; here none is dropped.
 */
#include "sdk.h"

#include <string.h>

#define WAIT_MAX_US 1000000 /* a worker that waits longer than a second looks as if it hung */
#define QUIET_UNIT 1e-3     /* `quiet` is in thousandths of an addition a cycle */

/* Keys `quiet` and `wait`, both or neither. NULL, or what is wrong. */
static const char *parse_wait(const cs_request *request, double *quiet, uint64_t *wait_ns)
{
    const char *quiet_text = cs_request_value(request, "quiet"), *wait_text = cs_request_value(request, "wait");
    uint64_t number;
    *quiet = 0;
    *wait_ns = 0;
    if (quiet_text == NULL && wait_text == NULL)
        return NULL;
    if (quiet_text == NULL || wait_text == NULL)
        return "quiet and wait come together";
    if (!cs_decimal(quiet_text, &number) || number == 0)
        return "quiet is not a number from 1 (thousandths of an addition a cycle)";
    *quiet = (double)number * QUIET_UNIT;
    if (!cs_decimal(wait_text, &number) || number > WAIT_MAX_US)
        return "wait is not a number up to 1000000 (microseconds)";
    *wait_ns = number * 1000;
    return NULL;
}

const char *cs_run_parse(const cs_request *request, cs_run *run)
{
    const char *batches = cs_request_value(request, "batches"), *probe = cs_request_value(request, "probe");
    if (cs_request_value(request, "calls") == NULL || cs_request_value(request, "lead") == NULL)
        return "missing key calls or lead";
    if (!cs_decimal(cs_request_value(request, "calls"), &run->calls) || run->calls == 0)
        return "calls is not a number from 1";
    if (!cs_decimal(cs_request_value(request, "lead"), &run->lead))
        return "lead is not a number";
    const char *ring = cs_request_value(request, "ring");
    run->ring = 1;
    if (ring != NULL && (!cs_decimal(ring, &run->ring) || run->ring == 0 || run->ring > CS_MAX_RING))
        return "ring is not a number from 1 to 64";
    run->batches = 1;
    if (batches != NULL && (!cs_decimal(batches, &run->batches) || run->batches == 0 || run->batches > CS_MAX_BATCHES))
        return "batches is not a number from 1 to 64";
    if (probe != NULL && strcmp(probe, "0") != 0 && strcmp(probe, "1") != 0)
        return "probe is neither 0 nor 1";
    run->probe = probe != NULL && probe[0] == '1';
    const char *wrong = parse_wait(request, &run->quiet, &run->wait_ns);
    if (wrong == NULL && run->quiet > 0 && !run->probe)
        return "quiet and wait need probe=1";
    return wrong;
}

/* A half that took no time was not read: null. */
static void reply_half(double ns)
{
    cs_reply_element_number(ns > 0 ? ns : -1);
}

static void reply_readings(const cs_probe *probe, size_t count)
{
    if (count == 0 || cs_isa_here.probe == NULL) {
        cs_reply_null("chain_ns");
        cs_reply_null("tput_ns");
        return;
    }
    cs_reply_array("chain_ns");
    for (size_t i = 0; i < count; i++)
        reply_half(probe[i].chain_ns);
    cs_reply_array_end();
    cs_reply_array("tput_ns");
    for (size_t i = 0; i < count; i++)
        reply_half(probe[i].tput_ns);
    cs_reply_array_end();
}

static void reply_known(const char *key, bool known, uint64_t value)
{
    if (known)
        cs_reply_unsigned(key, value);
    else
        cs_reply_null(key);
}

/* Cases that take calls in turn: one input for ever teaches branch predictors its path. */
typedef struct ring {
    cs_case *member[CS_MAX_RING];
    size_t count, next;
} ring;

static int ring_call(cs_case *c)
{
    ring *r = c->state;
    cs_case *member = r->member[r->next];
    r->next = r->next + 1 == r->count ? 0 : r->next + 1;
    return member->op->call(member);
}

static const cs_op ring_op = {.id = "harness/ring", .impl = "sdk", .name = "ring", .call = ring_call};

/* The untimed calls. What is timed call by call has its message back before each of these too; caches stay warm. */
static int lead_in(cs_case *timed, cs_turn *turn, uint64_t calls)
{
    int status = CS_OK;
    if (calls > 0 && !cs_timed_apart(turn->slot[0]))
        return cs_loop(timed->op->call, timed, calls);
    turn->evicts = false;
    for (; calls > 0; calls--) {
        cs_turn_ready(turn);
        status |= timed->op->call(timed);
    }
    return status;
}

bool cs_run_serve(const cs_request *request, cs_slot *const *slots, const cs_run *run)
{
    static cs_timing timing; /* too large for a stack whose use is a figure */
    int lead_status = CS_OK;
    uint64_t ns = 0, waited_ns = 0;
    cs_slot *slot = slots[0];
    ring turn = {.count = (size_t)run->ring, .next = slot->ring_next % (size_t)run->ring};
    cs_case whole = {.op = &ring_op, .state = &turn};
    uint64_t all = run->lead + run->calls * run->batches;
    size_t called = all < run->ring ? (size_t)all : turn.count, first = turn.next;
    for (size_t i = 0; i < turn.count; i++)
        turn.member[i] = &slots[i]->c;
    for (size_t i = 0; i < called; i++)
        cs_slot_before(slots[(first + i) % turn.count]);
    cs_case *timed = run->ring > 1 ? &whole : &slot->c;
    if (run->quiet > 0)
        waited_ns = cs_probe_wait(run->quiet, run->wait_ns);
    if (run->probe)
        cs_probe_warm();
    if (cs_isa_here.tidy != NULL)
        cs_isa_here.tidy();
    int64_t live = cs_heap_live();
    cs_turn ready = {.slot = slots, .count = turn.count};
    lead_status = lead_in(timed, &ready, run->lead);
    ready.evicts = slot->under.cold && cs_evict_survey();
    if (cs_timed_apart(slot))
        cs_time_apart(timed, run->calls, (unsigned)run->batches, run->probe, cs_turn_ready, &ready, &timing);
    else
        cs_time_batches(timed, run->calls, (unsigned)run->batches, run->probe, &timing);
    slot->heap_held += cs_heap_live() - live;
    for (size_t i = 0; i < called; i++)
        cs_slot_after(slots[(first + i) % turn.count], timing.status | lead_status);
    slot->ring_next = turn.next;
    slot = slots[first];

    cs_reply_begin(request->seq);
    for (uint64_t i = 0; i < run->batches; i++)
        ns += timing.ns[i];
    cs_reply_unsigned("ns", ns);
    if (run->batches > 1) {
        cs_reply_array("each");
        for (uint64_t i = 0; i < run->batches; i++)
            cs_reply_element(timing.ns[i]);
        cs_reply_array_end();
    }
    if (slot->row->stands_aside)
        cs_reply_unsigned("aside_ns", timing.aside_ns);
    reply_known("cpu_ns", timing.has_cpu, timing.cpu_ns);
    reply_known("ref", timing.has_ref, timing.ref);
    reply_known("cycles", timing.has_cycles, timing.cycles);
    if (timing.has_nivcsw)
        cs_reply_signed("nivcsw", timing.nivcsw);
    else
        cs_reply_null("nivcsw");
    cs_reply_signed("failed", slot->status);
    reply_readings(timing.probe, run->probe ? (size_t)run->batches + 1 : 0);
    cs_reply_unsigned("waited_ns", waited_ns);
    if (slot->detail[0] != '\0')
        cs_reply_string("detail", slot->detail);
    return cs_reply_end();
}

bool cs_probe_serve(const cs_request *request)
{
    static cs_probe readings[CS_MAX_READINGS];
    const char *text = cs_request_value(request, "count");
    uint64_t count = 1, wait_ns, waited_ns = 0;
    double quiet;
    if (text != NULL && (!cs_decimal(text, &count) || count == 0 || count > CS_MAX_READINGS))
        return cs_reply_error(request->seq, "bad-request", "count is not a number from 1 to 1024");
    const char *wrong = parse_wait(request, &quiet, &wait_ns);
    if (wrong != NULL)
        return cs_reply_error(request->seq, "bad-request", wrong);
    if (quiet > 0)
        waited_ns = cs_probe_wait(quiet, wait_ns);
    cs_probe_warm();
    for (uint64_t i = 0; i < count; i++)
        cs_probe_read(&readings[i]);
    cs_reply_begin(request->seq);
    reply_readings(readings, (size_t)count);
    cs_reply_unsigned("waited_ns", waited_ns);
    return cs_reply_end();
}
