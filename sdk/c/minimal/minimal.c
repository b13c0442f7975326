/* SPDX-License-Identifier: Apache-2.0
 *
 * A minimal program around an adapter: reads its inputs, sets up, and calls in a plain loop. What the SDK's figures are
 * held against (`cipherstone doctor --programs`), so it has no line of the SDK's loop, cases, inputs, probes or pipes:
 * what adapters need of the SDK is defined here once more, in the fewest words. `encoding.c` alone is the same, because
 * it is a part of the adapters.
 *
 *     PROGRAM JOB WARM_US REPEAT_US REPEATS [HEAP]
 *
 * HEAP other than 0: what a call allocates lies among blocks that are left of other work, as in a process that has done
 * some; the number draws where.
 *
 * JOB is a file of words: "op ID IMPL", "param NAME VALUE", "room BYTES", and for each case "case" and then its inputs,
 * "input NAME LENGTH" and a line end, followed by the bytes. Several cases take the calls in turn. Before it may stand
 * parts that begin with "once" in the place of "op" and end with "end": other work of the library, whose cases are
 * called once and closed, because a process that has worked may take other times than a fresh one. It prints for each
 * case "output STATUS HEX" of its first call, then "empty NS" and "calls N", for each repetition "rep NS CPU_NS
 * CHAIN_NS WIDE_NS", and in the end "output" of each case once more.
 */
#include "../include/cipherstone.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "asked.h"
#include "used_heap.h"

enum {
    CASES_MAX = 64,
    INPUTS_MAX = 16,
    CHAIN = 48000,
    WIDE = 144000,
    MOST_NS = 2000000000,
    LEAST_REPEATS = 5,
    MOST_REPEATS = 1000,
    SLOW_NS = 1000000,
    STEPS_MAX = 32
};

typedef struct one {
    cs_case c;
    char name[INPUTS_MAX][WORD];
    cs_input_span input[INPUTS_MAX];
} one;

static one cases[CASES_MAX];
static size_t count;
static size_t room;

/* ---- the job ---- */

static void word(FILE *file, char *to)
{
    if (fscanf(file, "%63s", to) != 1)
        die("job", "ends early");
}

static size_t number(FILE *file)
{
    char text[WORD];
    word(file, text);
    return (size_t)strtoull(text, NULL, 10);
}

static void read_input(FILE *file, one *to)
{
    size_t i = to->c.n_inputs++;
    if (i >= INPUTS_MAX)
        die("job", "too many inputs");
    word(file, to->name[i]);
    size_t len = number(file);
    uint8_t *data = aligned(len + 1);
    if (fgetc(file) != '\n' || fread(data, 1, len, file) != len)
        die("job", "ends inside of an input");
    to->input[i] = (cs_input_span){to->name[i], {data, len}};
}

/* Inputs and output in one block, each at a multiple of 64, from an offset into a page that follows the length of
 * CS_PAD: what lies where in a page makes some calls a percent faster, so it has to differ from process to process. The
 * output begins 1088 bytes after the message modulo 4096: stores that look like later loads stall some cores. */
static void place(one *to)
{
    const char *pad = getenv("CS_PAD");
    cs_span msg = cs_input(&to->c, "msg");
    size_t size = room != 0 ? room : msg.len + 4096, need = size + 3 * 4096;
    for (size_t i = 0; i < to->c.n_inputs; i++)
        need += to->input[i].span.len + 128;
    uint8_t *block = NULL;
    if (posix_memalign((void **)&block, 4096, need) != 0)
        die("no memory", "");
    memset(block, 0, need);
    uint8_t *at = block + (pad != NULL ? strlen(pad) % 4096 / 64 * 64 : 0);
    uint8_t *due = at;
    for (size_t i = 0; i < to->c.n_inputs; i++) {
        cs_span *span = &to->input[i].span;
        memcpy(at, span->data, span->len);
        free((void *)(uintptr_t)span->data);
        span->data = at;
        if (strcmp(to->name[i], "msg") == 0)
            due = at;
        at += (span->len + 64) / 64 * 64;
    }
    at += (size_t)(due + 1088 - at) % 4096;
    to->c.out = at;
    to->c.out_cap = size;
}

/* A part of the job: 1 if its operation is called once and forgotten, 0 if it is the one that is timed. */
static int read_part(FILE *file, char *id, char *impl)
{
    char kind[WORD];
    int before = 0;
    while (fscanf(file, "%63s", kind) == 1 && strcmp(kind, "end") != 0) {
        if (strcmp(kind, "op") == 0 || strcmp(kind, "once") == 0) {
            before = kind[1] == 'n';
            word(file, id);
            word(file, impl);
        } else if (strcmp(kind, "param") == 0 && params < PARAMS_MAX) {
            word(file, param[params].name);
            word(file, param[params++].value);
        } else if (strcmp(kind, "room") == 0) {
            room = number(file);
        } else if (strcmp(kind, "case") == 0 && count < CASES_MAX) {
            count++;
        } else if (strcmp(kind, "input") == 0 && count > 0) {
            one *last = &cases[count - 1];
            last->c.inputs = last->input;
            read_input(file, last);
        } else {
            die("job", kind);
        }
    }
    if (count == 0)
        die("job", "no case");
    for (size_t i = 0; i < count; i++)
        place(&cases[i]);
    return before;
}

