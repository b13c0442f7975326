/* SPDX-License-Identifier: Apache-2.0
 *
 * Prepared operations: one block of memory holds a case's inputs and its output.
 *
 * Layout: the small inputs, then `msg`, then `out`, everything 64-byte aligned, with canary bytes between them. `out`
 * lies 1088 bytes after `msg` modulo 4096, because stores that equal later loads in their low 12 bits stall some cores.
 * With offset=N everything lies N bytes further on; with place=same `msg` lies where `out` does.
 * The block begins a multiple of 64 bytes into a page that follows the length of CS_PAD, so that it differs from
 * process to process.
 */
#define CS_SYSTEM_EXTENSIONS
#include "sdk.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#if !defined(MAP_ANONYMOUS) && defined(MAP_ANON)
#define MAP_ANONYMOUS MAP_ANON
#endif

#define ALIGN ((size_t)64)
#define PAGE ((size_t)4096)
#define CANARY CS_CANARY
#define CANARY_BYTE 0xc3
#define SPOIL_BYTE 0x5a
#define OUT_AFTER_MSG ((size_t)1088)

static char failure[CS_DETAIL_MAX];
static atomic_bool allocation_failed;
static atomic_flag failing = ATOMIC_FLAG_INIT; /* the threads of a call may fail together */

int cs_fail(const char *text)
{
    size_t len = 0;
    while (atomic_flag_test_and_set(&failing))
        continue;
    while (text != NULL && text[len] != '\0' && text[len] != '\n' && len < sizeof failure - 1)
        len++;
    if (len > 0)
        memcpy(failure, text, len);
    failure[len] = '\0';
    atomic_flag_clear(&failing);
    return CS_ERROR;
}

const char *cs_failure(void)
{
    return failure;
}

void cs_failure_clear(void)
{
    failure[0] = '\0';
    allocation_failed = false;
}

bool cs_alloc_failed(void)
{
    return allocation_failed;
}

void *cs_alloc(size_t size)
{
    void *p = NULL;
    if (size > SIZE_MAX - ALIGN || posix_memalign(&p, ALIGN, size == 0 ? 1 : size) != 0) {
        allocation_failed = true;
        return NULL;
    }
    memset(p, 0, size);
    return p;
}

void cs_free(void *p)
{
    free(p);
}

/* A mapping where there can be one: the allocator learns from the sizes that it frees, and is the library's. */
static bool would_give(size_t bytes)
{
#ifdef MAP_ANONYMOUS
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return p != MAP_FAILED && munmap(p, bytes) == 0;
#else
    void *p = malloc(bytes);
    free(p);
    return p != NULL;
#endif
}

int cs_memory_there(uint64_t bytes)
{
    char text[CS_DETAIL_MAX];

    if (bytes == 0 || (bytes <= SIZE_MAX && would_give((size_t)bytes)))
        return CS_OK;
    allocation_failed = true;
    snprintf(text, sizeof text, "the system has no %" PRIu64 " bytes for a call", bytes);
    return cs_fail(text);
}

static int empty_setup(cs_case *c)
{
    (void)c;
    return CS_OK;
}

static int empty_call(cs_case *c)
{
    (void)c;
    return CS_OK;
}

const cs_op cs_empty_op = {.id = "harness/empty",
                           .impl = "sdk",
                           .name = "empty call",
                           .setup = empty_setup,
                           .call = empty_call,
                           .rekey = cs_key_in_call};

static size_t round_up(size_t n, size_t to)
{
    return (n + to - 1) / to * to;
}

static size_t page_offset(void)
{
    const char *pad = getenv("CS_PAD");
    return pad == NULL ? 0 : strlen(pad) % PAGE / ALIGN * ALIGN;
}

/* Ends a prepare that failed. */
static cs_slot *refuse(cs_slot *slot, const char **code, const char **detail, const char *what, const char *why)
{
    cs_slot_close(slot);
    *code = what;
    *detail = why;
    return NULL;
}

static const char *about(const char *what, const char *name)
{
    static char text[CS_DETAIL_MAX];
    snprintf(text, sizeof text, "%s: %.60s", what, name);
    return text;
}

