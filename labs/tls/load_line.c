/* SPDX-License-Identifier: Apache-2.0
 *
 * A side of a handshake over a blocking connection of TCP. What a library sends in one step is one send, unless its
 * callbacks are to be send and recv themselves.
 */
#include "load.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { CHUNK = 16384, WAIT_S = 5, TICKETS_MOST = 4 };
#define NS_PER_S 1000000000

load_wish asked = {.side = TLS_SIDES, .address = "127.0.0.1"};
load_cost cost;
load_line line = {.fd = -1};

uint64_t load_ns(clockid_t clock)
{
    struct timespec now = {0};

    clock_gettime(clock, &now);
    return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

static int waits_no_longer(int fd)
{
    const struct timeval wait = {.tv_sec = WAIT_S};
    const int one = 1;

    return setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait) == 0 &&
           setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &wait, sizeof wait) == 0 &&
           (asked.nagle || setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one) == 0);
}

int load_reach(void)
{
    struct sockaddr_in to = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)asked.where), .sin_addr.s_addr = inet_addr(asked.address)};
    int accepts = asked.side == TLS_SERVER;

    line.fd = accepts ? accept(asked.where, NULL, NULL) : socket(AF_INET, SOCK_STREAM, 0);
    if (line.fd >= 0 && waits_no_longer(line.fd) &&
        (accepts || connect(line.fd, (const struct sockaddr *)&to, sizeof to) == 0))
        return CS_OK;
    if (line.fd >= 0)
        close(line.fd);
    line.fd = -1;
    return cs_fail(accepts ? "no client connects" : "no server listens");
}

/* 1 if all was sent. */
static int put(const uint8_t *from, size_t len)
{
    for (size_t at = 0; at < len;) {
        ssize_t sent = send(line.fd, from + at, len - at, MSG_NOSIGNAL);

        cost.sends++;
        if (sent < 0 && errno != EINTR)
            return 0;
        at += sent > 0 ? (size_t)sent : 0;
    }
    cost.sent_bytes += len;
    return 1;
}

/* 0 if no more data comes; `line.lost` says why. */
static size_t get(uint8_t *to, size_t most)
{
    ssize_t n;

    do {
        n = recv(line.fd, to, most, 0);
        cost.receives++;
    } while (n < 0 && errno == EINTR);
    if (n > 0) {
        cost.received_bytes += (uint64_t)n;
        return (size_t)n;
    }
    line.lost = n == 0            ? "the peer closed the connection"
                : errno == EAGAIN ? "time-out: the peer says nothing"
                                  : "the peer reset the connection";
    return 0;
}

/* The callbacks of `apart`. */
static void note(tls_pipe *of, const uint8_t *bytes, size_t len)
{
    if (!line.kept || len > TLS_WIRE - of->written)
        return;
    memcpy(of->bytes + of->written, bytes, len);
    of->read = of->written += len;
}

static size_t receive(tls_case *s, int side, uint8_t *to, size_t most)
{
    size_t n = get(to, most);

    note(&s->pipe[TLS_SIDES - 1 - side], to, n);
    return n;
}

static int send_now(tls_case *s, int side, const uint8_t *from, size_t len)
{
    if (line.silent)
        return 1;
    note(&s->pipe[side], from, len);
    return put(from, len);
}

static const tls_transport apart = {receive, send_now};

static int pass_on(tls_case *s, int side)
{
    uint8_t bytes[CHUNK];
    size_t n;

    if (asked.apart)
        return 1;
    while ((n = tls_receive(&s->end[TLS_SIDES - 1 - side], bytes, sizeof bytes)) > 0)
        if (!put(bytes, n))
            return 0;
    return 1;
}

/* CS_OK if there is something new for the library. */
static int hear(tls_case *s, int side)
{
    uint8_t bytes[CHUNK];
    size_t n = asked.apart ? 0 : get(bytes, sizeof bytes);

    if (n == 0)
        return cs_fail(line.lost);
    if (!tls_send(&s->end[TLS_SIDES - 1 - side], bytes, n))
        return cs_fail("the peer sends more than any handshake has");
    return CS_OK;
}

