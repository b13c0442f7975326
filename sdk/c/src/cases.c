/* SPDX-License-Identifier: Apache-2.0
 *
 * Prepared operations: one block of memory holds a case's inputs and its output.
 *
 * Layout: the small inputs, then `msg`, then 64 canary bytes, `out`, 64 canary bytes; everything 64-byte aligned. `out`
 * lies 1088 bytes after `msg` modulo 4096, because stores that equal later loads in their low 12 bits stall some cores.
 * The block begins a multiple of 64 bytes into a page that follows the length of CS_PAD, so that it differs from
 * process to process.
 */
#include "sdk.h"

#include <stdlib.h>
#include <string.h>

#define ALIGN ((size_t)64)
#define PAGE ((size_t)4096)
#define CANARY ((size_t)64)
#define CANARY_BYTE 0xc3
#define SPOIL_BYTE 0x5a
#define OUT_AFTER_MSG ((size_t)1088)

static char failure[CS_DETAIL_MAX];
static bool allocation_failed;

int cs_fail(const char *text)
{
    size_t len = 0;
    while (text != NULL && text[len] != '\0' && text[len] != '\n' && len < sizeof failure - 1)
        len++;
    if (len > 0)
        memcpy(failure, text, len);
    failure[len] = '\0';
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

const cs_op cs_empty_op = {
    .id = "harness/empty", .impl = "sdk", .name = "empty call", .setup = empty_setup, .call = empty_call};

/* Inputs that each verb takes (PROTOCOL.md section 2), as bits of cs_key. */
#define BIT(name) (1u << CS_KEY_##name)
static const struct {
    const char *verb;
    unsigned needed, optional;
} inputs_of[] = {
    {"hash", BIT(MSG), 0},
    {"mac", BIT(KEY) | BIT(MSG), BIT(IV)},
    {"encrypt", BIT(KEY) | BIT(IV) | BIT(MSG), 0},
    {"decrypt", BIT(KEY) | BIT(IV) | BIT(MSG), 0},
    {"seal", BIT(KEY) | BIT(IV) | BIT(AAD) | BIT(MSG), 0},
    {"open", BIT(KEY) | BIT(IV) | BIT(AAD) | BIT(MSG) | BIT(TAG), 0},
    {"derive", BIT(KEY) | BIT(PUB), 0},
    {"keygen", 0, 0},
    {"sign", BIT(KEY) | BIT(PUB) | BIT(MSG), 0},
    {"verify", BIT(PUB) | BIT(MSG) | BIT(SIG), 0},
    {"encaps", BIT(PUB), 0},
    {"decaps", BIT(KEY) | BIT(MSG), 0},
    {"montmul", BIT(MSG) | BIT(PUB), 0},
    {"modexp-public", BIT(KEY) | BIT(MSG) | BIT(PUB), 0},
    {"modexp-private", BIT(KEY) | BIT(MSG), BIT(PUB)},
    {"mod-add", BIT(MSG) | BIT(PUB), 0},
    {"mod-mul", BIT(MSG) | BIT(PUB), 0},
    {"mod-sqr", BIT(MSG) | BIT(PUB), 0},
    {"mod-inv", BIT(MSG) | BIT(PUB), 0},
    {"mod-sqrt", BIT(MSG) | BIT(PUB), 0},
    {"div-mod", BIT(MSG) | BIT(PUB), 0},
    {"empty", 0, 0},
};

static void verb_inputs(const char *op_id, unsigned *needed, unsigned *optional)
{
    const char *slash = strrchr(op_id, '/');
    const char *verb = slash == NULL ? op_id : slash + 1;
    for (size_t i = 0; i < CS_COUNT(inputs_of); i++)
        if (strcmp(inputs_of[i].verb, verb) == 0) {
            *needed = inputs_of[i].needed;
            *optional = inputs_of[i].optional;
            return;
        }
    /* A verb that this version does not know: whatever is given. */
    *needed = 0;
    *optional = (1u << CS_KEY_INPUTS) - 1;
}

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

static const char *malformed(size_t key)
{
    static char text[48];
    strcpy(text, "not hex:... or gen:SEED:LENGTH: ");
    strcat(text, cs_key_names[key]);
    return text;
}

static const char *missing(size_t key)
{
    static char text[32];
    strcpy(text, "missing key ");
    strcat(text, cs_key_names[key]);
    return text;
}

cs_slot *cs_slot_open(const cs_op *op, const cs_request *request, const char **code, const char **detail)
{
    cs_slot *slot = NULL;
    size_t len[CS_KEY_INPUTS] = {0};
    size_t offset[CS_KEY_INPUTS] = {0};
    bool given[CS_KEY_INPUTS] = {false};
    unsigned needed, optional;
    verb_inputs(op->id, &needed, &optional);

    for (size_t i = 0; i < CS_KEY_INPUTS; i++) {
        if (((needed | optional) >> i & 1u) == 0)
            continue;
        if (request->value[i] == NULL) {
            if (needed >> i & 1u)
                return refuse(slot, code, detail, "bad-request", missing(i));
            continue;
        }
        given[i] = true;
        enum cs_decode decoded = cs_value_length(request->value[i], &len[i]);
        if (decoded == CS_DECODE_MALFORMED)
            return refuse(slot, code, detail, "bad-request", malformed(i));
        if (decoded == CS_DECODE_TOO_LONG)
            return refuse(slot, code, detail, "unsupported-size", "an input over 256 MiB");
    }
    if (op->block > 1 && len[CS_KEY_MSG] % op->block != 0)
        return refuse(slot, code, detail, "unsupported-size", "msg is not a whole number of blocks");

    /* Each input gets a byte more than its length, so that an empty one has an address too. */
    size_t at = page_offset();
    for (size_t i = 0; i < CS_KEY_INPUTS; i++)
        if (i != CS_KEY_MSG) {
            offset[i] = at;
            at += round_up(len[i] + 1, ALIGN);
        }
    offset[CS_KEY_MSG] = at;
    at += round_up(len[CS_KEY_MSG] + 1, ALIGN) + CANARY;
    size_t distance = at - offset[CS_KEY_MSG];
    at += (OUT_AFTER_MSG + PAGE - distance % PAGE) % PAGE;
    size_t out_at = at;
    size_t out_cap = len[CS_KEY_MSG] + 4096;
    size_t total = round_up(out_at + out_cap + CANARY, PAGE);

    slot = cs_alloc(sizeof *slot);
    void *arena = NULL;
    if (slot == NULL || posix_memalign(&arena, PAGE, total) != 0)
        return refuse(slot, code, detail, "out-of-memory", "no room for the inputs and the output");
    memset(arena, 0, total);
    slot->arena = arena;
    slot->out = slot->arena + out_at;
    slot->out_cap = out_cap;
    memset(slot->out - CANARY, CANARY_BYTE, CANARY);
    memset(slot->out + out_cap, CANARY_BYTE, CANARY);

    cs_span span[CS_KEY_INPUTS] = {{0}};
    for (size_t i = 0; i < CS_KEY_INPUTS; i++) {
        if (!given[i])
            continue;
        if (cs_value_bytes(request->value[i], slot->arena + offset[i], len[i]) != CS_DECODE_OK)
            return refuse(slot, code, detail, "bad-request", malformed(i));
        span[i].data = slot->arena + offset[i];
        span[i].len = len[i];
    }
    cs_case *c = &slot->c;
    c->out = slot->out;
    c->out_cap = out_cap;
    c->key = span[CS_KEY_KEY];
    c->iv = span[CS_KEY_IV];
    c->aad = span[CS_KEY_AAD];
    c->msg = span[CS_KEY_MSG];
    c->tag = span[CS_KEY_TAG];
    c->pub = span[CS_KEY_PUB];
    c->sig = span[CS_KEY_SIG];

    cs_failure_clear();
    int64_t live = cs_heap_live();
    c->op = op;
    struct timespec before = {0}, after = {0};
    cs_clock_now.gettime(cs_clock_now.wall, &before);
    int status = op->setup == NULL ? CS_OK : op->setup(c);
    cs_clock_now.gettime(cs_clock_now.wall, &after);
    slot->setup_ns = cs_elapsed_ns(&before, &after);
    slot->heap_held = cs_heap_live() - live;
    if (status != CS_OK) {
        c->op = NULL; /* no teardown without a setup */
        if (cs_alloc_failed())
            return refuse(slot, code, detail, "out-of-memory", "no room for the operation's state");
        return refuse(slot, code, detail, "setup-failed",
                      cs_failure()[0] != '\0' ? cs_failure() : "the library refused the inputs");
    }
    return slot;
}

void cs_slot_close(cs_slot *slot)
{
    if (slot == NULL)
        return;
    if (slot->c.op != NULL && slot->c.op->teardown != NULL)
        slot->c.op->teardown(&slot->c);
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
    cs_failure_clear();
}

static bool intact(const uint8_t *canary)
{
    for (size_t i = 0; i < CANARY; i++)
        if (canary[i] != CANARY_BYTE)
            return false;
    return true;
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
    if (status & ~(CS_REJECTED | CS_ERROR)) {
        status = CS_ERROR;
        why = "the adapter returned an unknown status";
    }
    if (!intact(slot->out - CANARY) || !intact(slot->out + slot->out_cap)) {
        status |= CS_ERROR;
        why = "the call wrote outside of its output buffer";
        memset(slot->out - CANARY, CANARY_BYTE, CANARY);
        memset(slot->out + slot->out_cap, CANARY_BYTE, CANARY);
    } else if (status == CS_OK && slot->c.out_len > slot->out_cap) {
        status |= CS_ERROR;
        why = "the call claims more output than its buffer holds";
    }
    slot->called = true;
    slot->status = status;
    memcpy(slot->detail, status == CS_OK ? "" : why, status == CS_OK ? 1 : strlen(why) + 1);
}
