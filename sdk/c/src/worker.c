/* SPDX-License-Identifier: Apache-2.0
 *
 * The worker's main: one reply for every line, in order, until `bye` or the end of input.
 */
#include "sdk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The build passes these; without them the compiler is named and the flags are not known. */
#ifndef CS_COMPILER
#ifdef __clang__
#define CS_COMPILER __VERSION__
#elif defined(__GNUC__)
#define CS_COMPILER "gcc " __VERSION__
#else
#define CS_COMPILER "unknown"
#endif
#endif
#ifndef CS_FLAGS
#define CS_FLAGS ""
#endif

static const cs_library *library;
static cs_slot *slots[CS_CASES];

/* What this worker does beyond the least of its version (PROTOCOL.md section 3, `hello`). */
static const char *const capabilities[] = {"params", "room", "inputs",   "canaries", "ring", "rekey",
                                           "offset", "cold", "in-place", "phases",   "once"};

/* Every verb returns false only if the replies have no reader. */
typedef bool verb_function(const cs_request *request);

static bool bad_request(const cs_request *request, const char *detail)
{
    return cs_reply_error(request->seq, "bad-request", detail);
}

static bool hello(const cs_request *request)
{
    uint64_t version;
    const char *asked = cs_request_value(request, "protocol");
    if (asked == NULL)
        return bad_request(request, "missing key protocol");
    if (!cs_decimal(asked, &version))
        return bad_request(request, "protocol is not a number");
    if (version != CS_PROTOCOL)
        return cs_reply_error(request->seq, "protocol-version", "this worker speaks version 2");
    const char *reported = library->version == NULL ? NULL : library->version();
    const char *from = library->version_from;
    cs_reply_begin(request->seq);
    cs_reply_unsigned("protocol", CS_PROTOCOL);
    cs_reply_string("sdk", CS_SDK_NAME);
    cs_reply_string("library", library->id);
    cs_reply_string("version", reported == NULL ? "unknown" : reported);
    cs_reply_string("version_from", from == NULL ? "package" : from);
    cs_reply_string("compiler", CS_COMPILER);
    cs_reply_string("flags", CS_FLAGS);
    cs_reply_string("cpu_path", library->cpu_path == NULL ? NULL : library->cpu_path());
    cs_reply_string("clock", cs_clock_now.name);
    cs_reply_unsigned("clock_step_ns", cs_clock_step_ns());
    cs_reply_string("cpu_clock", cs_clock_now.cpu_name);
    cs_reply_string("ref_counter", cs_isa_here.ref_counter);
    cs_reply_string("counter", cs_counter_open());
    cs_reply_string("probe", cs_isa_here.probe);
    cs_reply_bool("heap", cs_heap_known());
    cs_reply_bool("stack", cs_stack_known());
    cs_reply_array("capabilities");
    for (size_t i = 0; i < CS_COUNT(capabilities); i++)
        cs_reply_element_string(capabilities[i]);
    cs_reply_array_end();
    return cs_reply_end();
}

static const char *refusal(const cs_op *op)
{
    return op->unavailable == NULL ? NULL : op->unavailable(op);
}

static void list_row(const cs_op *op)
{
    const char *reason = refusal(op);
    cs_reply_object();
    cs_reply_string("op", op->id);
    cs_reply_string("impl", op->impl);
    cs_reply_string("name", op->name);
    cs_reply_string("status", reason == NULL ? "ok" : "unavailable");
    cs_reply_string("form", op->form);
    if (op->params != NULL)
        cs_reply_string("params", op->params);
    cs_reply_string("reason", reason);
    if (op->facts != NULL)
        cs_reply_bool("facts", true);
    if (op->rekey != NULL)
        cs_reply_string("rekey", op->rekey == cs_setup_again   ? "setup"
                                 : op->rekey == cs_key_in_call ? "call"
                                                               : "function");
    if (op->cannot != NULL)
        cs_reply_string("cannot", op->cannot);
    cs_reply_object_end();
}

static bool list(const cs_request *request)
{
    cs_reply_begin(request->seq);
    cs_reply_array("operations");
    list_row(&cs_empty_op);
    const cs_op *row;
    for (size_t i = 0; (row = cs_row(library, i)) != NULL; i++)
        list_row(row);
    cs_reply_array_end();
    return cs_reply_end();
}

static bool is(const cs_op *op, const char *id, const char *impl)
{
    return strcmp(op->id, id) == 0 && strcmp(op->impl, impl) == 0;
}

