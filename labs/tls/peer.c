/* SPDX-License-Identifier: Apache-2.0
 *
 * A worker that plays one side of a handshake over a descriptor that it was started with. The program at the other end
 * is the peer. The worker is made of the same adapter, and -Dcs_worker_main=tls_peer_main passes the adapter's library
 * to tls_peer_main. Rows, parameters, inputs and words of refusal are the laboratory's; only `call` differs.
 *
 * TLS_PEER=DESCRIPTOR,MILLISECONDS: the connection, which serves once, and the time limit of a call.
 */
#include "data.h"
#include "rows.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <signal.h>
#include <sys/prctl.h>
#endif

#undef cs_worker_main
int cs_worker_main(const cs_library *library, int argc, char **argv);
int tls_peer_main(const cs_library *library, int argc, char **argv);

/* An adapter may have none. */
#pragma weak tls_data_here

enum { CHUNK = 16384, GRACE_S = 2 };
enum { NO_DATA, DATA, UNTOLD_DATA = 0xff };

/* What each side says to the other once they trust each other. */
static const uint8_t greeting[TLS_SIDES][16] = {"hello from here", "and from here.."};

/* A connection. `gone`: the peer takes no more data, though data that it sent may still be there; `ended`: it said so.
 */
typedef struct line {
    int fd, ms;
    int64_t until_ms;
    int gone, ended;
} line;

static line connection = {.fd = -1};