/* Lengths of the inputs, and of the output. False: `code` and `detail` say why it cannot be. */
static bool measure(const cs_op *op, const cs_request *request, const cs_shape *shape, size_t *len, size_t *room,
                    const char **code, const char **detail)
{
    *code = "bad-request";
    size_t msg = 0;
    for (size_t i = 0; i < shape->inputs; i++) {
        const char *name = shape->input[i].name;
        enum cs_decode decoded = cs_value_length(shape->input[i].value, &len[i]);
        if (decoded == CS_DECODE_MALFORMED)
            return *detail = about("not hex:... or gen:SEED:LENGTH", name), false;
        *code = "unsupported-size";
        if (decoded == CS_DECODE_TOO_LONG)
            return *detail = "an input over 256 MiB", false;
        *code = "setup-failed";
        size_t due = cs_shape_length(op->id, name);
        if (due != SIZE_MAX && len[i] != due)
            return *detail = about("not of the length that the algorithm has", name), false;
        *code = "bad-request";
        if (strcmp(name, "msg") == 0)
            msg = len[i];
    }
    uint64_t asked = msg + 4096;
    const char *text = cs_request_value(request, "room");
    if (text != NULL && (!cs_decimal(text, &asked) || asked > CS_INPUT_MAX))
        return *detail = "room is not a number of bytes up to 256 MiB", false;
    *room = (size_t)asked;
    *code = "unsupported-size";
    if (op->block > 1 && msg % op->block != 0)
        return *detail = "msg is not a whole number of blocks", false;
    return true;
}

/* Where each input begins, and the output, in a block of the length that is returned. `msg` comes last: stores to the
 * output that follows it should not look like its loads. After each input lie its canary bytes. `room` grows to that of
 * a message that lies in it. */
static size_t lay_out(const cs_shape *shape, const cs_conditions *under, const size_t *len, size_t *room,
                      size_t *offset, size_t *out_at)
{
    size_t at = page_offset() + CANARY, msg_at = 0, msg_len = 0;
    bool has_msg = false;
    for (size_t i = 0; i < shape->inputs; i++) {
        if (strcmp(shape->input[i].name, "msg") == 0) {
            has_msg = true;
            msg_len = len[i];
            continue;
        }
        offset[i] = at + under->offset;
        at += round_up(under->offset + len[i] + CANARY, ALIGN);
    }
    msg_at = at;
    if (!under->in_place)
        at += round_up(under->offset + msg_len + CANARY, ALIGN);
    else if (*room < msg_len)
        *room = msg_len;
    for (size_t i = 0; has_msg && i < shape->inputs; i++)
        if (strcmp(shape->input[i].name, "msg") == 0)
            offset[i] = msg_at + under->offset;
    size_t distance = at - msg_at;
    if (!under->in_place)
        at += (OUT_AFTER_MSG + PAGE - distance % PAGE) % PAGE;
    *out_at = at + under->offset;
    return round_up(*out_at + *room + CANARY, PAGE);
}

static void name_inputs(cs_slot *slot)
{
    cs_case *c = &slot->c;
    c->inputs = slot->input;
    c->n_inputs = slot->inputs;
    c->params = slot->param;
    c->n_params = slot->params;
    c->key = cs_input(c, "key");
    c->iv = cs_input(c, "iv");
    c->aad = cs_input(c, "aad");
    c->msg = cs_input(c, "msg");
    c->tag = cs_input(c, "tag");
    c->pub = cs_input(c, "pub");
    c->sig = cs_input(c, "sig");
}

cs_slot *cs_slot_of(cs_case *c)
{
    return (cs_slot *)(void *)((uint8_t *)(void *)c - offsetof(cs_slot, c));
}

int cs_key_in_call(cs_case *c)
{
    (void)c;
    return CS_OK;
}

int cs_setup_again(cs_case *c)
{
    cs_slot *slot = cs_slot_of(c);
    if (slot->set_up && c->op->teardown != NULL)
        c->op->teardown(c);
    c->state = NULL;
    int status = c->op->setup == NULL ? CS_OK : c->op->setup(c);
    slot->set_up = status == CS_OK;
    return status;
}