/* `listed`: whether there is a row at all, for other parameters perhaps. */
static const cs_op *find(const char *id, const char *impl, const cs_shape *shape, bool *listed)
{
    *listed = true;
    if (is(&cs_empty_op, id, impl))
        return &cs_empty_op;
    *listed = false;
    const cs_op *row;
    for (size_t i = 0; (row = cs_row(library, i)) != NULL; i++)
        if (is(row, id, impl)) {
            *listed = true;
            if (cs_shape_fits(shape, row->params))
                return row;
        }
    return NULL;
}

/* Reads the key `case`. False if it is not there or out of range; the error reply is then sent. */
static bool case_number(const cs_request *request, size_t *number, bool *reader)
{
    uint64_t value;
    const char *text = cs_request_value(request, "case");
    if (text == NULL)
        *reader = bad_request(request, "missing key case");
    else if (!cs_decimal(text, &value) || value >= CS_CASES)
        *reader = bad_request(request, "case is not a number below 1024");
    else {
        *number = (size_t)value;
        return true;
    }
    return false;
}

cs_slot *cs_worker_slot(size_t number)
{
    return slots[number];
}

static cs_slot *prepared(const cs_request *request, bool *reader)
{
    size_t number;
    if (!case_number(request, &number, reader))
        return NULL;
    if (slots[number] == NULL)
        *reader = cs_reply_error(request->seq, "no-such-case", "this case is not prepared");
    return slots[number];
}

/* Null for what is not known, or is not there. */
static void reply_known(const char *key, int64_t value)
{
    if (value < 0)
        cs_reply_null(key);
    else
        cs_reply_signed(key, value);
}

/* Why a case cannot be opened, with the name of the reason. */
static cs_slot *refused(const char **code, const char **detail, const char *what, const char *why)
{
    *code = what;
    *detail = why;
    return NULL;
}

cs_slot *cs_worker_open(size_t number, const cs_request *request, const char **code, const char **detail)
{
    const char *id = cs_request_value(request, "op"), *impl = cs_request_value(request, "impl");
    if (id == NULL)
        return refused(code, detail, "bad-request", "missing key op");
    if (impl == NULL)
        return refused(code, detail, "bad-request", "missing key impl");
    const char *known = cs_request_value(request, "known");
    known = known == NULL ? "0" : known;
    if (strcmp(known, "0") != 0 && strcmp(known, "1") != 0)
        return refused(code, detail, "bad-request", "known is neither 0 nor 1");
    cs_slot_close(slots[number]);
    slots[number] = NULL;

    cs_shape shape;
    const char *wrong = cs_shape_params(request, &shape);
    if (wrong != NULL)
        return refused(code, detail, "bad-request", wrong);
    bool listed;
    const cs_op *op = find(id, impl, &shape, &listed);
    if (op == NULL && listed)
        return refused(code, detail, "unsupported-parameters", "listed, but not for these parameters");
    if (op == NULL)
        return refused(code, detail, "unknown-operation", "not in list");
    const char *reason = cs_phases_ready(op, known[0] == '1');
    if (reason != NULL)
        return refused(code, detail, "unavailable", reason);
    return slots[number] = cs_slot_open(op, request, &shape, code, detail);
}

static bool prepare(const cs_request *request)
{
    bool reader;
    size_t number;
    if (!case_number(request, &number, &reader))
        return reader;
    const char *code, *detail;
    if (cs_worker_open(number, request, &code, &detail) == NULL)
        return cs_reply_error(request->seq, code, detail);
    cs_phases phases = cs_phases_take();
    cs_reply_begin(request->seq);
    reply_known("open_ns", phases.open_ns);
    reply_known("available_ns", phases.available_ns);
    reply_known("seed_ns", phases.seed_ns);
    reply_known("fetch_ns", phases.fetch_ns);
    cs_reply_unsigned("setup_ns", slots[number]->setup_ns);
    if (cs_heap_known())
        cs_reply_signed("heap_live_bytes", slots[number]->heap_held);
    return cs_reply_end();
}

static bool add_key(const cs_request *request)
{
    bool reader;
    const char *detail;
    cs_slot *slot = prepared(request, &reader);
    if (slot == NULL)
        return reader;
    const char *code = cs_keys_add(slot, request, &detail);
    if (code != NULL)
        return cs_reply_error(request->seq, code, detail);
    cs_reply_begin(request->seq);
    return cs_reply_end();
}