int load_shake_hands(tls_case *s)
{
    int side = asked.side;

    for (int pipe = 0; pipe < TLS_SIDES; pipe++)
        s->pipe[pipe].written = s->pipe[pipe].read = s->pipe[pipe].sends = 0;
    s->timed = TLS_SIDES;
    s->transport = asked.apart ? &apart : NULL;
    line.kept = 1;
    line.lost = "the library waits, though its callback does not";
    if (tls_here.open(s, side) != CS_OK)
        return CS_ERROR;
    s->opened[side] = 1;
    for (;;) {
        int state = tls_here.step(s, side);

        if (!pass_on(s, side) && state == TLS_WAITS)
            return cs_fail("the peer takes no more");
        if (state == TLS_DONE)
            return CS_OK;
        if (state == TLS_REFUSED)
            return CS_REJECTED;
        if (state != TLS_WAITS)
            return CS_ERROR;
        if (hear(s, side) != CS_OK)
            return CS_ERROR;
    }
}

/* The parameters by this side's interface; those that it does not report are taken from the wire. */
int load_read_back(tls_case *s, int look, tls_agreed *agreed)
{
    tls_agreed wire;
    int *const own[] = {&agreed->version, &agreed->suite, &agreed->group, &agreed->signature, &agreed->resumed};
    const int *const seen[] = {&wire.version, &wire.suite, &wire.group, &wire.signature, &wire.resumed};

    *agreed = (tls_agreed){.version = TLS_UNTOLD,
                           .suite = TLS_UNTOLD,
                           .group = TLS_UNTOLD,
                           .signature = TLS_UNTOLD,
                           .resumed = TLS_UNTOLD};
    tls_here.told(s, asked.side, agreed);
    if (!look)
        return CS_OK;
    tls_look(s, &wire);
    for (size_t i = 0; i < CS_COUNT(own); i++) {
        if (*own[i] == TLS_UNTOLD)
            *own[i] = *seen[i];
        else if (*seen[i] != TLS_UNTOLD && *seen[i] != *own[i])
            return cs_fail("the library says that it agreed on something else than the wire shows");
    }
    return CS_OK;
}

/* The ticket of TLS 1.3 comes behind the handshake. */
static int keep_ticket(tls_case *s, int side)
{
    for (int i = 0; i < TICKETS_MOST; i++) {
        if (s->wish.version == TLS_1_3 && hear(s, side) != CS_OK)
            return CS_ERROR;
        if (tls_here.keep(s) == CS_OK)
            return CS_OK;
    }
    return CS_ERROR;
}

/* Waits until the peer has closed too: then it has no more work with this connection. The data that come are tickets.
 * These calls belong to no handshake. */
static void wait_for_end(void)
{
    uint64_t receives = cost.receives;
    uint8_t bytes[CHUNK];

    shutdown(line.fd, SHUT_WR);
    while (get(bytes, sizeof bytes) > 0)
        continue;
    cost.receives = receives;
}

/* Frees the library's object, and ends the connection if it is the `last` over it. The client tells the
 * server first: the side that ends a connection keeps its port in use. */
void load_part(tls_case *s, int last)
{
    int side = asked.side;

    if (last && side == TLS_CLIENT)
        wait_for_end();
    line.silent = 1;
    if (s->opened[side])
        tls_here.close(s, side);
    s->opened[side] = line.silent = 0;
    if (last && side == TLS_SERVER)
        wait_for_end();
    if (last) {
        close(line.fd);
        line.fd = -1;
    }
}

int load_connect(tls_case *s, int look, int last, tls_agreed *agreed)
{
    uint64_t began = load_ns(CLOCK_MONOTONIC);
    int side = asked.side, status;

    if (line.fd < 0 && load_reach() != CS_OK)
        return CS_ERROR;
    status = load_shake_hands(s);
    cost.done_ns += load_ns(CLOCK_MONOTONIC) - began;
    if (status == CS_OK)
        status = load_read_back(s, look, agreed);
    if (status == CS_OK && s->first && side == TLS_CLIENT)
        status = keep_ticket(s, side);
    load_part(s, last || status != CS_OK);
    return status;
}