/* place=same: each call leaves its output over its message, so that there has to be another copy of it. */
static bool keep_message(cs_slot *slot)
{
    if (!slot->under.in_place)
        return true;
    slot->message_len = slot->c.msg.len;
    slot->message = cs_alloc(slot->message_len);
    if (slot->message != NULL && slot->message_len > 0)
        memcpy(slot->message, slot->c.msg.data, slot->message_len);
    return slot->message != NULL;
}

cs_slot *cs_slot_open(const cs_op *op, const cs_request *request, const cs_shape *given, const char **code,
                      const char **detail)
{
    cs_slot *slot = NULL;
    size_t len[CS_INPUTS_MAX], offset[CS_INPUTS_MAX], room, out_at;
    cs_shape shape = *given;
    const char *wrong = cs_shape_inputs(request, op->id, &shape);
    if (wrong != NULL)
        return refuse(slot, code, detail, "bad-request", wrong);
    if (!op->seeded && cs_request_value(request, "seed") != NULL)
        return refuse(slot, code, detail, "unsupported-parameters", "the interface takes no seed");
    if (!measure(op, request, &shape, len, &room, code, detail))
        return NULL;
    cs_conditions under;
    wrong = cs_conditions_read(op, &shape, &under);
    if (wrong != NULL)
        return refuse(slot, code, detail, "unsupported-parameters", wrong);
    size_t total = lay_out(&shape, &under, len, &room, offset, &out_at);

    slot = cs_alloc(sizeof *slot);
    void *arena = NULL;
    if (slot == NULL || posix_memalign(&arena, PAGE, total) != 0)
        return refuse(slot, code, detail, "out-of-memory", "no room for the inputs and the output");
    memset(arena, CANARY_BYTE, total);
    slot->arena = arena;
    slot->arena_len = total;
    slot->row = op;
    slot->under = under;
    slot->out = slot->arena + out_at;
    slot->out_cap = room;
    slot->params = shape.params;
    memcpy(slot->param, shape.param, sizeof slot->param);
    memset(slot->out, 0, room);
    for (size_t i = 0; i < shape.inputs; i++) {
        uint8_t *at = slot->arena + offset[i];
        if (cs_value_bytes(shape.input[i].value, at, len[i]) != CS_DECODE_OK)
            return refuse(slot, code, detail, "bad-request",
                          about("not hex:... or gen:SEED:LENGTH", shape.input[i].name));
        snprintf(slot->input_name[i], sizeof slot->input_name[i], "%s", shape.input[i].name);
        slot->input[i] = (cs_input_span){slot->input_name[i], {at, len[i]}};
        slot->input_crc32[i] = cs_crc32(at, len[i]);
    }
    slot->inputs = shape.inputs;
    cs_case *c = &slot->c;
    c->out = slot->out;
    c->out_cap = room;
    name_inputs(slot);
    if (!keep_message(slot) || (under.fresh_key && !cs_keys_begin(slot)) || (under.cold && !cs_evict_survey()))
        return refuse(slot, code, detail, "out-of-memory", "no room for what the case is called under");

    cs_failure_clear();
    int64_t live = cs_heap_live();
    c->op = under.fresh_key ? &slot->own : op;
    c->fetched = cs_phases_fetched(op);
    struct timespec before = {0}, after = {0};
    cs_clock_now.gettime(cs_clock_now.wall, &before);
    int status = op->setup == NULL ? CS_OK : op->setup(c);
    cs_clock_now.gettime(cs_clock_now.wall, &after);
    slot->setup_ns = cs_elapsed_ns(&before, &after);
    slot->heap_held = cs_heap_live() - live;
    if (status != CS_OK) {
        c->op = NULL; /* no teardown without a setup */
        if (cs_alloc_failed())
            return refuse(slot, code, detail, "out-of-memory",
                          cs_failure()[0] != '\0' ? cs_failure() : "no room for the operation's state");
        return refuse(slot, code, detail, status == CS_BAD_KEY ? "bad-key" : "setup-failed",
                      cs_failure()[0] != '\0' ? cs_failure() : "the library refused the inputs");
    }
    slot->set_up = true;
    return slot;
}

