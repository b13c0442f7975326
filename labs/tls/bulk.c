/* SPDX-License-Identifier: Apache-2.0
 *
 * Application data: the server writes the message of the case, the client reads it, over a connection that setup
 * opened. One of the two is timed, as in a handshake. What came and what was agreed on is the output.
 *
 * An input `flip` names a bit of what is sent, which is changed on its way: the reader must refuse.
 */
#include "data.h"

#include <string.h>

/* An adapter may have none. */
#pragma weak tls_data_here

enum { WRITER = TLS_SERVER, READER = TLS_CLIENT };
enum { HEAD = 5, FLIP = 6, SPOILT = 0x5a };
enum { MOST = TLS_WIRE / 2 }; /* of a message; records of 100 bytes add a third */

const char *tls_no_data(const cs_op *op)
{
    (void)op;
    return &tls_data_here != NULL ? NULL : "not in this adapter";
}

static size_t number(const uint8_t *at, size_t bytes)
{
    size_t value = 0;

    for (size_t i = 0; i < bytes; i++)
        value = value << 8 | at[i];
    return value;
}

/* `flip`: the number of a record, 2 bytes, and of a bit of what stands behind its head, 4 bytes, counted from the end
 * if it is negative. 1 if there is that bit. */
static int change(tls_case *s, cs_span flip)
{
    tls_pipe *sent = &s->pipe[WRITER];
    size_t at = 0, len = 0, left = number(flip.data, 2);
    int32_t bit = (int32_t)(uint32_t)number(flip.data + 2, 4);

    for (;; at += HEAD + len) {
        if (sent->written - at < HEAD)
            return 0;
        len = number(sent->bytes + at + 3, 2);
        if (len > sent->written - at - HEAD)
            return 0;
        if (left-- == 0)
            break;
    }
    if (bit < 0)
        bit += (int32_t)(8 * len);
    if (bit < 0 || (size_t)bit >= 8 * len)
        return 0;
    sent->bytes[at + HEAD + (size_t)bit / 8] ^= (uint8_t)(0x80u >> bit % 8);
    return 1;
}

static int connect_again(tls_case *s)
{
    int timed = s->timed, status;

    tls_disconnect(s);
    status = tls_connect(s);
    tls_look(s, &s->wire);
    s->timed = timed;
    return status == CS_OK ? CS_OK : CS_ERROR;
}

static int write_all(tls_case *s, cs_span message, size_t each)
{
    for (size_t at = 0, n; at < message.len; at += n) {
        n = message.len - at < each ? message.len - at : each;
        if (!tls_data_here.write(s, WRITER, message.data + at, (int)n))
            return cs_fail("data could not be sent");
    }
    return CS_OK;
}

static int read_all(tls_case *s, uint8_t *to, size_t len)
{
    for (size_t at = 0; at < len;) {
        int n = tls_data_here.read(s, READER, to + at, (int)(len - at));

        if (n < 0)
            return CS_REJECTED;
        if (n == 0)
            return cs_fail("the reader waits for more than was sent");
        at += (size_t)n;
    }
    return CS_OK;
}

/* Between the writer's work and the reader's: what came before is not what comes now. */
static int deliver(cs_case *c, tls_case *s)
{
    cs_span flip = cs_input(c, "flip");

    memset(c->out, SPOILT, c->msg.len + TLS_AGREED);
    return flip.data == NULL || change(s, flip) ? CS_OK : cs_fail("there is no such bit");
}

static int call(cs_case *c, int timed)
{
    tls_case *s = c->state;
    int other = TLS_SIDES - 1 - timed, status = CS_OK;

    s->timed = timed;
    s->away = 0;
    if (!s->opened[WRITER]) { /* what was refused is closed, and an adapter may have had to make room */
        tls_turn(s, other);
        status = connect_again(s);
    }
    tls_turn(s, WRITER);
    tls_begin(s);
    if (status == CS_OK)
        status = write_all(s, c->msg, (size_t)s->wish.write);
    if (timed == WRITER)
        tls_turn(s, READER);
    if (status == CS_OK)
        status = deliver(c, s);
    tls_turn(s, READER);
    if (status == CS_OK)
        status = read_all(s, c->out, c->msg.len);
    tls_turn(s, other);
    if (status == CS_OK)
        status = tls_report(s, &s->wire, c->out + c->msg.len);
    if (status == CS_OK)
        c->out_len = c->msg.len + TLS_AGREED;
    else
        tls_disconnect(s);
    s->timed = timed;
    tls_turn(s, timed);
    return status;
}

int tls_write_call(cs_case *c)
{
    return call(c, WRITER);
}

int tls_read_call(cs_case *c)
{
    return call(c, READER);
}

int tls_bulk_setup(cs_case *c)
{
    cs_span flip = cs_input(c, "flip");
    tls_case *s;
    int status = tls_setup(c);

    if (status != CS_OK)
        return status;
    s = c->state;
    s->wish.write = (int)cs_param_number(c, "write", 0);
    if (s->wish.write <= 0 || c->msg.len == 0 || c->msg.len > MOST || c->out_cap < c->msg.len + TLS_AGREED ||
        (flip.data != NULL && flip.len != FLIP))
        return tls_give_up(c, cs_fail("parameters or inputs that this laboratory does not know"));
    status = connect_again(s);
    return status == CS_OK ? CS_OK : tls_give_up(c, status);
}

void tls_bulk_facts(cs_case *c, cs_facts *sink)
{
    size_t bytes, records, sends;

    if (call(c, WRITER) != CS_OK)
        return;
    tls_count_side(c->state, WRITER, &bytes, &records, &sends);
    cs_fact_number(sink, "payload_bytes", c->msg.len);
    cs_fact_number(sink, "wire_bytes", bytes);
    cs_fact_number(sink, "wire_records", records);
    cs_fact_number(sink, "wire_sends", sends);
}
