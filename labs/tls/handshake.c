/* SPDX-License-Identifier: Apache-2.0
 *
 * A handshake, step by step: a side goes on until it waits for the other. Making the connection object, the handshake
 * and freeing the object are a side's own; all that the other side does, and reading back what both agreed on, lies
 * between cs_aside_begin and cs_aside_end.
 */
#include "tls.h"

#include <string.h>

enum { COUNTED = 64 }; /* handshakes that are counted: a signature of ECDSA has 70 to 72 bytes */
enum { RESUMED = 1, RETRIED = 2, BY_SESSION = 4, BY_PSK = 8, WITH_EARLY = 16 };

int tls_apart;

/* ---- transport ---- */

size_t tls_receive(const tls_end *end, uint8_t *to, size_t most)
{
    tls_pipe *from = &end->of->pipe[TLS_SIDES - 1 - end->side];
    size_t there = from->written - from->read, n = there < most ? there : most;

    if (end->of->transport != NULL)
        return end->of->transport->receive(end->of, end->side, to, most);
    memcpy(to, from->bytes + from->read, n);
    from->read += n;
    return n;
}

int tls_send(const tls_end *end, const uint8_t *from, size_t len)
{
    tls_case *s = end->of;
    tls_pipe *to = &s->pipe[end->side];

    if (s->transport != NULL)
        return s->transport->send(s, end->side, from, len);
    if (len > TLS_WIRE - to->written)
        return 0;
    memcpy(to->bytes + to->written, from, len);
    if (s->meddle != NULL)
        s->meddle(s, end->side, to->bytes + to->written, len);
    to->written += len;
    to->sends++;
    if (s->last_sender != end->side)
        s->flights++;
    s->last_sender = end->side;
    return 1;
}

/* ---- stepping ---- */

void tls_turn(tls_case *s, int side)
{
    int away = side != s->timed;

    if (s->timed == TLS_SIDES || away == s->away)
        return;
    s->away = away;
    if (away)
        cs_aside_begin();
    else
        cs_aside_end();
}

void tls_begin(tls_case *s)
{
    s->flights = 0;
    s->early_length = 0;
    s->last_sender = TLS_SIDES;
    for (int side = 0; side < TLS_SIDES; side++)
        s->pipe[side].written = s->pipe[side].read = s->pipe[side].sends = 0;
}

static int go_on(tls_case *s, int side)
{
    if (!s->opened[side]) {
        if (tls_here.open(s, side) != CS_OK)
            return TLS_FAILED;
        s->opened[side] = 1;
    }
    return tls_here.step(s, side);
}

static int advance(tls_case *s, int side)
{
    int64_t before;
    int state;

    tls_turn(s, side);
    if (s->ledger == NULL)
        return go_on(s, side);
    before = cs_heap_bytes();
    state = go_on(s, side);
    s->ledger[side] += cs_heap_bytes() - before;
    return state;
}

static int connect_both(tls_case *s)
{
    int state[TLS_SIDES] = {TLS_WAITS, TLS_WAITS};

    tls_begin(s);
    while (state[TLS_CLIENT] != TLS_DONE || state[TLS_SERVER] != TLS_DONE) {
        size_t before = s->pipe[TLS_CLIENT].written + s->pipe[TLS_SERVER].written;
        int finished = 0;

        for (int side = 0; side < TLS_SIDES; side++) {
            if (state[side] == TLS_DONE)
                continue;
            state[side] = advance(s, side);
            if (state[side] == TLS_REFUSED)
                return CS_REJECTED;
            if (state[side] == TLS_FAILED)
                /* With external keys there is no certificate to refuse: a wrong key gives a failure. */
                return s->wish.external ? CS_REJECTED : CS_ERROR;
            finished |= state[side] == TLS_DONE;
        }
        if (!finished && s->pipe[TLS_CLIENT].written + s->pipe[TLS_SERVER].written == before)
            return cs_fail("each side waits for the other");
    }
    return CS_OK;
}

static void shut(tls_case *s, int side)
{
    if (!s->opened[side])
        return;
    tls_turn(s, side);
    tls_here.close(s, side);
    s->opened[side] = 0;
}

int tls_connect(tls_case *s)
{
    s->timed = TLS_SIDES;
    return connect_both(s);
}

void tls_disconnect(tls_case *s)
{
    s->timed = TLS_SIDES;
    shut(s, TLS_CLIENT);
    shut(s, TLS_SERVER);
}

/* ---- the parameters that were agreed on ---- */

/* A side's own word; where its interface has none the wire's, and where that hides it the other side's. 0 if the
 * library and the wire contradict each other. */
static int settle(int own, int wire, int other, int *to)
{
    if (own != TLS_UNTOLD && wire != TLS_UNTOLD && own != wire)
        return 0;
    *to = own != TLS_UNTOLD ? own : wire != TLS_UNTOLD ? wire : other;
    return 1;
}

