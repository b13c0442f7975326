/* SPDX-License-Identifier: Apache-2.0
 *
 * A worker whose calls make many handshakes, in each of which one flight that a side gets was mutated on its way. It is
 * made of the same adapter as the laboratory's, whose main is given to tls_mutated_main by
 * -Dcs_worker_main=tls_mutated_main; the verb says which side is under attack.
 *
 * TLS_MUTATED=SEED,FIRST,COUNT,MILLISECONDS,DESCRIPTOR: handshakes FIRST to FIRST + COUNT - 1 of a seed, how long one
 * may take before a signal ends the process, and a file that holds the number of the one that is being tried.
 */
#include "rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#undef cs_worker_main
int cs_worker_main(const cs_library *library, int argc, char **argv);
int tls_mutated_main(const cs_library *library, int argc, char **argv);

enum { MOST_MUTATIONS = 4, MOST_SENDS = 4, MOST_BYTES = 64, NO_SEND = -1 };
enum { COMPLETED, REFUSED, ENDED, UNTOUCHED, OUTCOMES };

static struct {
    uint64_t seed, first, count;
    int ms, fd;
} asked = {.fd = -1};

/* Of the handshake that is tried. */
static uint64_t state;
static int attacked, send_left;
static unsigned sends; /* of the other side; some libraries say goodbye behind it */

/* SplitMix64, as in PROTOCOL.md section 2. */
static uint64_t next(void)
{
    uint64_t z = state += 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static size_t below(size_t most)
{
    return (size_t)(next() % most);
}

/* Lengths that parsers stumble over. */
static void put_length(uint8_t *at)
{
    static const uint16_t lengths[] = {0, 1, 0x7f, 0x80, 0xff, 0x100, 0x3fff, 0x4000, 0x4001, 0x7fff, 0x8000, 0xffff};
    uint16_t length = lengths[below(CS_COUNT(lengths))];

    at[0] = (uint8_t)(length >> 8);
    at[1] = (uint8_t)length;
}

/* Changes `len` bytes; the result may have up to `room` bytes. Returns its length. */
static size_t mutated(uint8_t *bytes, size_t len, size_t room)
{
    size_t at = below(len), part = 1 + below(len - at < MOST_BYTES ? len - at : MOST_BYTES);

    switch (below(8)) {
    case 0:
        bytes[at] ^= (uint8_t)(1u << below(8));
        break;
    case 1:
        bytes[at] = (uint8_t)next();
        break;
    case 2:
        if (len - at >= 2)
            put_length(bytes + at);
        break;
    case 3: /* the end is missing */
        return at;
    case 4: /* a part is missing */
        memmove(bytes + at, bytes + at + part, len - at - part);
        return len - part;
    case 5: /* a part comes twice */
        if (len + part > room)
            break;
        memmove(bytes + at + part, bytes + at, len - at);
        return len + part;
    case 6: /* a part is another one */
        for (size_t i = 0; i < part; i++)
            bytes[at + i] = (uint8_t)next();
        break;
    default: /* something comes between */
        if (len + part > room)
            break;
        memmove(bytes + at + part, bytes + at, len - at);
        for (size_t i = 0; i < part; i++)
            bytes[at + i] = (uint8_t)next();
        return len + part;
    }
    return len;
}

/* Changes one of the first sends of the side that is not attacked. The pipe's length changes by as much. */
static void meddle(tls_case *s, int side, uint8_t *bytes, size_t len)
{
    tls_pipe *pipe = &s->pipe[side];
    size_t now = len, room = TLS_WIRE - pipe->written;

    if (side == attacked || len == 0 || send_left < 0 || send_left-- != 0)
        return;
    for (size_t left = 1 + below(MOST_MUTATIONS); left > 0 && now > 0; left--)
        now = mutated(bytes, now, room);
    pipe->written += now;
    pipe->written -= len;
    s->meddled = 1;
}

/* For as long as a handshake may take; 0: no more. */
static void limit(int ms)
{
    struct itimerval timer = {.it_value = {.tv_sec = ms / 1000, .tv_usec = ms % 1000 * 1000}};

    setitimer(ITIMER_REAL, &timer, NULL);
}

static int handshake(tls_case *s, int send)
{
    int status;

    send_left = send;
    s->meddled = 0;
    s->meddle = meddle;
    limit(asked.ms);
    status = tls_connect(s);
    s->meddle = NULL;
    sends = s->pipe[TLS_SIDES - 1 - attacked].sends;
    tls_disconnect(s);
    limit(0);
    return status;
}

/* `usual`: how often the other side sends. If it sends less often this time, one of the sends that it makes is changed.
 */
static int one(tls_case *s, uint64_t number, unsigned usual)
{
    int status;

    state = asked.seed ^ (number + 1) * 0xd1342543de82ef95u;
    status = handshake(s, (int)below(usual));
    if (!s->meddled && sends > 0)
        status = handshake(s, (int)below(sends));
    if (!s->meddled)
        return UNTOUCHED;
    return status == CS_OK ? COMPLETED : status == CS_REJECTED ? REFUSED : ENDED;
}

/* The output is the number of each outcome, 4 bytes each. Then it is checked that the library still works as before. */
static int attack(cs_case *c, int side)
{
    uint32_t found[OUTCOMES] = {0};
    tls_case *s = c->state;
    uint8_t *to = c->out;
    unsigned usual;
    int status;

    attacked = side;
    /* An untouched handshake shows how often the other side sends, so that no handshake must be made twice. */
    status = handshake(s, NO_SEND);
    usual = sends == 0 ? 1 : sends < MOST_SENDS ? sends : MOST_SENDS;
    if (status != CS_OK)
        return cs_fail("an untouched handshake fails");
    for (uint64_t i = 0; i < asked.count; i++) {
        uint64_t number = asked.first + i;

        if (asked.fd >= 0 && pwrite(asked.fd, &number, sizeof number, 0) != (ssize_t)sizeof number)
            return cs_fail("the file for the number cannot be written");
        found[one(s, number, usual)]++;
    }
    status = tls_connect(s);
    tls_disconnect(s);
    if (status != CS_OK)
        return cs_fail("afterwards an untouched handshake fails");
    for (int i = 0; i < OUTCOMES; i++)
        for (int shift = 24; shift >= 0; shift -= 8)
            *to++ = (uint8_t)(found[i] >> shift);
    c->out_len = (size_t)(to - c->out);
    return CS_OK;
}

static int attack_client(cs_case *c)
{
    return attack(c, TLS_CLIENT);
}

static int attack_server(cs_case *c)
{
    return attack(c, TLS_SERVER);
}

int tls_mutated_main(const cs_library *library, int argc, char **argv)
{
    const char *given = getenv("TLS_MUTATED");
    cs_library attacker = *library;
    size_t n_rows;
    cs_op *rows = tls_copied_rows(library, &n_rows);
    unsigned long long seed = 0, first = 0, count = 0;

    if (rows == NULL)
        return 1;
    if (given != NULL && sscanf(given, "%llu,%llu,%llu,%d,%d", &seed, &first, &count, &asked.ms, &asked.fd) != 5)
        return 1;
    asked.seed = seed;
    asked.first = first;
    asked.count = count;
    for (size_t i = 0; i < n_rows; i++) {
        if (rows[i].call == tls_client_call)
            rows[i].call = attack_client;
        else if (rows[i].call == tls_server_call)
            rows[i].call = attack_server;
    }
    const cs_table table = {rows, n_rows};
    attacker.tables = CS_TABLES(&table);
    return cs_worker_main(&attacker, argc, argv);
}