/* Whether the job's parameters are among those that a row is for: "crt=yes,bits=1024|2048". */
static int fits(const char *text)
{
    char copy[512], *rest = copy, *part;
    if (text == NULL)
        return 1;
    snprintf(copy, sizeof copy, "%s", text);
    while ((part = strsep(&rest, ",")) != NULL) {
        char *values = strchr(part, '=');
        if (values == NULL)
            return 0;
        *values++ = '\0';
        const char *given = cs_param_text(NULL, part);
        const char *value = NULL;
        while (given != NULL && (value = strsep(&values, "|")) != NULL && strcmp(value, given) != 0)
            continue;
        if (value == NULL)
            return 0;
    }
    return 1;
}

static const cs_op *row_of(const cs_library *library, const char *id, const char *impl)
{
    const cs_op *op;
    for (size_t i = 0; (op = cs_row(library, i)) != NULL; i++) {
        if (strcmp(op->id, id) == 0 && strcmp(op->impl, impl) == 0 && fits(op->params))
            return op;
    }
    die("no such row", id);
    return NULL;
}

/* Takes a step unless this process has taken it. NULL, or why it failed. */
static const char *step(const char *(*wanted)(void))
{
    static const char *(*taken[STEPS_MAX])(void);
    static size_t steps;
    if (wanted == NULL)
        return NULL;
    for (size_t i = 0; i < steps; i++)
        if (taken[i] == wanted)
            return NULL;
    if (steps < STEPS_MAX)
        taken[steps++] = wanted;
    return wanted();
}

static void prepare(const cs_library *library, const cs_op *op)
{
    static int opened;
    const char *why = NULL;
    void *fetched = NULL;
    if (!opened && library->open != NULL && library->open() != CS_OK)
        die("open", failure);
    opened = 1;
    if (op->unavailable != NULL && (why = op->unavailable(op)) != NULL)
        die("unavailable", why);
    if ((why = step(op->open)) != NULL || (why = step(op->seed)) != NULL)
        die("open", why);
    if (op->fetch != NULL && (why = op->fetch(op, &fetched)) != NULL)
        die("fetch", why);
    if ((why = step(op->settle)) != NULL)
        die("settle", why);
    for (size_t i = 0; i < count; i++) {
        cs_case *c = &cases[i].c;
        c->op = op;
        c->fetched = fetched;
        c->params = param;
        c->n_params = params;
        c->key = cs_input(c, "key");
        c->iv = cs_input(c, "iv");
        c->aad = cs_input(c, "aad");
        c->msg = cs_input(c, "msg");
        c->tag = cs_input(c, "tag");
        c->pub = cs_input(c, "pub");
        c->sig = cs_input(c, "sig");
        if (op->setup != NULL && op->setup(c) != CS_OK)
            die("setup", failure);
    }
}

static void print_outputs(const cs_op *op, int status)
{
    for (size_t i = 0; i < count; i++) {
        cs_case *c = &cases[i].c;
        if (status == CS_OK && op->finish != NULL)
            status = op->finish(c);
        printf("output %d ", status);
        for (size_t k = 0; k < c->out_len && k < c->out_cap; k++)
            printf("%02x", c->out[k]);
        printf("\n");
    }
}

/* ---- the loop ---- */

static size_t turn;

static int loop(int (*call)(cs_case *), uint64_t calls)
{
    int status = CS_OK;
    if (count == 1) {
        while (calls-- > 0)
            status |= call(&cases[0].c);
        return status;
    }
    while (calls-- > 0) {
        status |= call(&cases[turn].c);
        turn = turn + 1 == count ? 0 : turn + 1;
    }
    return status;
}

/* Other work of the library: a row's cases, called once and closed. */
static void forget(const cs_library *library, const char *id, const char *impl)
{
    const cs_op *op = row_of(library, id, impl);
    prepare(library, op);
    (void)loop(op->call, count);
    for (size_t i = 0; i < count; i++) {
        if (op->teardown != NULL)
            op->teardown(&cases[i].c);
        memset(&cases[i], 0, sizeof cases[i]);
    }
    count = params = turn = room = 0;
}

static int nothing(cs_case *c)
{
    (void)c;
    return CS_OK;
}

static double empty_ns(void)
{
    int (*volatile call)(cs_case *) = nothing;
    double least = 1e9;
    for (int i = 0; i < 20; i++) {
        int64_t from = now(CLOCK_MONOTONIC);
        (void)loop(call, 20000);
        double took = (double)(now(CLOCK_MONOTONIC) - from) / 20000;
        least = took < least ? took : least;
    }
    return least;
}

typedef struct repetition {
    int64_t wall, cpu;
    double chain, wide;
} repetition;

static repetition repetitions[MOST_REPEATS + 1];