static int64_t now_ms(void)
{
    struct timespec now = {0};

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* 1 if the peer can be heard, or spoken to, before the time is over. */
static int ready(const line *to, short what)
{
    for (;;) {
        struct pollfd one = {.fd = to->fd, .events = what};
        int64_t left = to->until_ms - now_ms();
        int n = left > 0 ? poll(&one, 1, (int)left) : 0;

        if (n >= 0 || errno != EINTR)
            return n > 0;
    }
}

/* Passes on the data that the library sent since the last time. A failure is not reported here: the library may have
 * reported a better reason. */
static void pass_on(line *to, tls_case *s, int side)
{
    uint8_t bytes[CHUNK];
    size_t n;

    while ((n = tls_receive(&s->end[TLS_SIDES - 1 - side], bytes, sizeof bytes)) > 0)
        for (size_t at = 0; at < n && !to->gone;) {
            ssize_t sent;

            if (!ready(to, POLLOUT))
                return;
            sent = send(to->fd, bytes + at, n - at, MSG_DONTWAIT);
            if (sent >= 0)
                at += (size_t)sent;
            else
                to->gone = errno != EINTR && errno != EAGAIN;
        }
}

static int late(const line *to)
{
    char text[80];

    snprintf(text, sizeof text, "time-out: the peer said nothing for %d ms", to->ms);
    return cs_fail(text);
}

/* CS_OK if there is something new for the library. */
static int hear(line *to, tls_case *s, int side)
{
    uint8_t bytes[CHUNK];
    ssize_t n;

    do {
        if (!ready(to, POLLIN))
            return late(to);
        n = recv(to->fd, bytes, sizeof bytes, MSG_DONTWAIT);
    } while (n < 0 && (errno == EINTR || errno == EAGAIN));
    if (n < 0)
        return cs_fail("the peer reset the connection");
    to->ended = n == 0;
    if (n == 0)
        return cs_fail("the peer closed the connection");
    if (!tls_send(&s->end[TLS_SIDES - 1 - side], bytes, (size_t)n))
        return cs_fail("the peer sends more than any handshake has");
    return CS_OK;
}

static int shake_hands(line *to, tls_case *s, int side)
{
    s->timed = TLS_SIDES;
    if (tls_here.open(s, side) != CS_OK)
        return CS_ERROR;
    s->opened[side] = 1;
    for (;;) {
        int state = tls_here.step(s, side);

        pass_on(to, s, side);
        if (state == TLS_DONE)
            return CS_OK;
        if (state == TLS_REFUSED)
            return CS_REJECTED;
        if (state != TLS_WAITS || hear(to, s, side) != CS_OK)
            return CS_ERROR;
    }
}

/* Both speak first and listen then. A peer that cannot speak ends: there was no data. */
static int exchange(line *to, tls_case *s, int side, int *data)
{
    const size_t len = sizeof greeting[side];
    uint8_t bytes[sizeof greeting[side]];
    size_t at = 0;

    if (!tls_data_here.write(s, side, greeting[side], (int)len))
        return cs_fail("data could not be sent");
    pass_on(to, s, side);
    while (at < len) {
        int n = tls_data_here.read(s, side, bytes + at, (int)(len - at));

        if (n < 0)
            return CS_ERROR;
        at += (size_t)n;
        if (n == 0 && hear(to, s, side) != CS_OK) {
            *data = NO_DATA;
            return at == 0 && to->ended ? CS_OK : CS_ERROR;
        }
    }
    *data = DATA;
    return memcmp(bytes, greeting[TLS_SIDES - 1 - side], len) == 0 ? CS_OK : cs_fail("other data came than were sent");
}

static uint8_t *put(uint8_t *to, const tls_agreed *agreed)
{
    const int fields[] = {agreed->version, agreed->suite, agreed->group, agreed->signature};

    for (size_t i = 0; i < CS_COUNT(fields); i++) {
        *to++ = (uint8_t)(fields[i] >> 8);
        *to++ = (uint8_t)fields[i];
    }
    *to++ = (uint8_t)agreed->resumed;
    return to;
}

/* The output: the parameters by this side, those that the wire shows, and whether data came. */
static int play(cs_case *c, int side)
{
    tls_case *s = c->state;
    tls_agreed own = {.version = TLS_UNTOLD,
                      .suite = TLS_UNTOLD,
                      .group = TLS_UNTOLD,
                      .signature = TLS_UNTOLD,
                      .resumed = TLS_UNTOLD};
    tls_agreed wire;
    line *to = &connection;
    uint8_t *end;
    int status, data = UNTOLD_DATA;

    if (to->fd < 0)
        return cs_fail("there is no connection, or it has served");
    to->until_ms = now_ms() + to->ms;
    /* Ends a library that does not come back. */
    alarm((unsigned)(to->ms / 1000) + GRACE_S);
    status = shake_hands(to, s, side);
    if (status == CS_OK && &tls_data_here != NULL)
        status = exchange(to, s, side, &data);
    alarm(0);
    /* No more data will be sent. Data that the peer sends after its last flight still have a reader. */
    shutdown(to->fd, SHUT_WR);
    to->fd = -1;
    if (status != CS_OK)
        return status;
    tls_here.told(s, side, &own);
    tls_look(s, &wire);
    end = put(put(c->out, &own), &wire);
    *end++ = (uint8_t)data;
    c->out_len = (size_t)(end - c->out);
    return CS_OK;
}

static int play_client(cs_case *c)
{
    return play(c, TLS_CLIENT);
}

static int play_server(cs_case *c)
{
    return play(c, TLS_SERVER);
}

int tls_peer_main(const cs_library *library, int argc, char **argv)
{
    const char *given = getenv("TLS_PEER");
    cs_library peer = *library;
    size_t n_rows;
    cs_op *rows = tls_copied_rows(library, &n_rows);

    if (rows == NULL)
        return 1;
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    if (given != NULL && sscanf(given, "%d,%d", &connection.fd, &connection.ms) != 2)
        connection.fd = -1;
    for (size_t i = 0; i < n_rows; i++) {
        if (rows[i].call == tls_client_call)
            rows[i].call = play_client;
        else if (rows[i].call == tls_server_call)
            rows[i].call = play_server;
    }
    const cs_table table = {rows, n_rows};
    peer.tables = CS_TABLES(&table);
    return cs_worker_main(&peer, argc, argv);
}