/* Which form of the output is asked for; false if neither. */
static bool wants_hex(const cs_request *request, bool by_default, bool *hex)
{
    const char *form = cs_request_value(request, "form");
    *hex = form == NULL ? by_default : strcmp(form, "hex") == 0;
    return form == NULL || *hex || strcmp(form, "crc32") == 0;
}

static bool reply_result(const cs_request *request, const cs_slot *slot, bool hex)
{
    cs_reply_begin(request->seq);
    if (!slot->called) {
        cs_reply_string("result", "error");
        cs_reply_string("detail", "no call since prepare");
    } else if (slot->status & CS_ERROR) {
        cs_reply_string("result", "error");
        cs_reply_string("detail", slot->detail[0] != '\0' ? slot->detail : "the library reported a failure");
    } else if (slot->status & CS_BAD_KEY) {
        cs_reply_string("result", "bad-key");
    } else if (slot->status & CS_REJECTED) {
        cs_reply_string("result", "rejected");
    } else {
        cs_reply_string("result", "ok");
        if (hex) {
            cs_reply_hex("out", slot->out, slot->c.out_len);
        } else {
            char digits[9];
            snprintf(digits, sizeof digits, "%08lx", (unsigned long)cs_crc32(slot->out, slot->c.out_len));
            cs_reply_unsigned("len", slot->c.out_len);
            cs_reply_string("crc32", digits);
        }
    }
    return cs_reply_end();
}

static bool compute(const cs_request *request)
{
    bool hex, reader;
    if (!wants_hex(request, true, &hex))
        return bad_request(request, "form is neither hex nor crc32");
    cs_slot *slot = prepared(request, &reader);
    if (slot == NULL)
        return reader;
    cs_slot_before(slot);
    int64_t live = cs_heap_live();
    int status = cs_input(&slot->c, "fork").data != NULL ? cs_fork_call(&slot->c) : cs_counted_call(&slot->c);
    slot->heap_held += cs_heap_live() - live;
    cs_slot_after(slot, status);
    cs_slot_check_inputs(slot);
    return reply_result(request, slot, hex);
}

static bool output(const cs_request *request)
{
    bool hex, reader;
    if (!wants_hex(request, false, &hex))
        return bad_request(request, "form is neither hex nor crc32");
    cs_slot *slot = prepared(request, &reader);
    if (slot == NULL)
        return reader;
    if (slot->called)
        cs_slot_check_inputs(slot);
    return reply_result(request, slot, hex);
}

static bool run(const cs_request *request)
{
    cs_run asked;
    bool reader;
    const char *wrong = cs_run_parse(request, &asked);
    if (wrong != NULL)
        return bad_request(request, wrong);
    cs_slot *first = prepared(request, &reader);
    size_t number;
    if (first == NULL || !case_number(request, &number, &reader))
        return reader;
    for (size_t i = 1; i < asked.ring; i++)
        if (number + i >= CS_CASES || slots[number + i] == NULL || slots[number + i]->c.op != first->c.op ||
            !cs_conditions_same(&slots[number + i]->under, &first->under))
            return cs_reply_error(request->seq, "no-such-case",
                                  "a ring is of cases of one operation, one after another");
    return cs_run_serve(request, &slots[number], &asked);
}

static bool check_probe(const cs_request *request)
{
    cs_reply_begin(request->seq);
    cs_reply_number("imul_ratio", cs_probe_imul_ratio());
    return cs_reply_end();
}

static bool memory(const cs_request *request)
{
    bool reader;
    cs_slot *slot = prepared(request, &reader);
    if (slot == NULL)
        return reader;
    cs_memory figures;
    cs_slot_before(slot);
    cs_memory_measure(slot, &figures);
    cs_slot_after(slot, figures.status);
    cs_reply_begin(request->seq);
    int64_t held = slot->heap_held > 0 ? slot->heap_held : 0;
    reply_known("heap_live_bytes", cs_heap_known() ? held : -1);
    reply_known("heap_peak_bytes", figures.heap_peak_bytes);
    reply_known("allocations", figures.allocations);
    reply_known("stack_bytes", figures.stack_bytes);
    reply_known("max_rss_kib", figures.max_rss_kib);
    reply_known("random_bytes", figures.random_bytes);
    reply_known("system_random_bytes", figures.system_random_bytes);
    reply_known("system_random_before", figures.system_random_before);
    return cs_reply_end();
}

