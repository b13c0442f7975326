/* SPDX-License-Identifier: Apache-2.0
 *
 * A worker whose library does what no library should, and known uses of heap and stack. Built with ODD_OPEN_FAILS its
 * library cannot be started.
 */
#define _GNU_SOURCE
#include "cipherstone.h"

#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static int setups, teardowns;

static int text(cs_case *c, const char *words)
{
    c->out_len = strlen(words);
    memcpy(c->out, words, c->out_len);
    return CS_OK;
}

static int setup(cs_case *c)
{
    setups++;
    c->out_len = 4;
    return CS_OK;
}

static void teardown(cs_case *c)
{
    (void)c;
    teardowns++;
}

/* Says which case it was, in the words of its message. */
static void told_teardown(cs_case *c)
{
    fprintf(stderr, "torn down: %.*s\n", (int)c->msg.len, (const char *)c->msg.data);
}

static int counts(cs_case *c)
{
    char words[64];
    snprintf(words, sizeof words, "%d %d", setups, teardowns);
    return text(c, words);
}

/* ---- outputs that are wrong ---------------------------------------------------------------------------------------
 */

static int underrun(cs_case *c)
{
    c->out[-1] = 0;
    return text(c, "done");
}

static int overrun(cs_case *c)
{
    c->out[c->out_cap + 63] = 0;
    return text(c, "done");
}

static int to_the_brim(cs_case *c)
{
    memset(c->out, 'x', c->out_cap);
    c->out_len = c->out_cap;
    return CS_OK;
}

static int claims_too_much(cs_case *c)
{
    c->out_len = c->out_cap + 1;
    return CS_OK;
}

static int odd_status(cs_case *c)
{
    (void)c;
    return 64;
}

/* The right answer is there before the first call, and no call does anything. */
static int lazy_setup(cs_case *c)
{
    setups++;
    return text(c, "done");
}

static int late_setup(cs_case *c)
{
    lazy_setup(c);
    c->out_len = 0;
    return CS_OK;
}

/* Says only how long the answer is. */
static int late(cs_case *c)
{
    c->out_len = 4;
    return CS_OK;
}

static int lazy(cs_case *c)
{
    (void)c;
    return CS_OK;
}

/* Works in the first call only. */
static int once(cs_case *c)
{
    if (c->state != NULL)
        return CS_OK;
    c->state = c;
    return text(c, "done");
}

/* Does all of the work in the first call, then only the beginning of it. */
static int lasts(cs_case *c)
{
    c->out_len = c->msg.len;
    memset(c->out, 'x', c->state == NULL ? c->out_len : 64);
    c->state = c;
    return CS_OK;
}

static int long_failure(cs_case *c)
{
    static char words[2000];
    (void)c;
    memset(words, 'z', sizeof words - 1);
    return cs_fail(words);
}

static int two_lines(cs_case *c)
{
    (void)c;
    return cs_fail("first line\nsecond line");
}

/* "quote", a backslash, control characters, two bytes of UTF-8, and one byte that is none. */
static int odd_text(cs_case *c)
{
    (void)c;
    return cs_fail("\"q\" \\ \t\x01\x7f \xc3\xa9 \xff \xed\xa0\x80 end");
}

static int no_room(cs_case *c)
{
    c->state = cs_alloc(SIZE_MAX - 8);
    return c->state == NULL ? CS_ERROR : CS_OK;
}

/* ---- standard streams ---------------------------------------------------------------------------------------------
 */

static int flood(cs_case *c)
{
    for (int i = 0; i < 20000; i++)
        printf("{\"seq\":%d,\"ok\":true} and more of the same, to fill the pipe\n", i);
    fflush(stdout);
    return text(c, "done");
}

static int reads_input(cs_case *c)
{
    return text(c, getchar() == EOF ? "done" : "took a request");
}

static int closes_streams(cs_case *c)
{
    close(0);
    close(1);
    return text(c, "done");
}

/* ---- what the SDK promises an adapter ------------------------------------------------------------------------------
 */

static int layout(cs_case *c)
{
    char words[200];
    size_t distance = (size_t)(c->out - c->msg.data) % 4096;
    size_t off = ((size_t)c->out | (size_t)c->msg.data | (size_t)c->key.data) % 64;
    snprintf(words, sizeof words, "distance %zu off %zu page %zu cap %zu iv %s key %zu", distance, off,
             (size_t)c->key.data % 4096, c->out_cap - c->msg.len, c->iv.data == NULL ? "absent" : "given", c->key.len);
    return text(c, words);
}