static uint8_t *put16(uint8_t *to, int value)
{
    to[0] = (uint8_t)(value >> 8);
    to[1] = (uint8_t)value;
    return to + 2;
}

/* Whether the server got the early data that the client sent. */
static int early_came(const tls_case *s)
{
    return s->wish.early.data != NULL && s->early_length == s->wish.early.len &&
           memcmp(s->early, s->wish.early.data, s->early_length) == 0;
}

int tls_report(tls_case *s, const tls_agreed *wire, uint8_t *to)
{
    tls_agreed told[TLS_SIDES], found;

    for (int side = 0; side < TLS_SIDES; side++) {
        told[side] = (tls_agreed){TLS_UNTOLD, TLS_UNTOLD, TLS_UNTOLD, TLS_UNTOLD, TLS_UNTOLD};
        /* Without mutual authentication the client has no signature; an interface that reports one overwrites this. */
        told[side].client_signature = s->wish.mutual ? TLS_UNTOLD : 0;
        tls_here.told(s, side, &told[side]);
        /* Some interfaces report an external key as a session, others do not. */
        if (s->wish.external)
            told[side].resumed = TLS_UNTOLD;
    }
    for (int side = 0; side < TLS_SIDES; side++) {
        const tls_agreed *own = &told[side], *other = &told[TLS_SIDES - 1 - side];

        if (!settle(own->version, wire->version, other->version, &found.version) ||
            !settle(own->suite, wire->suite, other->suite, &found.suite) ||
            !settle(own->group, wire->group, other->group, &found.group) ||
            !settle(own->signature, wire->signature, other->signature, &found.signature) ||
            !settle(own->resumed, wire->resumed, other->resumed, &found.resumed) ||
            !settle(own->client_signature, wire->client_signature, other->client_signature, &found.client_signature))
            return cs_fail("the library says that it agreed on something else than the wire shows");
        to = put16(put16(put16(to, found.version), found.suite), found.group);
        to = put16(put16(to, found.signature), found.client_signature);
        *to++ = (uint8_t)((found.resumed ? RESUMED : 0) | (wire->retried ? RETRIED : 0) | (wire->psk ? BY_PSK : 0) |
                          (own->early && wire->early && early_came(s) ? WITH_EARLY : 0) |
                          (found.resumed && found.version == TLS_1_2 && !wire->ticket ? BY_SESSION : 0));
    }
    return CS_OK;
}

/* ---- a call ---- */

static int call(cs_case *c, int timed)
{
    tls_case *s = c->state;
    int status;

    s->timed = timed;
    s->away = 0;
    status = connect_both(s);
    tls_turn(s, TLS_SIDES - 1 - timed);
    if (status == CS_OK) {
        tls_look(s, &s->wire);
        status = tls_report(s, &s->wire, c->out);
        c->out_len = TLS_AGREED;
    }
    shut(s, timed);
    shut(s, TLS_SIDES - 1 - timed);
    tls_turn(s, timed);
    return status;
}

int tls_client_call(cs_case *c)
{
    return call(c, TLS_CLIENT);
}

int tls_server_call(cs_case *c)
{
    return call(c, TLS_SERVER);
}

/* ---- the parameters of a case ---- */

enum { FULL, TICKET, RETRY, SESSION, PSK, EARLY };

typedef struct word {
    const char *text;
    int number;
} word;

static const word versions[] = {{"1.2", TLS_1_2}, {"1.3", TLS_1_3}};
static const word groups_known[] = {{"p-256", TLS_P256},
                                    {"p-384", TLS_P384},
                                    {"x25519", TLS_X25519},
                                    {"x25519mlkem768", TLS_X25519MLKEM768},
                                    {"secp256r1mlkem768", TLS_SECP256R1MLKEM768}};
static const word certs[] = {{"p-256", TLS_CERT_P256},      {"p-384", TLS_CERT_P384},
                             {"rsa-2048", TLS_CERT_RSA},    {"rsa-3072", TLS_CERT_RSA},
                             {"ed25519", TLS_CERT_ED25519}, {"ml-dsa-65", TLS_CERT_MLDSA65}};
static const word modes[] = {{"full", FULL},       {"ticket", TICKET}, {"retry", RETRY},
                             {"session", SESSION}, {"psk", PSK},       {"early", EARLY}};
static const word ciphers[] = {{"aes-128-gcm", TLS_CIPHER_AES_128_GCM},
                               {"aes-256-gcm", TLS_CIPHER_AES_256_GCM},
                               {"chacha20-poly1305", TLS_CIPHER_CHACHA20_POLY1305}};