int64_t cs_slot_end(cs_slot *slot)
{
    if (!slot->set_up || slot->c.op->teardown == NULL)
        return -1;
    struct timespec before = {0}, after = {0};
    slot->set_up = false;
    cs_clock_now.gettime(cs_clock_now.wall, &before);
    slot->c.op->teardown(&slot->c);
    cs_clock_now.gettime(cs_clock_now.wall, &after);
    return (int64_t)cs_elapsed_ns(&before, &after);
}

void cs_slot_close(cs_slot *slot)
{
    if (slot == NULL)
        return;
    (void)cs_slot_end(slot);
    cs_keys_free(slot);
    cs_free(slot->message);
    free(slot->arena);
    cs_free(slot);
}

void cs_slot_before(cs_slot *slot)
{
    size_t len = slot->c.out_len <= slot->out_cap ? slot->c.out_len : slot->out_cap;
    size_t head = slot->out_cap < 64 ? slot->out_cap : 64;
    size_t tail = len < 64 ? len : 64;
    memset(slot->out, SPOIL_BYTE, head);
    memset(slot->out + len - tail, SPOIL_BYTE, tail);
    cs_message_again(slot);
    cs_failure_clear();
}

void cs_canary(uint8_t *from, size_t len)
{
    memset(from, CANARY_BYTE, len);
}

bool cs_intact(const uint8_t *canary)
{
    for (size_t i = 0; i < CANARY; i++)
        if (canary[i] != CANARY_BYTE)
            return false;
    return true;
}

/* An input that calls may write to. */
static bool is_output(const cs_slot *slot, const cs_span *span)
{
    return slot->under.in_place && span->data == slot->out;
}

static bool inputs_intact(const cs_slot *slot)
{
    for (size_t i = 0; i < slot->inputs; i++) {
        const cs_span *span = &slot->input[i].span;
        if (!is_output(slot, span) && !cs_intact(span->data + span->len))
            return false;
    }
    return (slot->inputs == 0 || cs_intact(slot->arena + page_offset())) && cs_keys_changed(slot, false) == NULL;
}

void cs_slot_check_inputs(cs_slot *slot)
{
    const char *changed = cs_keys_changed(slot, true);
    for (size_t i = 0; i < slot->inputs && changed == NULL; i++) {
        const cs_span *span = &slot->input[i].span;
        if (!is_output(slot, span) && cs_crc32(span->data, span->len) != slot->input_crc32[i])
            changed = slot->input[i].name;
    }
    if (changed == NULL)
        return;
    slot->status |= CS_ERROR;
    snprintf(slot->detail, sizeof slot->detail, "the call changed its input %.60s", changed);
}

/* A result that a call left is encoded once, here: `output` may then be asked for as often as one likes. */
static int finished(cs_slot *slot, int status)
{
    if (status != CS_OK || slot->c.op->finish == NULL)
        return status;
    status = slot->c.op->finish(&slot->c);
    if (status != CS_OK && cs_failure()[0] == '\0')
        cs_fail("the result could not be encoded");
    return status == CS_OK ? CS_OK : CS_ERROR;
}

void cs_slot_after(cs_slot *slot, int status)
{
    status = finished(slot, status);
    const char *why = cs_failure();
    if (status & ~(CS_REJECTED | CS_ERROR | CS_BAD_KEY)) {
        status = CS_ERROR;
        why = "the adapter returned an unknown status";
    }
    if (cs_aside_left()) {
        status |= CS_ERROR;
        why = "the call stood aside and did not come back";
    }
    if (!cs_intact(slot->out - CANARY) || !cs_intact(slot->out + slot->out_cap)) {
        status |= CS_ERROR;
        why = "the call wrote outside of its output buffer";
        memset(slot->out - CANARY, CANARY_BYTE, CANARY);
        memset(slot->out + slot->out_cap, CANARY_BYTE, CANARY);
    } else if (!inputs_intact(slot)) {
        status |= CS_ERROR;
        why = "the call wrote outside of its output buffer: beside an input";
    } else if (status == CS_OK && slot->c.out_len > slot->out_cap) {
        status |= CS_ERROR;
        why = "the call claims more output than its buffer holds";
    }
    slot->called = true;
    slot->status = status;
    memcpy(slot->detail, status == CS_OK ? "" : why, status == CS_OK ? 1 : strlen(why) + 1);
}