static int zeroed_setup(cs_case *c)
{
    for (size_t i = 0; i < c->out_cap; i++)
        if (c->out[i] != 0)
            return cs_fail("out is not zeroed");
    unsigned char *state = cs_alloc(1000);
    for (size_t i = 0; i < 1000; i++)
        if (state[i] != 0)
            return cs_fail("state is not zeroed");
    if ((size_t)state % 64 != 0)
        return cs_fail("state is not aligned");
    memset(state, 1, 1000);
    cs_free(state);
    return setup(c);
}

/* ---- known uses of memory ------------------------------------------------------------------------------------------
 */

static void *volatile kept;

/* Nine allocations. The output is the peak that malloc_usable_size promises. */
/* Two mappings of which one stays, and one of a kind that is no memory of the process alone. */
static int maps(cs_case *c)
{
    static const size_t lens[3] = {1000000, 300000, 500000};
    void *at[3];
    for (size_t i = 0; i < 3; i++) {
        int shared = i == 2 ? MAP_SHARED : MAP_PRIVATE;
        at[i] = mmap(NULL, lens[i], PROT_READ | PROT_WRITE, shared | MAP_ANONYMOUS, -1, 0);
        if (at[i] == MAP_FAILED)
            return CS_ERROR;
    }
    munmap(at[0], lens[0]);
    munmap(at[2], lens[2]);
    return text(c, "done");
}

/* As many bytes as the message says in decimal digits. */
static int asks_for_memory(cs_case *c)
{
    char digits[32] = "";
    memcpy(digits, c->msg.data, c->msg.len < sizeof digits ? c->msg.len : sizeof digits - 1);
    return cs_memory_there(strtoull(digits, NULL, 10)) == CS_OK ? setup(c) : CS_ERROR;
}

static int heap(cs_case *c)
{
    size_t live = 0, peak = 0;
    void *block[8] = {malloc(1000), calloc(3, 700), aligned_alloc(64, 640), memalign(256, 100), NULL, NULL, NULL, NULL};
    if (posix_memalign(&block[4], 128, 3000) != 0)
        return CS_ERROR;
    block[5] = realloc(NULL, 50);
    for (size_t i = 0; i < 6; i++)
        live += malloc_usable_size(block[i]);
    peak = live;
    live -= malloc_usable_size(block[5]);
    block[5] = realloc(block[5], 200000);
    live += malloc_usable_size(block[5]);
    peak = live > peak ? live : peak;
    live -= malloc_usable_size(block[5]);
    block[5] = reallocarray(block[5], 10, 10);
    live += malloc_usable_size(block[5]);
    for (size_t i = 0; i < 6; i++) {
        kept = block[i];
        free(kept);
    }
    kept = malloc(10);
    free(kept);
    char words[32];
    snprintf(words, sizeof words, "%zu", peak);
    return text(c, words);
}

/* Keeps 5000 bytes from setup and 700 from each call. */
static int leak_setup(cs_case *c)
{
    c->state = malloc(5000);
    return setup(c);
}

static int leak(cs_case *c)
{
    kept = malloc(700);
    return text(c, "done");
}

/* Uses about as much stack as `msg` says in decimal. */
static int stack(cs_case *c)
{
    char digits[16] = {0};
    memcpy(digits, c->msg.data, c->msg.len < 15 ? c->msg.len : 15);
    size_t bytes = (size_t)atol(digits);
    volatile unsigned char frame[bytes + 1];
    for (size_t i = 0; i <= bytes; i++)
        frame[i] = (unsigned char)i;
    c->out[0] = frame[bytes];
    c->out_len = 1;
    return CS_OK;
}

#define ROW(verb, what, ...) {.id = "odd-" what "/" verb, .impl = "default", .name = what, __VA_ARGS__}
/* ---- finish and facts ----------------------------------------------------------------------------------------------
 */

static int finishes;

static int count_finishes(cs_case *c)
{
    char words[32];
    snprintf(words, sizeof words, "%d", ++finishes);
    return text(c, words);
}

static int finish_overrun(cs_case *c)
{
    c->out[c->out_cap] = 0;
    return text(c, "done");
}

static int finish_rejects(cs_case *c)
{
    (void)c;
    return CS_REJECTED;
}

/* Keeps 30000 bytes and a deep frame: neither belongs to the call. */
static int finish_heavy(cs_case *c)
{
    volatile unsigned char frame[50000];
    for (size_t i = 0; i < sizeof frame; i++)
        frame[i] = 1;
    kept = malloc(30000);
    return text(c, "done");
}

