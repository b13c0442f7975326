/* SPDX-License-Identifier: Apache-2.0
 *
 * The TLS laboratory: code that the workers of all libraries share. A client and a server of one library, stepped in
 * one thread over two pipes in memory. The side that is not timed stands aside (cs_aside_begin). An adapter brings a
 * `tls_library` and its table of rows.
 *
 * Numbers of versions, suites, groups and signatures are IANA's.
 */
#ifndef CIPHERSTONE_LAB_TLS_H
#define CIPHERSTONE_LAB_TLS_H

#include "cipherstone.h"

enum { TLS_CLIENT, TLS_SERVER, TLS_SIDES };
enum { TLS_1_2 = 0x0303, TLS_1_3 = 0x0304 };
enum {
    TLS_P256 = 0x0017,
    TLS_P384 = 0x0018,
    TLS_X25519 = 0x001d,
    TLS_SECP256R1MLKEM768 = 0x11eb,
    TLS_X25519MLKEM768 = 0x11ec
};
enum {
    TLS_AES_128_GCM = 0x1301,
    TLS_AES_256_GCM = 0x1302,
    TLS_CHACHA20_POLY1305 = 0x1303,
    TLS_ECDHE_ECDSA_AES_128_GCM = 0xc02b,
    TLS_ECDHE_ECDSA_AES_256_GCM = 0xc02c,
    TLS_ECDHE_RSA_AES_128_GCM = 0xc02f,
    TLS_ECDHE_RSA_AES_256_GCM = 0xc030,
    TLS_ECDHE_RSA_CHACHA20_POLY1305 = 0xcca8,
    TLS_ECDHE_ECDSA_CHACHA20_POLY1305 = 0xcca9,
    TLS_ECDHE_PSK_CHACHA20_POLY1305 = 0xccac
};
enum {
    TLS_RSA_PKCS1 = 0x0401,
    TLS_ECDSA_P256 = 0x0403,
    TLS_ECDSA_P384 = 0x0503,
    TLS_RSA_PSS = 0x0804,
    TLS_ED25519 = 0x0807,
    TLS_MLDSA65 = 0x0905
};
enum { TLS_UNTOLD = 0xffff }; /* the interface does not say, or the wire hides it */
enum { TLS_PATH = 4, TLS_GROUPS = 4, TLS_HOST = 256, TLS_EARLY = 1024, TLS_WIRE = 1 << 16 };

/* The result of a step. */
enum {
    TLS_DONE,    /* the handshake is complete on this side */
    TLS_WAITS,   /* for the peer */
    TLS_REFUSED, /* the peer's certificate is not accepted */
    TLS_FAILED   /* anything else; the adapter has said why with cs_fail */
};

enum { TLS_CERT_P256, TLS_CERT_RSA, TLS_CERT_ED25519, TLS_CERT_P384, TLS_CERT_MLDSA65 };
enum { TLS_CIPHER_AES_128_GCM, TLS_CIPHER_AES_256_GCM, TLS_CIPHER_CHACHA20_POLY1305, TLS_CIPHERS };

/* The parameters of a case. `signature`: of a side's proof of its key; `resumes`: by ticket. Members after `time` are 0
 * if the case does not ask for them: an adapter without one has TLS_LACKS with its axis. */
typedef struct tls_wish {
    int version, group, cert, suite, signature, resumes;
    cs_span path[TLS_PATH]; /* what the server sends, the leaf first */
    size_t path_length;
    cs_span root, key;
    char host[TLS_HOST];
    int64_t time; /* that the certificates must be valid at */
    int cipher;   /* what `suite` encrypts with */
    int write;    /* bulk.c: bytes that the caller writes at once */
    int retries;  /* the client's key share is one of this group at first, which the server does not take */
    int session;  /* as `resumes`, but by session id */
    int mutual;   /* the client proves a key of its own, and the server verifies the path from it to the same root */
    cs_span client_path[TLS_PATH]; /* what the client sends, as long as the server's */
    cs_span client_key;
    cs_span early; /* what the client sends with its first message, resumed by ticket; `data` is NULL: nothing */
    int external;  /* no certificates, but a key called TLS_IDENTITY that both sides have from elsewhere */
    cs_span psk[TLS_SIDES]; /* it, as each side knows it */
    int rsa_issuer;         /* the leaf is not of RSA, but signed by such a key: TLS_RSA_PKCS1 is offered as well */
} tls_wish;

