/* SPDX-License-Identifier: Apache-2.0
 *
 * What an open connection keeps: some hundred are opened one after another, each has sent and got a message, and what
 * the heap of each side grew by is divided by their number. Counted, where a counter of the heap is loaded.
 */
#include "data.h"

#include <string.h>

/* An adapter may have none. */
#pragma weak tls_data_here
#pragma weak tls_idle_here

enum { FIRST = 16, MORE = 240, OPEN = FIRST + MORE }; /* the first ones fill what a library keeps for all */

static int say(tls_case *s, int from)
{
    static const uint8_t said[] = "a message each way";
    uint8_t heard[sizeof said];
    int to = TLS_SIDES - 1 - from;
    int64_t before = cs_heap_bytes(), between;
    int done = tls_data_here.write(s, from, said, sizeof said);

    between = cs_heap_bytes();
    for (size_t at = 0; done && at < sizeof said;) {
        int n = tls_data_here.read(s, to, heard + at, (int)(sizeof said - at));

        done = n > 0;
        at += done ? (size_t)n : 0;
    }
    s->ledger[from] += between - before;
    s->ledger[to] += cs_heap_bytes() - between;
    return done && memcmp(said, heard, sizeof said) == 0;
}

/* How many were opened, each side's in its row. */
static size_t open_all(tls_case *s, void *open[TLS_SIDES][OPEN], int64_t after_first[TLS_SIDES])
{
    size_t n = 0;

    for (; n < OPEN; n++) {
        if (n == FIRST)
            memcpy(after_first, s->ledger, TLS_SIDES * sizeof *after_first);
        if (tls_connect(s) != CS_OK || !say(s, TLS_CLIENT) || !say(s, TLS_SERVER))
            break;
        for (int side = 0; side < TLS_SIDES; side++) {
            open[side][n] = tls_idle_here.part(s, side);
            s->opened[side] = 0;
        }
    }
    tls_disconnect(s);
    return n;
}

static void close_all(tls_case *s, void *open[TLS_SIDES][OPEN], size_t n)
{
    for (size_t i = 0; i < n; i++) {
        tls_begin(s);
        for (int side = 0; side < TLS_SIDES; side++) {
            tls_idle_here.join(s, side, open[side][i]);
            s->opened[side] = 1;
        }
        tls_disconnect(s);
    }
}

void tls_hold(tls_case *s, cs_facts *sink)
{
    static const char *const names[TLS_SIDES] = {"idle_client_bytes", "idle_server_bytes"};
    static void *open[TLS_SIDES][OPEN];
    int64_t ledger[TLS_SIDES] = {0, 0}, after_first[TLS_SIDES] = {0, 0};
    size_t n = OPEN;

    if (&tls_idle_here == NULL || &tls_data_here == NULL)
        return;
    if (tls_idle_here.part != NULL) {
        if (cs_heap_bytes() < 0)
            return;
        s->ledger = ledger;
        n = open_all(s, open, after_first);
        close_all(s, open, n);
        s->ledger = NULL;
    }
    if (n < OPEN)
        return;
    for (int side = 0; side < TLS_SIDES; side++) {
        int64_t grown = (ledger[side] - after_first[side]) / MORE;

        if (grown >= 0)
            cs_fact_number(sink, names[side], (uint64_t)grown + tls_idle_here.callers[side]);
    }
    cs_fact_number(sink, "idle_connections", MORE);
}