static bool facts(const cs_request *request)
{
    bool reader;
    cs_slot *slot = prepared(request, &reader);
    return slot == NULL ? reader : cs_facts_serve(request, slot);
}

static bool close_case(const cs_request *request)
{
    bool reader;
    size_t number;
    cs_slot *slot = prepared(request, &reader);
    if (slot == NULL || !case_number(request, &number, &reader))
        return reader;
    int64_t teardown_ns = cs_slot_end(slot);
    cs_slot_close(slot);
    slots[number] = NULL;
    cs_reply_begin(request->seq);
    reply_known("teardown_ns", teardown_ns);
    return cs_reply_end();
}

static const struct {
    const char *name;
    verb_function *serve;
} verbs[] = {
    {"run", run},         {"output", output},        {"compute", compute},
    {"prepare", prepare}, {"close", close_case},     {"hello", hello},
    {"list", list},       {"memory", memory},        {"check-probe", check_probe},
    {"facts", facts},     {"probe", cs_probe_serve}, {"objects", cs_identity_serve},
    {"add-key", add_key},
};

bool cs_worker_serve(char *line, size_t len)
{
    cs_request request;
    const char *wrong = cs_request_parse(line, len, &request);
    if (wrong != NULL)
        return bad_request(&request, wrong);
    for (size_t i = 0; i < CS_COUNT(verbs); i++)
        if (strcmp(verbs[i].name, request.verb) == 0)
            return verbs[i].serve(&request);
    if (strcmp(request.verb, "bye") == 0) {
        cs_reply_begin(request.seq);
        cs_reply_end();
        return false;
    }
    return cs_reply_error(request.seq, "unknown-verb", "no such verb");
}

static void converse(void)
{
    char *line;
    size_t len;
    for (;;) {
        bool reader = true;
        switch (cs_channel_read(&line, &len)) {
        case CS_READ_LINE:
            reader = cs_worker_serve(line, len);
            break;
        case CS_READ_TOO_LONG:
            reader = cs_reply_error(cs_request_seq(line, len), "bad-request", "the line is longer than 8 MiB");
            break;
        case CS_READ_NO_MEMORY:
            reader = cs_reply_error(cs_request_seq(line, len), "out-of-memory", "no room for the line");
            break;
        case CS_READ_END:
            reader = false;
            break;
        }
        if (!reader)
            return;
    }
}

/* The asker pads the environment by a random length, which moves the stack; the same length moves the heap, so that no
 * layout is measured twice in all processes. The block is never freed. */
static void move_heap(void)
{
    static void *volatile block;
    const char *padding = getenv("CS_PAD");
    if (padding != NULL && block == NULL)
        block = malloc(16 * strlen(padding) + 1);
}

int cs_worker_main(const cs_library *described, int argc, char **argv)
{
    if (described->abi != CS_ABI) {
        fprintf(stderr, "%s: made for version %u of cipherstone.h, and linked with version %u of the SDK\n", argv[0],
                described->abi, CS_ABI);
        return 1;
    }
    library = described;
    move_heap();
    bool describes = argc == 2 && strcmp(argv[1], "--describe") == 0;
    bool executes = argc > 2 && strcmp(argv[1], "--exec") == 0;
    bool single = argc > 2 && strcmp(argv[1], "--once") == 0;
    if (argc > 1 && !describes && !executes && !single) {
        fprintf(stderr,
                "%s: takes requests on standard input, --describe, or --exec or --once with op=... impl=... "
                "[name=value ...]\n",
                argv[0]);
        return 2;
    }
    if (!cs_channel_open()) {
        fprintf(stderr, "%s: cannot move standard input and output\n", argv[0]);
        return 1;
    }
    if (cs_phases_start(library) != CS_OK) {
        fprintf(stderr, "%s: the library cannot be started%s%s\n", argv[0], cs_failure()[0] != '\0' ? ": " : "",
                cs_failure());
        return 1;
    }
    int status = 0;
    if (single) {
        status = cs_single_raw(argc - 2, argv + 2);
    } else if (executes) {
        status = cs_single_told(argc - 2, argv + 2);
    } else if (describes) {
        char first[32], second[] = "2 list";
        cs_worker_serve(first, (size_t)snprintf(first, sizeof first, "1 hello protocol=%d", CS_PROTOCOL));
        cs_worker_serve(second, sizeof second - 1);
    } else {
        converse();
    }
    for (size_t i = 0; i < CS_CASES; i++)
        cs_slot_close(slots[i]);
    return status;
}