/* What reading the clock takes, which lies between two readings. */
static int64_t reading_ns(void)
{
    int64_t least = 1000000;
    for (int i = 0; i < 1000; i++) {
        int64_t from = now(CLOCK_MONOTONIC), took = now(CLOCK_MONOTONIC) - from;
        least = took < least ? took : least;
    }
    return least;
}

static int64_t reading;

#define ALIGNED __attribute__((noinline, aligned(64)))
#define EIGHT(step) step step step step step step step step

/* Additions that wait for each other: a cycle each, so this is the clock. */
ALIGNED static double chain_ns(void)
{
    uint64_t x = 1, y = 3;
    int64_t from = now(CLOCK_MONOTONIC);
    for (int i = 0; i < CHAIN / 16; i++) {
        EIGHT(__asm__ volatile("" : "+r"(x), "+r"(y)); x += y;)
        EIGHT(__asm__ volatile("" : "+r"(x), "+r"(y)); x += y;)
    }
    __asm__ volatile("" ::"r"(x));
    return (double)(now(CLOCK_MONOTONIC) - from - reading) / CHAIN;
}

/* Independent additions: slower if another thread uses the core. */
ALIGNED static double wide_ns(void)
{
    uint64_t a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, y = 3;
    int64_t from = now(CLOCK_MONOTONIC);
    for (int i = 0; i < WIDE / 48; i++) {
        EIGHT(__asm__ volatile("" : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f), "+r"(y)); a += y; b += y;
              c += y; d += y; e += y; f += y;)
    }
    __asm__ volatile("" ::"r"(a), "r"(b), "r"(c), "r"(d), "r"(e), "r"(f));
    return (double)(now(CLOCK_MONOTONIC) - from - reading) / WIDE;
}

int cs_worker_main(const cs_library *library, int argc, char **argv)
{
    char id[WORD] = "", impl[WORD] = "";
    if (argc != 5 && argc != 6)
        die("usage", "PROGRAM JOB WARM_US REPEAT_US REPEATS [HEAP]");
    int64_t warm = atoll(argv[2]) * 1000, repeat = atoll(argv[3]) * 1000, repeats = atoll(argv[4]);
    if (repeats < 1 || repeats > MOST_REPEATS)
        die("usage", "REPEATS is from 1 to 1000");
    FILE *job = fopen(argv[1], "rb");
    if (job == NULL)
        die("job", "cannot be read");
    while (read_part(job, id, impl))
        forget(library, id, impl);
    fclose(job);
    /* After the last block of this program's own that becomes free again, and before the first of the library's. */
    if (argc == 6 && strtoull(argv[5], NULL, 10) != 0)
        use_heap(strtoull(argv[5], NULL, 10));
    const cs_op *op = row_of(library, id, impl);
    prepare(library, op);
    int status = loop(op->call, count);
    print_outputs(op, status);
    reading = reading_ns();
    printf("empty %.4f\n", empty_ns());

    /* Warm, and as many calls as fill a repetition. */
    uint64_t calls = 1, made = 0;
    int64_t begun = now(CLOCK_MONOTONIC);
    double least = 1e12;
    while (status == CS_OK && (now(CLOCK_MONOTONIC) - begun < warm || made < 3 * count)) {
        int64_t from = now(CLOCK_MONOTONIC);
        status |= loop(op->call, calls);
        double each = (double)(now(CLOCK_MONOTONIC) - from) / (double)calls;
        made += calls;
        least = each < least ? each : least;
        calls = least * 2 > (double)repeat ? 1 : (uint64_t)((double)repeat / (least + 0.1));
        if (calls > 4 * made)
            calls = 4 * made;
    }
    /* By CPU time, of all threads: some libraries start one. Reading it is a system call. */
    int slow = least > SLOW_NS;
    printf("calls %llu\n", (unsigned long long)calls);
    /* Nothing is printed between repetitions: it would be in the caches that the calls use. */
    int64_t timed = now(CLOCK_MONOTONIC), taken = 0;
    for (; taken < repeats && status == CS_OK; taken++) {
        if (taken >= LEAST_REPEATS && now(CLOCK_MONOTONIC) - timed > MOST_NS)
            break;
        repetition *r = &repetitions[taken];
        r->chain = chain_ns();
        r->wide = wide_ns();
        aside_ns = 0;
        int64_t cpu = slow ? now(CLOCK_PROCESS_CPUTIME_ID) : 0;
        int64_t from = now(CLOCK_MONOTONIC);
        status |= loop(op->call, calls);
        r->wall = now(CLOCK_MONOTONIC) - from - reading - aside_ns;
        r->cpu = slow ? now(CLOCK_PROCESS_CPUTIME_ID) - cpu : r->wall;
    }
    repetitions[taken].chain = chain_ns();
    repetitions[taken].wide = wide_ns();
    for (int64_t i = 0; i <= taken; i++)
        printf("rep %lld %lld %.6f %.6f\n", (long long)repetitions[i].wall, (long long)repetitions[i].cpu,
               repetitions[i].chain, repetitions[i].wide);
    print_outputs(op, status);
    return status == CS_OK ? 0 : 1;
}