/* What the external key is called, on the wire as well. */
#define TLS_IDENTITY "cipherstone"

/* What one side says was negotiated. `group` and `signature` are 0 if unused. `signature`: the server's.
 * `retried`, `ticket` (the client sent one of TLS 1.2) and `psk` (TLS_IDENTITY's key was used; then neither a signature
 * nor a resumption is asked about) are the wire's word alone. `early`: of a side, that early data were taken; of the
 * wire, that they were offered. */
typedef struct tls_agreed {
    int version, suite, group, signature, resumed, client_signature, retried, ticket, psk, early;
} tls_agreed;

/* What one side sent, kept whole: the other reads from it, and records are counted in it afterwards. */
typedef struct tls_pipe {
    uint8_t bytes[TLS_WIRE];
    size_t written, read;
    unsigned sends;
} tls_pipe;

typedef struct tls_case tls_case;
/* Another way for the bytes of a side than the pipes: as many as there are, at most `most`, or 0; 1 if sent. */
typedef struct tls_transport {
    size_t (*receive)(tls_case *s, int side, uint8_t *to, size_t most);
    int (*send)(tls_case *s, int side, const uint8_t *from, size_t len);
} tls_transport;
/* One side as a transport sees it. */
typedef struct tls_end {
    tls_case *of;
    int side;
} tls_end;

struct tls_case {
    tls_wish wish;
    tls_pipe pipe[TLS_SIDES]; /* by the sender */
    tls_end end[TLS_SIDES];
    void *library;         /* the adapter's own */
    int timed;             /* the side whose work is timed; TLS_SIDES: none */
    int away;              /* the stopwatch stands */
    int opened[TLS_SIDES]; /* there is a connection to close */
    int first;             /* the handshake that leaves the ticket or the session */
    unsigned flights;
    int last_sender;
    /* Changes what a side has just sent; NULL but where robustness is tried. */
    void (*meddle)(tls_case *s, int side, uint8_t *bytes, size_t len);
    uint64_t meddled, seed;
    uint8_t plain[TLS_WIRE];  /* room to look into the wire */
    tls_agreed wire;          /* bulk.c: what the handshake of the open connection showed */
    uint8_t early[TLS_EARLY]; /* what the server got before the handshake was done */
    size_t early_length;
    int64_t *ledger;                /* idle.c: by side, bytes that it allocated and did not free; NULL elsewhere */
    const tls_transport *transport; /* load.c: instead of the pipes; NULL elsewhere */
};

/* What an adapter brings. `setup` makes what an application keeps from connection to connection (contexts, keys,
 * certificates, the trust anchor) in `library`; `open` makes a connection of one side, `close` frees it. `keep` takes
 * the ticket or the session out of the first handshake: later ones of the case resume by it, and the server gives out
 * no others. NULL where there are none. `share` is `setup` with the contexts of `of` instead of new ones, for another
 * thread; they are torn down before those of `of`. NULL where it cannot be. CS_OK or CS_ERROR. */
typedef struct tls_library {
    int (*setup)(tls_case *s);
    void (*teardown)(tls_case *s);
    int (*open)(tls_case *s, int side);
    int (*step)(tls_case *s, int side);
    void (*told)(tls_case *s, int side, tls_agreed *agreed);
    void (*close)(tls_case *s, int side);
    int (*keep)(tls_case *s);
    int (*share)(tls_case *s, const tls_case *of);
} tls_library;

extern const tls_library tls_here; /* of the adapter */

/* Bytes that the peer has sent, at most `most`; 0 if there are none. */
size_t tls_receive(const tls_end *end, uint8_t *to, size_t most);
/* 1 if sent. */
int tls_send(const tls_end *end, const uint8_t *from, size_t len);
/* Groups that a side offers or takes, the first that it sends a key share of, with 0 behind the last. TLS 1.2 has one
 * list for the key exchange and the curves of certificates. */