static int rejects(cs_case *c)
{
    (void)c;
    return CS_REJECTED;
}

static void facts_full(cs_case *c, cs_facts *sink)
{
    static char longest[4097];
    char key[16];
    (void)c;
    memset(longest, 'x', sizeof longest - 1);
    for (int i = 0; i < 62; i++) {
        snprintf(key, sizeof key, "k_%d", i);
        cs_fact_number(sink, key, (uint64_t)i);
    }
    cs_fact_number(sink, "most", (uint64_t)1 << 53);
    cs_fact_text(sink, "longest", longest);
    cs_fact_text(sink, "k_0", "a \"text\" now");
}

static void facts_many(cs_case *c, cs_facts *sink)
{
    facts_full(c, sink);
    cs_fact_number(sink, "one_more", 1);
}

static void facts_number(cs_case *c, cs_facts *sink)
{
    (void)c;
    cs_fact_number(sink, "most", ((uint64_t)1 << 53) + 1);
}

/* `msg` is the text; an empty `msg` stands for none. */
static void facts_text(cs_case *c, cs_facts *sink)
{
    char *words = calloc(1, c->msg.len + 1);
    memcpy(words, c->msg.data, c->msg.len);
    cs_fact_text(sink, "text", c->msg.len == 0 ? NULL : words);
    free(words);
}

/* `msg` is the key. */
static void facts_key(cs_case *c, cs_facts *sink)
{
    char *words = calloc(1, c->msg.len + 1);
    memcpy(words, c->msg.data, c->msg.len);
    cs_fact_number(sink, words, 1);
    free(words);
}

#define HASH(what, function) ROW("hash", what, .setup = setup, .call = function, .teardown = teardown)

static const cs_op ops[] = {
    ROW("hash", "farewell", .setup = setup, .call = counts, .teardown = told_teardown),
    HASH("counts", counts),
    HASH("underrun", underrun),
    HASH("overrun", overrun),
    HASH("brim", to_the_brim),
    HASH("claims", claims_too_much),
    HASH("status", odd_status),
    ROW("hash", "lazy", .setup = lazy_setup, .call = lazy),
    ROW("hash", "late", .setup = late_setup, .call = late),
    HASH("once", once),
    HASH("lasts", lasts),
    HASH("long", long_failure),
    HASH("lines", two_lines),
    HASH("text", odd_text),
    ROW("hash", "no-room", .setup = no_room, .call = lazy, .teardown = teardown),
    HASH("flood", flood),
    HASH("reads", reads_input),
    HASH("closes", closes_streams),
    ROW("mac", "layout", .setup = setup, .call = layout),
    ROW("hash", "zeroed", .setup = zeroed_setup, .call = lazy),
    HASH("heap", heap),
    HASH("maps", maps),
    ROW("hash", "asks", .setup = asks_for_memory, .call = lazy),
    ROW("hash", "leak", .setup = leak_setup, .call = leak),
    HASH("stack", stack),
    ROW("hash", "no-setup", .call = lazy),
    ROW("hash", "finishes", .call = lazy, .finish = count_finishes),
    ROW("hash", "finish-overrun", .call = lazy, .finish = finish_overrun),
    ROW("hash", "finish-claims", .call = lazy, .finish = claims_too_much),
    ROW("hash", "finish-rejects", .call = lazy, .finish = finish_rejects),
    ROW("hash", "finish-heavy", .call = lazy, .finish = finish_heavy),
    ROW("hash", "rejects", .call = rejects, .finish = count_finishes),
    ROW("hash", "facts-full", .call = lazy, .facts = facts_full),
    ROW("hash", "facts-many", .call = lazy, .facts = facts_many),
    ROW("hash", "facts-number", .call = lazy, .facts = facts_number),
    ROW("hash", "facts-text", .call = lazy, .facts = facts_text),
    ROW("hash", "facts-key", .call = lazy, .facts = facts_key),
};

/* Two bytes of UTF-8, one byte that is none, a quote. */
static const char *version(void)
{
    return "1 \xc3\xa9 \xff \"x\"";
}

static int open_library(void)
{
#ifdef ODD_OPEN_FAILS
    return cs_fail("no entropy");
#else
    printf("a banner on standard output\n");
    fflush(stdout);
    return CS_OK;
#endif
}

static const cs_library odd = {.abi = CS_ABI,
                               .id = "odd",
                               .version = version,
                               .version_from = "header",
                               .open = open_library,
                               .tables = CS_ROWS(ops)};

CS_WORKER_MAIN(odd)