static const word auths[] = {{"mutual", 1}};
static const word chains[] = {{"1", 1}, {"2", 2}, {"3", 3}}; /* the inputs have them */
static const word issuers[] = {{"rsa-2048", 1}};             /* absent: of the leaf's kind */
/* Of TLS 1.3, and of 1.2 with keys of elliptic curves, of RSA and external ones. */
static const int suites[TLS_CIPHERS][4] = {{TLS_AES_128_GCM, TLS_ECDHE_ECDSA_AES_128_GCM, TLS_ECDHE_RSA_AES_128_GCM, 0},
                                           {TLS_AES_256_GCM, TLS_ECDHE_ECDSA_AES_256_GCM, TLS_ECDHE_RSA_AES_256_GCM, 0},
                                           {TLS_CHACHA20_POLY1305, TLS_ECDHE_ECDSA_CHACHA20_POLY1305,
                                            TLS_ECDHE_RSA_CHACHA20_POLY1305, TLS_ECDHE_PSK_CHACHA20_POLY1305}};

/* The number of a parameter's word; 0 if it is not given, -1 if it is not in `known`. */
static int read_word(const cs_case *c, const char *name, const word *known, size_t count)
{
    const char *text = cs_param_text(c, name);

    for (size_t i = 0; i < count && text != NULL; i++)
        if (strcmp(text, known[i].text) == 0)
            return known[i].number;
    return text == NULL ? 0 : -1;
}

#define READ_WORD(c, name, known) read_word(c, name, known, CS_COUNT(known))

static int signature_of(const tls_wish *wish)
{
    switch (wish->cert) {
    case TLS_CERT_P256:
        return TLS_ECDSA_P256;
    case TLS_CERT_P384:
        return TLS_ECDSA_P384;
    case TLS_CERT_ED25519:
        return TLS_ED25519;
    case TLS_CERT_MLDSA65:
        return TLS_MLDSA65;
    default:
        return wish->version == TLS_1_2 ? TLS_RSA_PKCS1 : TLS_RSA_PSS;
    }
}

/* 1 if the parameters are known here. */
static int read_wish(const cs_case *c, tls_wish *wish)
{
    int mode = READ_WORD(c, "mode", modes);

    wish->version = READ_WORD(c, "version", versions);
    wish->group = READ_WORD(c, "group", groups_known);
    if (wish->group == 0)
        wish->group = TLS_P256; /* all have it in both versions */
    wish->cert = READ_WORD(c, "cert", certs);
    wish->cipher = READ_WORD(c, "suite", ciphers);
    wish->mutual = READ_WORD(c, "auth", auths);
    wish->rsa_issuer = READ_WORD(c, "ca", issuers);
    if (wish->version <= 0 || wish->group < 0 || wish->cert < 0 || wish->cipher < 0 || wish->mutual < 0 || mode < 0 ||
        wish->rsa_issuer < 0 || READ_WORD(c, "chain", chains) < 0)
        return 0;
    wish->rsa_issuer &= wish->cert != TLS_CERT_RSA;
    wish->resumes = mode == TICKET || mode == EARLY;
    wish->session = mode == SESSION;
    if (mode == RETRY)
        wish->retries = wish->group == TLS_X25519 ? TLS_P256 : TLS_X25519;
    wish->signature = signature_of(wish);
    wish->external = mode == PSK;
    wish->suite = suites[wish->cipher][wish->version == TLS_1_3     ? 0
                                       : mode == PSK                ? 3
                                       : wish->cert == TLS_CERT_RSA ? 2
                                                                    : 1];
    return 1;
}

void tls_groups(const tls_wish *wish, int side, int groups[TLS_GROUPS])
{
    int curve = wish->cert == TLS_CERT_P256 ? TLS_P256 : wish->cert == TLS_CERT_P384 ? TLS_P384 : 0;
    size_t n = 0;

    if (side == TLS_CLIENT && wish->retries)
        groups[n++] = wish->retries;
    groups[n++] = wish->group;
    if (wish->version == TLS_1_2 && curve != 0 && curve != wish->group)
        groups[n++] = curve;
    groups[n] = 0;
}

/* The length of the element of DER that `bytes` begins with; 0 if there is none. */
static size_t element(cs_span bytes)
{
    size_t head = 2, body;

    if (bytes.len < 2)
        return 0;
    body = bytes.data[1];
    if (body >= 0x80) {
        size_t count = body & 0x7f;

        if (count > 2 || bytes.len < 2 + count)
            return 0;
        body = 0;
        for (size_t i = 0; i < count; i++)
            body = body << 8 | bytes.data[2 + i];
        head += count;
    }
    return head + body <= bytes.len ? head + body : 0;
}