void tls_groups(const tls_wish *wish, int side, int groups[TLS_GROUPS]);

/* ---- wire.c: the same seen from outside ---- */

typedef struct tls_counts {
    size_t bytes[TLS_SIDES], records[TLS_SIDES], sends[TLS_SIDES], flights, hello;
} tls_counts;

void tls_look(tls_case *s, tls_agreed *agreed);
void tls_count(tls_case *s, tls_counts *counts);

/* Bytes that a side sent since the pipes were emptied, and in how many records and sends. */
void tls_count_side(const tls_case *s, int side, size_t *bytes, size_t *records, size_t *sends);

/* ---- handshake.c: what rows call ---- */

/* Set by a main whose sides are in two processes: nothing is left to resume by before the peer is there. */
extern int tls_apart;

int tls_setup(cs_case *c);
/* The same with the contexts of another case, unless that is NULL. */
int tls_setup_with(cs_case *c, const tls_case *of);
int tls_client_call(cs_case *c);
int tls_server_call(cs_case *c);
void tls_teardown(cs_case *c);
void tls_facts(cs_case *c, cs_facts *sink);
/* One untimed handshake. */
int tls_connect(tls_case *s);
void tls_disconnect(tls_case *s);
/* Parts of these, for calls that show less than a handshake does. tls_begin empties the pipes. tls_turn stops the
 * stopwatch for all but the timed side. tls_give_up ends a setup that cannot continue. */
void tls_begin(tls_case *s);
void tls_turn(tls_case *s, int side);
int tls_give_up(cs_case *c, int status);
/* Writes what both sides agreed on, 22 bytes, which `wire` must not contradict; CS_OK or CS_ERROR. */
enum { TLS_AGREED = 22 };
int tls_report(tls_case *s, const tls_agreed *wire, uint8_t *to);
/* robust.c: how a library answers a peer that sends nonsense; reports facts. */
void tls_try_nonsense(tls_case *s, cs_facts *sink);

/* bulk.c: application data, over a connection that setup opened. */
int tls_bulk_setup(cs_case *c);
int tls_write_call(cs_case *c);
int tls_read_call(cs_case *c);
void tls_bulk_facts(cs_case *c, cs_facts *sink);
const char *tls_no_data(const cs_op *op);
/* threads.c: handshakes of several threads at once, both sides of each in one. */
int tls_threads_setup(cs_case *c);
int tls_threads_call(cs_case *c);
void tls_threads_teardown(cs_case *c);
const char *tls_no_threads(const cs_op *op);
/* idle.c: the heap that an open connection keeps; reports facts. */
void tls_hold(tls_case *s, cs_facts *sink);

/* All rows of an implementation, and all rows for features that it lacks: `why` is a function for `unavailable`. Rows
 * of missing features come first, because the first row that fits is taken. */
#define TLS_ROW(verb, call_, shown)                                                                                    \
    {.id = "tls/" verb,                                                                                                \
     .impl = "default",                                                                                                \
     .name = shown,                                                                                                    \
     .setup = tls_setup,                                                                                               \
     .call = call_,                                                                                                    \
     .teardown = tls_teardown,                                                                                         \
     .facts = tls_facts,                                                                                               \
     .stands_aside = 1}
#define TLS_BULK_ROW(verb, call_, shown)                                                                               \
    {.id = "tls/" verb,                                                                                                \
     .impl = "default",                                                                                                \
     .name = shown,                                                                                                    \
     .setup = tls_bulk_setup,                                                                                          \
     .call = call_,                                                                                                    \
     .teardown = tls_teardown,                                                                                         \
     .unavailable = tls_no_data,                                                                                       \
     .facts = tls_bulk_facts,                                                                                          \
     .stands_aside = 1}
#define TLS_THREADS_ROW(which, why, shown)                                                                             \
    {.id = "tls/handshakes",                                                                                           \
     .impl = "default",                                                                                                \
     .name = shown,                                                                                                    \
     .setup = tls_threads_setup,                                                                                       \
     .call = tls_threads_call,                                                                                         \
     .teardown = tls_threads_teardown,                                                                                 \
     .unavailable = why,                                                                                               \
     .params = which,                                                                                                  \
     .stands_aside = 1}
