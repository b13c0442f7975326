/* SPDX-License-Identifier: Apache-2.0
 *
 * A worker whose clock counts: each step advances it by a power of ten of its own, and nothing else does. So the digits
 * of a figure say which steps are in it. Prints the clock on standard error at the end.
 */
#define CS_SYSTEM_EXTENSIONS
#include "sdk.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    OPEN_LIBRARY = 1,
    OPEN_INTERFACE = 10,
    SEED = 100,
    AVAILABLE = 1000,
    FETCH = 10000,
    SETUP = 100000,
    FIRST_CALL = 1000000,
    LATER_CALL = 10000000
};

static int64_t ticks;

static int gettime(clockid_t id, struct timespec *reading)
{
    (void)id;
    reading->tv_sec = (time_t)(ticks / 1000000000);
    reading->tv_nsec = (long)(ticks % 1000000000);
    return 0;
}

static int open_library(void)
{
    ticks += OPEN_LIBRARY;
    return CS_OK;
}

static const char *open_interface(void)
{
    ticks += OPEN_INTERFACE;
    return NULL;
}

static const char *seed(void)
{
    ticks += SEED;
    return NULL;
}

static const char *unavailable(const cs_op *op)
{
    (void)op;
    ticks += AVAILABLE;
    return NULL;
}

static const char *fetch(const cs_op *op, void **fetched)
{
    static const char text[] = "fetched";
    (void)op;
    ticks += FETCH;
    *fetched = (void *)(uintptr_t)text;
    return NULL;
}

/* Fails twice. */
static const char *fetch_late(const cs_op *op, void **fetched)
{
    static int tries;
    return ++tries < 3 ? "not yet" : fetch(op, fetched);
}

/* Beside the clock: in no figure. Told by the row "settlings". */
static int settlings;

static const char *settle(void)
{
    settlings++;
    return NULL;
}

static int settlings_call(cs_case *c)
{
    c->out[0] = (uint8_t)settlings;
    c->out_len = 1;
    return CS_OK;
}

/* The output is what `fetch` handed over. */
static int setup(cs_case *c)
{
    ticks += SETUP;
    const char *text = c->fetched == NULL ? "nothing" : c->fetched;
    c->out_len = strlen(text);
    memcpy(c->out, text, c->out_len);
    return CS_OK;
}

static int call(cs_case *c)
{
    ticks += c->state == NULL ? FIRST_CALL : LATER_CALL;
    c->state = c;
    c->out_len = c->fetched == NULL ? 0 : strlen(c->fetched);
    memcpy(c->out, c->fetched, c->out_len);
    return CS_OK;
}

/* ---- random bytes: the message is as long as what is drawn --------------------------------------------------------
 */

static int plain_setup(cs_case *c)
{
    c->out_len = 0;
    return CS_OK;
}

static int draw(cs_case *c)
{
    if (cs_counts_random())
        cs_random_drawn(c->msg.len);
    return CS_OK;
}

static int by_getrandom(cs_case *c)
{
    return getrandom(c->out, c->msg.len, 0) == (ssize_t)c->msg.len ? draw(c) : CS_ERROR;
}

static int by_getentropy(cs_case *c)
{
    return getentropy(c->out, c->msg.len) == 0 ? CS_OK : CS_ERROR;
}

static int by_syscall(cs_case *c)
{
    return syscall(SYS_getrandom, c->out, c->msg.len, 0) == (long)c->msg.len ? CS_OK : CS_ERROR;
}

static int by_read(cs_case *c)
{
    int file = open("/dev/urandom", O_RDONLY), zeros = open("/dev/zero", O_RDONLY);
    ssize_t got = read(file, c->out, c->msg.len);
    got += read(zeros, c->out, c->msg.len); /* is none */
    close(file);
    close(zeros);
    return got == 2 * (ssize_t)c->msg.len ? CS_OK : CS_ERROR;
}

static int by_stream(cs_case *c)
{
    FILE *file = fopen("/dev/random", "rb");
    size_t got = file == NULL ? 0 : fread(c->out, 1, c->msg.len, file);
    if (file != NULL)
        fclose(file);
    return got == c->msg.len ? CS_OK : CS_ERROR;
}

#define ROW(NAME) .id = NAME "/hash", .impl = "default", .name = NAME, .setup = setup, .call = call
#define RANDOM(NAME, CALL) .id = NAME "/hash", .impl = "default", .name = NAME, .setup = plain_setup, .call = CALL

static const char *version(void)
{
    return "1";
}

static const cs_op ops[] = {
    {ROW("whole"), .unavailable = unavailable, .open = open_interface, .seed = seed, .fetch = fetch},
    {ROW("other"), .unavailable = unavailable, .open = open_interface, .seed = seed, .fetch = fetch},
    {ROW("fetching"), .fetch = fetch},
    {ROW("late"), .seed = seed, .fetch = fetch_late},
    {ROW("plain")},
    {ROW("settling"), .settle = settle},
    {ROW("settling-too"), .settle = settle},
    {.id = "settlings/hash", .impl = "default", .name = "settlings", .setup = plain_setup, .call = settlings_call},
    {RANDOM("drawn", draw), .counts_random = 1},
    {RANDOM("drawn-untold", draw)},
    {RANDOM("getrandom", by_getrandom), .counts_random = 1},
    {RANDOM("getentropy", by_getentropy)},
    {RANDOM("syscall", by_syscall)},
    {RANDOM("read", by_read)},
    {RANDOM("stream", by_stream)},
};

static const cs_library library = {.abi = CS_ABI,
                                   .id = "phases",
                                   .version = version,
                                   .version_from = "library",
                                   .open = open_library,
                                   .tables = CS_ROWS(ops)};

int main(int argc, char **argv)
{
    cs_clock_now.gettime = gettime;
    int status = cs_worker_main(&library, argc, argv);
    fprintf(stderr, "%lld\n", (long long)ticks);
    return status;
}
