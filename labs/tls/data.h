/* SPDX-License-Identifier: Apache-2.0
 *
 * What an adapter may bring beside handshakes: application data, and connections that stay open. Without either it has
 * rows that say so, and peers (peer.c) that only shake hands.
 */
#ifndef CIPHERSTONE_LAB_TLS_DATA_H
#define CIPHERSTONE_LAB_TLS_DATA_H

#include "tls.h"

typedef struct tls_data {
    /* 1 if all was sent, in as many records as it takes. */
    int (*write)(tls_case *s, int side, const uint8_t *from, int len);
    /* How many bytes came; 0 if the library waits for more of the peer, negative if it failed. */
    int (*read)(tls_case *s, int side, uint8_t *to, int most);
} tls_data;

extern const tls_data tls_data_here;

/* `part` hands over the open connection of a side, so that another may be opened; `join` takes one back, to be closed.
 * While `s->ledger` is set a connection has all of its memory to itself and on the heap. Both are NULL of a library
 * that allocates nothing: then `callers` says how many bytes a connection of each side is, else it is 0. */
typedef struct tls_idle {
    void *(*part)(tls_case *s, int side);
    void (*join)(tls_case *s, int side, void *connection);
    size_t callers[TLS_SIDES];
} tls_idle;

extern const tls_idle tls_idle_here;

#endif
