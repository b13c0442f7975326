/* SPDX-License-Identifier: Apache-2.0
 *
 * A worker that plays one side of many handshakes over TCP on this machine, one connection after the other, and tells
 * what they cost its process, and how long they took from connecting to their end. It is made of the same adapter as
 * peer.c, by -Dcs_worker_main=tls_load_main: rows, parameters, inputs and words of refusal are the laboratory's, and
 * only `call` is another one. Sockets block, as those of simple programs do; what a library sends in one step is one
 * send.
 *
 * TLS_LOAD=client,PORT,COUNT,SECONDS or server,DESCRIPTOR,COUNT,SECONDS: where to connect to on 127.0.0.1, or what
 * listens there; how many a call makes, and when at the latest it ends. A fifth word is another address than 127.0.0.1:
 * of the other end of a wire between two network namespaces.
 */
#include "tls.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <signal.h>
#include <sys/prctl.h>
#endif

#undef cs_worker_main
int cs_worker_main(const cs_library *library, int argc, char **argv);
int tls_load_main(const cs_library *library, int argc, char **argv);

enum { CHUNK = 16384, WAIT_S = 5, TICKETS_MOST = 4 };
#define NS_PER_S 1000000000

static struct {
    int side, where; /* the port, or what listens */
    unsigned count, seconds;
    char address[INET_ADDRSTRLEN];
} asked = {.side = TLS_SIDES, .address = "127.0.0.1"};

/* What the last call cost, told as facts. */
static struct {
    uint64_t received_bytes, elapsed_ns, done_ns, cpu_ns, user_us, system_us;
} cost;

/* ---- a connection ---- */

static uint64_t ns_of(clockid_t clock)
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
           setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one) == 0;
}

/* Negative if there is no peer. */
static int reach(void)
{
    struct sockaddr_in to = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)asked.where), .sin_addr.s_addr = inet_addr(asked.address)};
    int fd = asked.side == TLS_SERVER ? accept(asked.where, NULL, NULL) : socket(AF_INET, SOCK_STREAM, 0);

    if (fd < 0)
        return -1;
    if (waits_no_longer(fd) && (asked.side == TLS_SERVER || connect(fd, (const struct sockaddr *)&to, sizeof to) == 0))
        return fd;
    close(fd);
    return -1;
}

static int pass_on(int fd, tls_case *s, int side)
{
    uint8_t bytes[CHUNK];
    size_t n;

    while ((n = tls_receive(&s->end[TLS_SIDES - 1 - side], bytes, sizeof bytes)) > 0)
        for (size_t at = 0; at < n;) {
            ssize_t sent = send(fd, bytes + at, n - at, MSG_NOSIGNAL);

            if (sent < 0 && errno != EINTR)
                return 0;
            at += sent > 0 ? (size_t)sent : 0;
        }
    return 1;
}

/* CS_OK if there is something new for the library. */
static int hear(int fd, tls_case *s, int side)
{
    uint8_t bytes[CHUNK];
    ssize_t n;

    do {
        n = recv(fd, bytes, sizeof bytes, 0);
    } while (n < 0 && errno == EINTR);
    if (n < 0)
        return cs_fail(errno == EAGAIN ? "time-out: the peer says nothing" : "the peer reset the connection");
    if (n == 0)
        return cs_fail("the peer closed the connection");
    if (!tls_send(&s->end[TLS_SIDES - 1 - side], bytes, (size_t)n))
        return cs_fail("the peer sends more than any handshake has");
    return CS_OK;
}

static int shake_hands(int fd, tls_case *s, int side)
{
    for (int pipe = 0; pipe < TLS_SIDES; pipe++)
        s->pipe[pipe].written = s->pipe[pipe].read = s->pipe[pipe].sends = 0;
    s->timed = TLS_SIDES;
    if (tls_here.open(s, side) != CS_OK)
        return CS_ERROR;
    s->opened[side] = 1;
    for (;;) {
        int state = tls_here.step(s, side);

        if (!pass_on(fd, s, side) && state == TLS_WAITS)
            return cs_fail("the peer takes no more");
        if (state == TLS_DONE)
            return CS_OK;
        if (state == TLS_REFUSED)
            return CS_REJECTED;
        if (state != TLS_WAITS)
            return CS_ERROR;
        if (hear(fd, s, side) != CS_OK)
            return CS_ERROR;
    }
}

/* The ticket of TLS 1.3 comes behind the handshake. */
static int keep_ticket(int fd, tls_case *s, int side)
{
    for (int i = 0; i < TICKETS_MOST; i++) {
        if (s->wish.version == TLS_1_3 && hear(fd, s, side) != CS_OK)
            return CS_ERROR;
        if (tls_here.keep(s) == CS_OK)
            return CS_OK;
    }
    return CS_ERROR;
}

/* Until the peer has closed too: then it has no more work with this connection. What comes are tickets. */
static void wait_for_end(int fd)
{
    uint8_t bytes[CHUNK];
    ssize_t n;

    shutdown(fd, SHUT_WR);
    do {
        n = recv(fd, bytes, sizeof bytes, 0);
        cost.received_bytes += n > 0 ? (uint64_t)n : 0;
    } while (n > 0 || (n < 0 && errno == EINTR));
}

