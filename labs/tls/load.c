/* SPDX-License-Identifier: Apache-2.0
 *
 * A worker that plays one side of many handshakes over TCP on this machine, and tells what they cost its process, and
 * how long they took from connecting to their end. It is made of the same adapter as peer.c, by
 * -Dcs_worker_main=tls_load_main: rows, parameters, inputs and words of refusal are the laboratory's, and only `call`
 * is another one. Sockets block, as those of simple programs do.
 *
 * TLS_LOAD=client,PORT,COUNT,SECONDS or server,DESCRIPTOR,COUNT,SECONDS: where to connect to on 127.0.0.1, or what
 * listens there; how many a call makes, and when at the latest it ends. A fifth word is another address than 127.0.0.1:
 * of the other end of a wire between two network namespaces.
 *
 * Each handshake has a connection of TCP, and what a library sends in one step is one send, at once. TLS_LOAD_AS has
 * words for other ways: `one`, all handshakes of a call over one connection, each with an object of its own; `apart`,
 * the library's callbacks are send and recv; `nagle`, small segments wait for the one before, as they do by default.
 *
 * Rows of data make one handshake a call and send COUNT messages, `up` from client to server, else down.
 */
#include "data.h"
#include "load.h"
#include "rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <signal.h>
#include <sys/prctl.h>
#endif

#undef cs_worker_main
int cs_worker_main(const cs_library *library, int argc, char **argv);
int tls_load_main(const cs_library *library, int argc, char **argv);

/* An adapter may have none. */
#pragma weak tls_data_here

enum { LATENCIES = 4096 }; /* of a call's handshakes, the first so many */

static uint64_t latency[LATENCIES];
static const int percents[] = {50, 90, 99};

/* ---- a call ---- */

static uint64_t us_between(struct timeval before, struct timeval after)
{
    return (uint64_t)(after.tv_sec - before.tv_sec) * 1000000 + (uint64_t)after.tv_usec - (uint64_t)before.tv_usec;
}

/* Of the other one a field may be untold. */
static int alike(const tls_agreed *one, const tls_agreed *other)
{
    const int pairs[][2] = {{one->version, other->version},
                            {one->suite, other->suite},
                            {one->group, other->group},
                            {one->signature, other->signature},
                            {one->resumed, other->resumed}};

    for (size_t i = 0; i < CS_COUNT(pairs); i++)
        if (pairs[i][1] != TLS_UNTOLD && pairs[i][0] != pairs[i][1])
            return 0;
    return 1;
}

/* The first one is also seen from outside, and settles what the interface does not tell. */
static int connect_all(tls_case *s, uint32_t count, tls_agreed *agreed)
{
    tls_agreed one = {0};

    if (asked.one && (s->wish.version != TLS_1_2 || s->first))
        return cs_fail("over one connection: what comes behind a handshake would be part of the next");
    for (uint32_t i = 0; i < count; i++) {
        uint64_t so_far = cost.done_ns;
        int status = load_connect(s, i == 0, !asked.one || i + 1 == count, &one);

        if (status != CS_OK)
            return status;
        if (i < LATENCIES)
            latency[cost.latencies++] = cost.done_ns - so_far;
        if (i == 0)
            *agreed = one;
        else if (!alike(agreed, &one))
            return cs_fail("two handshakes agreed on different things");
    }
    return CS_OK;
}

/* ---- what a call costs ---- */

static struct {
    uint64_t elapsed, cpu;
    struct rusage used;
} before;

static void begin(void)
{
    memset(&cost, 0, sizeof cost);
    getrusage(RUSAGE_SELF, &before.used);
    before.elapsed = load_ns(CLOCK_MONOTONIC);
    before.cpu = load_ns(CLOCK_PROCESS_CPUTIME_ID);
}

static void end(void)
{
    struct rusage used;

    cost.cpu_ns = load_ns(CLOCK_PROCESS_CPUTIME_ID) - before.cpu;
    cost.elapsed_ns = load_ns(CLOCK_MONOTONIC) - before.elapsed;
    getrusage(RUSAGE_SELF, &used);
    cost.user_us = us_between(before.used.ru_utime, used.ru_utime);
    cost.system_us = us_between(before.used.ru_stime, used.ru_stime);
}

/* The output is how many there were, and what this side says of each of them. */
static void say(cs_case *c, uint32_t count, const tls_agreed *agreed)
{
    const int told[] = {(int)(count >> 16), (int)(count & 0xffff), agreed->version, agreed->suite,
                        agreed->group,      agreed->signature,     agreed->resumed};
    uint8_t *to = c->out;

    for (size_t i = 0; i < CS_COUNT(told); i++) {
        *to++ = (uint8_t)(told[i] >> 8);
        *to++ = (uint8_t)told[i];
    }
    c->out_len = (size_t)(to - c->out);
}

/* Where they are to resume, the first call makes one handshake, which leaves the ticket. */
static int play(cs_case *c)
{
    tls_case *s = c->state;
    uint32_t count = s->first ? 1 : asked.count;
    tls_agreed agreed = {0};
    int status;

    if (asked.side == TLS_SIDES)
        return cs_fail("TLS_LOAD does not say with whom");
    begin();
    /* Ends a library that does not come back. */
    alarm(asked.seconds);
    status = connect_all(s, count, &agreed);
    alarm(0);
    end();
    if (status != CS_OK)
        return status;
    s->first = 0;
    say(c, count, &agreed);
    return CS_OK;
}