static int read_inputs(const cs_case *c, tls_wish *wish)
{
    cs_span host = cs_input(c, "host"), time = cs_input(c, "time"), more = cs_input(c, "intermediates");

    wish->root = cs_input(c, "root");
    wish->key = c->key;
    wish->path[wish->path_length++] = cs_input(c, "leaf");
    while (more.len > 0 && more.data != NULL) {
        size_t len = element(more);

        if (len == 0 || wish->path_length == TLS_PATH)
            return 0;
        wish->path[wish->path_length++] = (cs_span){more.data, len};
        more = (cs_span){more.data + len, more.len - len};
    }
    for (size_t i = 0; i < time.len; i++)
        wish->time = (int64_t)((uint64_t)wish->time << 8 | time.data[i]);
    if (wish->mutual) {
        memcpy(wish->client_path, wish->path, sizeof wish->path);
        wish->client_path[0] = cs_input(c, "client");
        wish->client_key = cs_input(c, "client-key");
    }
    wish->psk[TLS_SERVER] = wish->psk[TLS_CLIENT] = cs_input(c, "psk");
    if (cs_input(c, "client-psk").data != NULL)
        wish->psk[TLS_CLIENT] = cs_input(c, "client-psk");
    wish->early = cs_input(c, "early");
    if (host.len >= TLS_HOST || wish->early.len >= TLS_EARLY || wish->external != (wish->psk[TLS_SERVER].data != NULL))
        return 0;
    memcpy(wish->host, host.data, host.len);
    return 1;
}

/* ---- rows ---- */

void tls_teardown(cs_case *c)
{
    tls_case *s = c->state;

    tls_disconnect(s);
    tls_here.teardown(s);
    cs_free(s);
    c->state = NULL;
}

/* For a setup that cannot go on: the SDK calls no teardown then. */
int tls_give_up(cs_case *c, int status)
{
    tls_teardown(c);
    return status == CS_OK ? CS_ERROR : status;
}

int tls_setup(cs_case *c)
{
    return tls_setup_with(c, NULL);
}

int tls_setup_with(cs_case *c, const tls_case *of)
{
    tls_case *s = c->state = cs_alloc(sizeof *s);
    int status;

    if (s == NULL)
        return CS_ERROR;
    for (int side = 0; side < TLS_SIDES; side++)
        s->end[side] = (tls_end){s, side};
    if (!read_wish(c, &s->wish) || !read_inputs(c, &s->wish) || c->out_cap < TLS_AGREED) {
        cs_free(s);
        return cs_fail("parameters or inputs that this laboratory does not know");
    }
    s->first = s->wish.resumes || s->wish.session;
    status = of == NULL ? tls_here.setup(s) : tls_here.share(s, of);
    if (status != CS_OK)
        return tls_give_up(c, status);
    if (s->first && !tls_apart) {
        if (tls_here.keep == NULL)
            return tls_give_up(c, cs_fail("nothing to resume by"));
        status = tls_connect(s);
        if (status == CS_OK)
            status = tls_here.keep(s);
        tls_disconnect(s);
        if (status != CS_OK)
            return tls_give_up(c, CS_ERROR);
        s->first = 0;
    }
    return CS_OK;
}

/* ---- facts ---- */

static void most(size_t *of, size_t one)
{
    if (*of < one)
        *of = one;
}

/* Whether the case is one that connections are kept open of: one for each version, or counting took its time twice. */
static int held(const cs_case *c)
{
    const tls_wish *wish = &((const tls_case *)c->state)->wish;

    return c->n_params == 4 && !wish->external && wish->group == TLS_X25519 && wish->cert == TLS_CERT_P256 &&
           !wish->resumes && !wish->session && !wish->retries;
}

void tls_facts(cs_case *c, cs_facts *sink)
{
    static const char *const names[TLS_SIDES][3] = {{"client_bytes", "client_records", "client_sends"},
                                                    {"server_bytes", "server_records", "server_sends"}};
    tls_case *s = c->state;
    tls_counts all = {0}, one;

    for (int i = 0; i < COUNTED; i++) {
        int status = tls_connect(s);

        tls_count(s, &one);
        tls_disconnect(s);
        if (status != CS_OK)
            return;
        for (int side = 0; side < TLS_SIDES; side++) {
            most(&all.bytes[side], one.bytes[side]);
            most(&all.records[side], one.records[side]);
            most(&all.sends[side], one.sends[side]);
        }
        most(&all.flights, one.flights);
        most(&all.hello, one.hello);
    }
    for (int side = 0; side < TLS_SIDES; side++) {
        cs_fact_number(sink, names[side][0], all.bytes[side]);
        cs_fact_number(sink, names[side][1], all.records[side]);
        cs_fact_number(sink, names[side][2], all.sends[side]);
    }
    cs_fact_number(sink, "flights", all.flights);
    cs_fact_number(sink, "client_hello_bytes", all.hello);
    tls_try_nonsense(s, sink);
    if (c->op->call == tls_client_call && held(c))
        tls_hold(s, sink);
}