/* As many as there are numbers of threads, each for a number of processors. */
#define TLS_THREADS_ROWS(which, why, shown)                                                                            \
    TLS_THREADS_ROW(which "threads=1", why, shown), TLS_THREADS_ROW(which "threads=2", why, shown),                    \
        TLS_THREADS_ROW(which "threads=4", why, shown), TLS_THREADS_ROW(which "threads=8", why, shown),                \
        TLS_THREADS_ROW(which "threads=16", why, shown)
#define TLS_ROWS(shown)                                                                                                \
    TLS_ROW("handshake-client", tls_client_call, shown), TLS_ROW("handshake-server", tls_server_call, shown),          \
        TLS_BULK_ROW("bulk-write", tls_write_call, shown), TLS_BULK_ROW("bulk-read", tls_read_call, shown),            \
        TLS_THREADS_ROWS("", tls_no_threads, shown)
#define TLS_ROW_UNLESS(verb, call_, which, why, shown)                                                                 \
    {.id = "tls/" verb,                                                                                                \
     .impl = "default",                                                                                                \
     .name = shown,                                                                                                    \
     .setup = tls_setup,                                                                                               \
     .call = call_,                                                                                                    \
     .teardown = tls_teardown,                                                                                         \
     .unavailable = why,                                                                                               \
     .facts = tls_facts,                                                                                               \
     .params = which,                                                                                                  \
     .stands_aside = 1}
#define TLS_BULK_ROW_UNLESS(verb, call_, which, why, shown)                                                            \
    {.id = "tls/" verb,                                                                                                \
     .impl = "default",                                                                                                \
     .name = shown,                                                                                                    \
     .setup = tls_bulk_setup,                                                                                          \
     .call = call_,                                                                                                    \
     .teardown = tls_teardown,                                                                                         \
     .unavailable = why,                                                                                               \
     .facts = tls_bulk_facts,                                                                                          \
     .params = which,                                                                                                  \
     .stands_aside = 1}
/* For what a build has on some processors alone. */
#define TLS_ROWS_UNLESS(which, why, shown)                                                                             \
    TLS_ROW_UNLESS("handshake-client", tls_client_call, which, why, shown),                                            \
        TLS_ROW_UNLESS("handshake-server", tls_server_call, which, why, shown),                                        \
        TLS_BULK_ROW_UNLESS("bulk-write", tls_write_call, which, why, shown),                                          \
        TLS_BULK_ROW_UNLESS("bulk-read", tls_read_call, which, why, shown)
#define TLS_LACKS(which, why) TLS_ROWS_UNLESS(which, why, "none"), TLS_THREADS_ROW(which, why, "none")
/* A whole axis, for `which`; "version=1.3," before it narrows it. */
#define TLS_AXIS_P384 "cert=p-384"
#define TLS_AXIS_MLDSA "cert=ml-dsa-65"
#define TLS_AXIS_SUITES "suite=aes-256-gcm|chacha20-poly1305"
#define TLS_AXIS_MUTUAL "auth=mutual"
#define TLS_AXIS_RETRY "mode=retry"
#define TLS_AXIS_SESSION "mode=session"
#define TLS_AXIS_PSK "mode=psk"
#define TLS_AXIS_EARLY "mode=early"
#define TLS_AXIS_THREADS "threads=1|2|4|8|16"
#define TLS_AXIS_MORE_THREADS "threads=2|4|8|16"
#define TLS_AXIS_SHARED "contexts=shared"
#define TLS_AXIS_POSTQUANTUM "group=x25519mlkem768|secp256r1mlkem768"
/* `why` of a row for a missing feature. */
#define TLS_WHY(name, text)                                                                                            \
    static const char *name(const cs_op *op)                                                                           \
    {                                                                                                                  \
        (void)op;                                                                                                      \
        return text;                                                                                                   \
    }
/* The same, unless the processor has it. */
#define TLS_WHY_UNLESS(name, has, text)                                                                                \
    static const char *name(const cs_op *op)                                                                           \
    {                                                                                                                  \
        (void)op;                                                                                                      \
        return (has) ? NULL : (text);                                                                                  \
    }

#endif
