/* SPDX-License-Identifier: Apache-2.0
 *
 * What the wire shows of a handshake without any key: a witness that is no library's. TLS 1.2 shows all, TLS 1.3 hides
 * the signature. Lengths are checked against what is there; the bytes are a library's, so they are believed in nothing.
 */
#include "tls.h"

#include <string.h>

enum { RECORD = 5, MESSAGE = 4, CHANGE_CIPHER_SPEC = 20, HANDSHAKE = 22 };
enum { CLIENT_HELLO = 1, SERVER_HELLO = 2, CERTIFICATE = 11, SERVER_KEY_EXCHANGE = 12, CERTIFICATE_VERIFY = 15 };
enum { SESSION_TICKET = 35, PRE_SHARED_KEY = 41, EARLY_DATA = 42, SUPPORTED_VERSIONS = 43, KEY_SHARE = 51 };
enum { RANDOM = 32, NAMED_CURVE = 3 };

static size_t number(const uint8_t *at, size_t bytes)
{
    size_t value = 0;

    for (size_t i = 0; i < bytes; i++)
        value = value << 8 | at[i];
    return value;
}

/* The body of the record at `at`; its end, or 0 if it is not whole. */
static size_t record(const tls_pipe *from, size_t at, cs_span *body)
{
    size_t len;

    if (from->written - at < RECORD)
        return 0;
    len = number(from->bytes + at + 3, 2);
    if (len > from->written - at - RECORD)
        return 0;
    *body = (cs_span){from->bytes + at + RECORD, len};
    return at + RECORD + len;
}

/* The first message of a type; `data` is NULL if there is none. */
static cs_span message(cs_span plain, int type)
{
    while (plain.len >= MESSAGE) {
        size_t len = number(plain.data + 1, 3);

        if (len > plain.len - MESSAGE)
            break;
        if (plain.data[0] == type)
            return (cs_span){plain.data + MESSAGE, len};
        plain = (cs_span){plain.data + MESSAGE + len, plain.len - MESSAGE - len};
    }
    return (cs_span){NULL, 0};
}

/* Whether a ServerHello is a HelloRetryRequest: its random is a fixed one (RFC 8446 section 4.1.3). */
static int asks_again(cs_span hello)
{
    static const uint8_t asks[RANDOM] = {0xcf, 0x21, 0xad, 0x74, 0xe5, 0x9a, 0x61, 0x11, 0xbe, 0x1d, 0x8c,
                                         0x02, 0x1e, 0x65, 0xb8, 0x91, 0xc2, 0xa2, 0x11, 0x16, 0x7a, 0xbb,
                                         0x8c, 0x5e, 0x07, 0x9e, 0x09, 0xe2, 0xc8, 0xa8, 0x33, 0x9c};

    return hello.len >= 2 + RANDOM && memcmp(hello.data + 2, asks, RANDOM) == 0;
}

/* Handshake messages of a side up to the first record of another type, behind which everything is encrypted; but for
 * the one that only looks like a change of ciphers, behind a HelloRetryRequest. */
static cs_span plain_of(tls_case *s, int side)
{
    const tls_pipe *from = &s->pipe[side];
    size_t at = 0, len = 0, end;
    cs_span body;

    while ((end = record(from, at, &body)) != 0) {
        if (from->bytes[at] == HANDSHAKE) {
            memcpy(s->plain + len, body.data, body.len);
            len += body.len;
        } else if (from->bytes[at] != CHANGE_CIPHER_SPEC ||
                   !asks_again(message((cs_span){s->plain, len}, SERVER_HELLO))) {
            break;
        }
        at = end;
    }
    return (cs_span){s->plain, len};
}

static void look_at_extensions(cs_span all, tls_agreed *agreed)
{
    while (all.len >= 4) {
        size_t type = number(all.data, 2), len = number(all.data + 2, 2);

        if (len > all.len - 4)
            return;
        if (type == SUPPORTED_VERSIONS && len == 2)
            agreed->version = (int)number(all.data + 4, 2);
        if (type == KEY_SHARE && len >= 2)
            agreed->group = (int)number(all.data + 4, 2);
        if (type == PRE_SHARED_KEY)
            agreed->resumed = 1;
        all = (cs_span){all.data + 4 + len, all.len - 4 - len};
    }
}

/* Where a ClientHello has an extension; 0 if nowhere. */
static size_t extension(cs_span hello, size_t type)
{
    size_t at = 2 + RANDOM;

    for (size_t lengths = 0; lengths < 3; lengths++) { /* of the session id, the suites and the compressions */
        size_t bytes = lengths == 1 ? 2 : 1;

        if (at + bytes > hello.len)
            return 0;
        at += bytes + number(hello.data + at, bytes);
    }
    for (at += 2; at + 4 <= hello.len; at += 4 + number(hello.data + at + 2, 2))
        if (number(hello.data + at, 2) == type)
            return at;
    return 0;
}

