/* SPDX-License-Identifier: Apache-2.0
 *
 * How a library answers a peer that sends nonsense. Untimed, and reported as facts: each kind of answer has a name. A
 * library that crashes ends only its own process.
 */
#include "tls.h"

#include <string.h>

enum { TRIES = 256, SEED = 12 };

/* SplitMix64, as in PROTOCOL.md section 2. */
static uint64_t next(tls_case *s)
{
    uint64_t z = s->seed += 0x9e3779b97f4a7c15u;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static void all_of(tls_case *s, int side, uint8_t *bytes, size_t len, int which)
{
    if (side == which)
        for (size_t i = 0; i < len; i++)
            bytes[i] = (uint8_t)next(s);
}

static void garbage_from_client(tls_case *s, int side, uint8_t *bytes, size_t len)
{
    all_of(s, side, bytes, len, TLS_CLIENT);
}

static void garbage_from_server(tls_case *s, int side, uint8_t *bytes, size_t len)
{
    all_of(s, side, bytes, len, TLS_SERVER);
}

/* One bit, in one of the sends of the first two flights. */
static void one_bit(tls_case *s, int side, uint8_t *bytes, size_t len)
{
    (void)side;
    if (s->meddled || len == 0 || next(s) % 3 != 0)
        return;
    s->meddled = 1;
    bytes[next(s) % len] ^= (uint8_t)(1u << next(s) % 8);
}

static const char *outcome(int status)
{
    return status == CS_OK ? "completed" : status == CS_REJECTED ? "certificate refused" : "refused";
}

static int tried(tls_case *s, void (*meddle)(tls_case *, int, uint8_t *, size_t))
{
    int status;

    s->meddled = 0;
    s->meddle = meddle;
    status = tls_connect(s);
    s->meddle = NULL;
    tls_disconnect(s);
    return status;
}

void tls_try_nonsense(tls_case *s, cs_facts *sink)
{
    uint64_t changed = 0, completed = 0;

    s->seed = SEED;
    cs_fact_text(sink, "garbage_client", outcome(tried(s, garbage_from_client)));
    cs_fact_text(sink, "garbage_server", outcome(tried(s, garbage_from_server)));
    for (int i = 0; i < TRIES; i++) {
        int status = tried(s, one_bit);

        changed += s->meddled;
        completed += s->meddled && status == CS_OK;
    }
    cs_fact_number(sink, "changed_flights", changed);
    cs_fact_number(sink, "changed_completed", completed);
}