/* ---- data ---- */

static int write_all(tls_case *s, cs_span message)
{
    for (uint32_t i = 0; i < asked.count; i++)
        if (!tls_data_here.write(s, asked.side, message.data, (int)message.len))
            return cs_fail("data could not be sent");
    return CS_OK;
}

/* The records are authentic, or the library would refuse: the first and the last message are looked at all the same. */
static int read_all(tls_case *s, cs_span message)
{
    static uint8_t got[TLS_WIRE];

    if (message.len > sizeof got)
        return cs_fail("a message that is too long for this laboratory");
    for (uint32_t i = 0; i < asked.count; i++) {
        for (size_t at = 0; at < message.len;) {
            int n = tls_data_here.read(s, asked.side, got + at, (int)(message.len - at));

            if (n <= 0)
                return n < 0 ? CS_ERROR : cs_fail(line.lost);
            at += (size_t)n;
        }
        if ((i == 0 || i + 1 == asked.count) && memcmp(got, message.data, message.len) != 0)
            return cs_fail("other data came than were sent");
    }
    return CS_OK;
}

/* The handshake is in no figure. */
static int carry(cs_case *c)
{
    tls_case *s = c->state;
    int side = asked.side, status;
    tls_agreed agreed;

    if (side == TLS_SIDES || !asked.apart)
        return cs_fail("TLS_LOAD does not say with whom, or TLS_LOAD_AS not that callbacks are send and recv");
    status = load_reach();
    if (status != CS_OK)
        return status;
    alarm(asked.seconds);
    status = load_shake_hands(s);
    if (status == CS_OK)
        status = load_read_back(s, 1, &agreed);
    line.kept = 0;
    begin();
    if (status == CS_OK)
        status = (side == TLS_CLIENT) == asked.up ? write_all(s, c->msg) : read_all(s, c->msg);
    load_part(s, 1);
    end();
    alarm(0);
    if (status == CS_OK)
        say(c, asked.count, &agreed);
    return status;
}

/* ---- rows ---- */

static int by_size(const void *one, const void *other)
{
    uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;

    return (a > b) - (a < b);
}

/* Nearest ranks. */
static void tell_latencies(cs_facts *sink)
{
    static const char *const names[] = {"latency_50_ns", "latency_90_ns", "latency_99_ns"};

    qsort(latency, cost.latencies, sizeof *latency, by_size);
    for (size_t i = 0; i < CS_COUNT(percents) && cost.latencies > 0; i++)
        cs_fact_number(sink, names[i], latency[(cost.latencies * (size_t)percents[i] + 99) / 100 - 1]);
}

static void tell(cs_case *c, cs_facts *sink)
{
    (void)c;
    tell_latencies(sink);
    cs_fact_number(sink, "received_bytes", cost.received_bytes);
    cs_fact_number(sink, "sent_bytes", cost.sent_bytes);
    cs_fact_number(sink, "sends", cost.sends);
    cs_fact_number(sink, "receives", cost.receives);
    cs_fact_number(sink, "elapsed_ns", cost.elapsed_ns);
    cs_fact_number(sink, "done_ns", cost.done_ns);
    cs_fact_number(sink, "cpu_ns", cost.cpu_ns);
    cs_fact_number(sink, "user_us", cost.user_us);
    cs_fact_number(sink, "system_us", cost.system_us);
}

static int has_word(const char *words, const char *word)
{
    return words != NULL && strstr(words, word) != NULL;
}

int tls_load_main(const cs_library *library, int argc, char **argv)
{
    const char *given = getenv("TLS_LOAD"), *as = getenv("TLS_LOAD_AS");
    cs_library load = *library;
    size_t n_rows;
    cs_op *rows = tls_copied_rows(library, &n_rows);
    char side[8];

    if (rows == NULL)
        return 1;
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    if (given != NULL && sscanf(given, "%7[a-z],%d,%u,%u,%15[0-9.]", side, &asked.where, &asked.count, &asked.seconds,
                                asked.address) >= 4)
        asked.side = strcmp(side, "server") == 0 ? TLS_SERVER : TLS_CLIENT;
    asked.one = has_word(as, "one");
    asked.apart = has_word(as, "apart");
    asked.nagle = has_word(as, "nagle");
    asked.up = has_word(as, "up");
    tls_apart = 1;
    for (size_t i = 0; i < n_rows; i++) {
        if (rows[i].call == tls_client_call || rows[i].call == tls_server_call) {
            rows[i].call = play;
        } else if (rows[i].call == tls_write_call || rows[i].call == tls_read_call) {
            rows[i].setup = tls_setup; /* the connection is made by each call */
            rows[i].call = carry;
        } else {
            continue;
        }
        rows[i].facts = tell;
    }
    const cs_table table = {rows, n_rows};
    load.tables = CS_TABLES(&table);
    return cs_worker_main(&load, argc, argv);
}
