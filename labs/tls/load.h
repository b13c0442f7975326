/* SPDX-License-Identifier: Apache-2.0
 *
 * load.c and load_line.c: what is asked for, what it costs, and handshakes over a connection of TCP.
 */
#ifndef CIPHERSTONE_LAB_TLS_LOAD_H
#define CIPHERSTONE_LAB_TLS_LOAD_H

#include "tls.h"

#include <netinet/in.h>
#include <time.h>

typedef struct load_wish {
    int side, where; /* the port, or what listens */
    unsigned count, seconds;
    char address[INET_ADDRSTRLEN];
    int one, apart, nagle, up;
} load_wish;

/* The cost of the last call, reported as facts. `sends`, `receives`: calls of the system; `done_ns`: from connecting,
 * or from making the object over a connection that is there, to the end of the handshake; `latencies`: how many of
 * those are known one by one. */
typedef struct load_cost {
    uint64_t received_bytes, sent_bytes, sends, receives, elapsed_ns, done_ns, cpu_ns, user_us, system_us;
    size_t latencies;
} load_cost;

/* The TCP connection. `kept`: its data are kept in the pipes, for the code that reads the wire; `silent`: further data
 * of the library are not sent; `lost`: why no more data can come. */
typedef struct load_line {
    int fd, kept, silent;
    const char *lost;
} load_line;

extern load_wish asked;
extern load_cost cost;
extern load_line line;

uint64_t load_ns(clockid_t clock);
/* CS_OK if there is a connection. */
int load_reach(void);
/* Of the side that is asked for; CS_OK, CS_REJECTED or CS_ERROR. */
int load_shake_hands(tls_case *s);
/* What this side says; `look`: and what the wire shows, which settles what the interface does not tell. */
int load_read_back(tls_case *s, int look, tls_agreed *agreed);
/* Frees the library's object, and ends the connection if it is the `last` over it. */
void load_part(tls_case *s, int last);
/* A whole handshake, over a new connection unless there is one. */
int load_connect(tls_case *s, int look, int last, tls_agreed *agreed);

#endif