static int connect_once(tls_case *s, tls_agreed *agreed)
{
    uint64_t began = ns_of(CLOCK_MONOTONIC);
    int side = asked.side, fd = reach(), status;

    if (fd < 0)
        return cs_fail(side == TLS_SERVER ? "nobody connects" : "nobody listens");
    status = shake_hands(fd, s, side);
    cost.done_ns += ns_of(CLOCK_MONOTONIC) - began;
    if (status == CS_OK) {
        *agreed = (tls_agreed){.version = TLS_UNTOLD,
                               .suite = TLS_UNTOLD,
                               .group = TLS_UNTOLD,
                               .signature = TLS_UNTOLD,
                               .resumed = TLS_UNTOLD};
        tls_here.told(s, side, agreed);
        if (s->first && side == TLS_CLIENT)
            status = keep_ticket(fd, s, side);
    }
    cost.received_bytes += s->pipe[TLS_SIDES - 1 - side].written;
    /* A server hears of the end first: who ends a connection is left with its port. */
    if (side == TLS_CLIENT)
        wait_for_end(fd);
    if (s->opened[side])
        tls_here.close(s, side);
    s->opened[side] = 0;
    if (side == TLS_SERVER)
        wait_for_end(fd);
    close(fd);
    return status;
}

/* ---- a call ---- */

static uint64_t us_between(struct timeval before, struct timeval after)
{
    return (uint64_t)(after.tv_sec - before.tv_sec) * 1000000 + (uint64_t)after.tv_usec - (uint64_t)before.tv_usec;
}

static int alike(const tls_agreed *one, const tls_agreed *other)
{
    return one->version == other->version && one->suite == other->suite && one->group == other->group &&
           one->signature == other->signature && one->resumed == other->resumed;
}

static int connect_all(tls_case *s, uint32_t count, tls_agreed *agreed)
{
    tls_agreed one = {0};

    for (uint32_t i = 0; i < count; i++) {
        int status = connect_once(s, &one);

        if (status != CS_OK)
            return status;
        if (i == 0)
            *agreed = one;
        else if (!alike(agreed, &one))
            return cs_fail("two handshakes agreed on different things");
    }
    return CS_OK;
}

/* The output is how many there were, and what this side says of each of them. Where they are to resume, the first call
 * makes one handshake, which leaves the ticket. */
static int play(cs_case *c)
{
    tls_case *s = c->state;
    uint32_t count = s->first ? 1 : asked.count;
    uint64_t elapsed = ns_of(CLOCK_MONOTONIC), cpu = ns_of(CLOCK_PROCESS_CPUTIME_ID);
    struct rusage before, after;
    tls_agreed agreed = {0};
    uint8_t *to = c->out;
    int status;

    if (asked.side == TLS_SIDES)
        return cs_fail("TLS_LOAD does not say with whom");
    cost.received_bytes = cost.done_ns = 0;
    getrusage(RUSAGE_SELF, &before);
    /* Ends a library that does not come back. */
    alarm(asked.seconds);
    status = connect_all(s, count, &agreed);
    alarm(0);
    getrusage(RUSAGE_SELF, &after);
    if (status != CS_OK)
        return status;
    s->first = 0;
    cost.cpu_ns = ns_of(CLOCK_PROCESS_CPUTIME_ID) - cpu;
    cost.elapsed_ns = ns_of(CLOCK_MONOTONIC) - elapsed;
    cost.user_us = us_between(before.ru_utime, after.ru_utime);
    cost.system_us = us_between(before.ru_stime, after.ru_stime);
    const int told[] = {(int)(count >> 16), (int)(count & 0xffff), agreed.version, agreed.suite,
                        agreed.group,       agreed.signature,      agreed.resumed};

    for (size_t i = 0; i < CS_COUNT(told); i++) {
        *to++ = (uint8_t)(told[i] >> 8);
        *to++ = (uint8_t)told[i];
    }
    c->out_len = (size_t)(to - c->out);
    return CS_OK;
}

static void tell(cs_case *c, cs_facts *sink)
{
    (void)c;
    cs_fact_number(sink, "received_bytes", cost.received_bytes);
    cs_fact_number(sink, "elapsed_ns", cost.elapsed_ns);
    cs_fact_number(sink, "done_ns", cost.done_ns);
    cs_fact_number(sink, "cpu_ns", cost.cpu_ns);
    cs_fact_number(sink, "user_us", cost.user_us);
    cs_fact_number(sink, "system_us", cost.system_us);
}

int tls_load_main(const cs_library *library, int argc, char **argv)
{
    const char *given = getenv("TLS_LOAD");
    cs_library load = *library;
    cs_op *rows = cs_alloc(library->n_ops * sizeof *rows);
    char side[8];

    if (rows == NULL)
        return 1;
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    if (given != NULL && sscanf(given, "%7[a-z],%d,%u,%u,%15[0-9.]", side, &asked.where, &asked.count, &asked.seconds,
                                asked.address) >= 4)
        asked.side = strcmp(side, "server") == 0 ? TLS_SERVER : TLS_CLIENT;
    tls_apart = 1;
    for (size_t i = 0; i < library->n_ops; i++) {
        rows[i] = library->ops[i];
        if (rows[i].call != tls_client_call && rows[i].call != tls_server_call)
            continue;
        rows[i].call = play;
        rows[i].facts = tell;
    }
    load.ops = rows;
    return cs_worker_main(&load, argc, argv);
}