/* Whether a ClientHello has a ticket of TLS 1.2. */
static int has_ticket(cs_span hello)
{
    size_t at = extension(hello, SESSION_TICKET);

    return at > 0 && number(hello.data + at + 2, 2) > 0;
}

static void look_at_hello(cs_span hello, tls_agreed *agreed)
{
    size_t at = 2 + RANDOM;

    if (hello.data == NULL || hello.len < at + 1)
        return;
    agreed->version = (int)number(hello.data, 2);
    at += 1 + hello.data[at];
    if (hello.len < at + 3)
        return;
    agreed->suite = (int)number(hello.data + at, 2);
    at += 3;
    if (hello.len >= at + 2)
        look_at_extensions((cs_span){hello.data + at + 2, hello.len - at - 2}, agreed);
}

/* Whether a ClientHello offers our external key, and first (RFC 8446 section 4.2.11). */
static int offers_key(cs_span hello)
{
    static const char name[] = TLS_IDENTITY;
    enum { LISTED = 4 + 2 + 2, NAMED = sizeof name - 1 };
    size_t at = extension(hello, PRE_SHARED_KEY);

    return at > 0 && hello.len - at >= LISTED + NAMED && number(hello.data + at + 6, 2) == NAMED &&
           memcmp(hello.data + at + LISTED, name, NAMED) == 0;
}

static void look_at_exchange(cs_span exchange, tls_agreed *agreed)
{
    size_t at;

    if (agreed->psk) { /* what the key is called stands before it (RFC 4279 section 2) */
        at = exchange.len >= 2 ? 2 + number(exchange.data, 2) : exchange.len;
        if (at > exchange.len)
            return;
        exchange = (cs_span){exchange.data + at, exchange.len - at};
    }
    if (exchange.len < 4 || exchange.data[0] != NAMED_CURVE)
        return;
    at = 4u + exchange.data[3];
    agreed->group = (int)number(exchange.data + 1, 2);
    if (exchange.len >= at + 2)
        agreed->signature = (int)number(exchange.data + at, 2);
}

void tls_look(tls_case *s, tls_agreed *agreed)
{
    cs_span plain = plain_of(s, TLS_SERVER), hello = message(plain, SERVER_HELLO), proof;

    *agreed = (tls_agreed){TLS_UNTOLD, TLS_UNTOLD, TLS_UNTOLD, TLS_UNTOLD, 0, TLS_UNTOLD, asks_again(hello)};
    if (agreed->retried) {
        const uint8_t *behind = hello.data + hello.len;

        hello = message((cs_span){behind, (size_t)(plain.data + plain.len - behind)}, SERVER_HELLO);
    }
    look_at_hello(hello, agreed);
    agreed->psk = agreed->version == TLS_1_2
                      ? agreed->suite == TLS_ECDHE_PSK_CHACHA20_POLY1305
                      : agreed->resumed && offers_key(message(plain_of(s, TLS_CLIENT), CLIENT_HELLO));
    agreed->early = extension(message(plain_of(s, TLS_CLIENT), CLIENT_HELLO), EARLY_DATA) > 0;
    plain = plain_of(s, TLS_SERVER);
    if (agreed->version == TLS_1_2) {
        cs_span exchange = message(plain, SERVER_KEY_EXCHANGE);

        agreed->resumed = message(plain, CERTIFICATE).data == NULL && !agreed->psk;
        if (exchange.data != NULL)
            look_at_exchange(exchange, agreed);
        else
            agreed->group = 0;
        plain = plain_of(s, TLS_CLIENT);
        proof = message(plain, CERTIFICATE_VERIFY);
        agreed->ticket = has_ticket(message(plain, CLIENT_HELLO));
        agreed->client_signature = proof.len >= 2 ? (int)number(proof.data, 2) : 0;
    }
    if (agreed->psk)
        agreed->resumed = 0;
    if (agreed->resumed || agreed->psk)
        agreed->signature = 0;
}

void tls_count_side(const tls_case *s, int side, size_t *bytes, size_t *records, size_t *sends)
{
    const tls_pipe *from = &s->pipe[side];
    cs_span body;

    *bytes = from->written;
    *sends = from->sends;
    *records = 0;
    for (size_t at = 0; (at = record(from, at, &body)) != 0;)
        ++*records;
}

void tls_count(tls_case *s, tls_counts *counts)
{
    cs_span hello = plain_of(s, TLS_CLIENT);

    *counts = (tls_counts){.flights = s->flights};
    counts->hello = hello.len >= MESSAGE ? MESSAGE + number(hello.data + 1, 3) : 0;
    for (int side = 0; side < TLS_SIDES; side++)
        tls_count_side(s, side, &counts->bytes[side], &counts->records[side], &counts->sends[side]);
}
