/* SPDX-License-Identifier: Apache-2.0
 *
 * BearSSL: TLS 1.2. Its contexts have a fixed size and are the caller's; a connection is a reset of one, nothing is
 * allocated and nothing is freed.
 */
#include "data.h"

#include <string.h>

#include <bearssl.h>

enum {
    DAY = 86400,
    DAYS_TO_1970 = 719528,
    NAME = 1024,
    SESSIONS = 1024,   /* bytes: a few sessions */
    ANY_HASH = 0xff00, /* in TLS 1.2, a hash is its identifier above this */
    FIRST_X509 = BR_ERR_X509_OK,
    LAST_X509 = BR_ERR_X509_NOT_TRUSTED
};

typedef struct both {
    br_ssl_client_context client;
    br_ssl_server_context server;
    br_x509_minimal_context verifier[TLS_SIDES];
    br_x509_decoder_context decoder; /* holds the bytes of the anchor's key */
    br_x509_trust_anchor anchor;
    br_x509_certificate path[TLS_SIDES][TLS_PATH];
    br_skey_decoder_context key[TLS_SIDES];
    br_ssl_server_policy_class policy;
    br_ssl_session_parameters session;
    br_ssl_session_cache_lru cache;
    unsigned char sessions[SESSIONS];
    br_ec_impl curves;
    uint16_t suite;
    unsigned char name[NAME];
    size_t name_len;
    unsigned char buffer[TLS_SIDES][BR_SSL_BUFSIZE_BIDI];
} both;

/* What the server chooses by without a word, the same for every case. */
static const br_ssl_server_policy_class *usual_policy;

static br_ssl_engine_context *engine_of(tls_case *s, int side)
{
    both *b = s->library;

    return side == TLS_CLIENT ? &b->client.eng : &b->server.eng;
}

static void append(void *to, const void *bytes, size_t len)
{
    both *b = to;

    if (len <= NAME - b->name_len)
        memcpy(b->name + b->name_len, bytes, len);
    b->name_len += len;
}

static void teardown(tls_case *s)
{
    cs_free(s->library);
    s->library = NULL;
}

/* 1 if the trust anchor could be read. */
static int read_anchor(both *b, cs_span root)
{
    br_x509_pkey *key;

    br_x509_decoder_init(&b->decoder, append, b);
    br_x509_decoder_push(&b->decoder, root.data, root.len);
    key = br_x509_decoder_get_pkey(&b->decoder);
    if (key == NULL || b->name_len > NAME)
        return 0;
    b->anchor = (br_x509_trust_anchor){{b->name, b->name_len}, BR_X509_TA_CA, *key};
    return 1;
}

/* The default implementation, and of its curves those that the case asks for: a client offers all that its
 * implementation has. */
static void choose_curves(both *b, const tls_wish *wish)
{
    int groups[TLS_GROUPS];

    tls_groups(wish, TLS_CLIENT, groups);
    b->curves = *br_ec_get_default();
    b->curves.supported_curves = 0;
    for (size_t i = 0; groups[i] != 0; i++)
        b->curves.supported_curves |= (uint32_t)1 << groups[i]; /* by the same numbers */
}

static void choose(tls_case *s, int side)
{
    both *b = s->library;
    br_ssl_engine_context *engine = engine_of(s, side);

    br_ssl_engine_set_versions(engine, BR_TLS12, BR_TLS12);
    br_ssl_engine_set_suites(engine, &b->suite, 1);
    br_ssl_engine_set_ec(engine, &b->curves);
    br_ssl_engine_set_buffer(engine, b->buffer[side], sizeof b->buffer[side], 1);
}

/* The server takes SHA-256 wherever the client offers it. */
static int choose_sha384(const br_ssl_server_policy_class **of, const br_ssl_server_context *server,
                         br_ssl_server_choices *choices)
{
    int chosen = usual_policy->choose(of, server, choices);

    if (choices->algo_id == ANY_HASH + br_sha256_ID)
        choices->algo_id = ANY_HASH + br_sha384_ID;
    return chosen;
}

/* The certificates that a side sends, and its key. 1 if it can be read. */
static int read_key(both *b, int side, const cs_span *path, size_t length, cs_span key)
{
    br_skey_decoder_init(&b->key[side]);
    br_skey_decoder_push(&b->key[side], key.data, key.len);
    for (size_t i = 0; i < length; i++)
        b->path[side][i] = (br_x509_certificate){(unsigned char *)(uintptr_t)path[i].data, path[i].len};
    return br_skey_decoder_last_error(&b->key[side]) == 0;
}

/* 1 if done. */
static int fill_server(both *b, const tls_wish *wish)
{
    if (!read_key(b, TLS_SERVER, wish->path, wish->path_length, wish->key))
        return 0;
    if (wish->cert == TLS_CERT_RSA)
        br_ssl_server_init_full_rsa(&b->server, b->path[TLS_SERVER], wish->path_length,
                                    br_skey_decoder_get_rsa(&b->key[TLS_SERVER]));
    else
        br_ssl_server_init_full_ec(&b->server, b->path[TLS_SERVER], wish->path_length, BR_KEYTYPE_EC,
                                   br_skey_decoder_get_ec(&b->key[TLS_SERVER]));
    if (wish->cert == TLS_CERT_P384) {
        usual_policy = b->server.chain_handler.vtable;
        b->policy = *usual_policy;
        b->policy.choose = choose_sha384;
        b->server.chain_handler.vtable = &b->policy;
    }
    return 1;
}

/* The client proves a key as well. 1 if done. */
static int fill_mutual(both *b, const tls_wish *wish)
{
    br_ssl_engine_context *server = &b->server.eng;

    if (!read_key(b, TLS_CLIENT, wish->client_path, wish->path_length, wish->client_key))
        return 0;
    if (wish->cert == TLS_CERT_RSA)
        br_ssl_client_set_single_rsa(&b->client, b->path[TLS_CLIENT], wish->path_length,
                                     br_skey_decoder_get_rsa(&b->key[TLS_CLIENT]), br_rsa_pkcs1_sign_get_default());
    else
        br_ssl_client_set_single_ec(&b->client, b->path[TLS_CLIENT], wish->path_length,
                                    br_skey_decoder_get_ec(&b->key[TLS_CLIENT]), BR_KEYTYPE_SIGN, BR_KEYTYPE_EC,
                                    br_ec_get_default(), br_ecdsa_sign_asn1_get_default());
    br_x509_minimal_init_full(&b->verifier[TLS_SERVER], &b->anchor, 1);
    br_ssl_server_set_trust_anchor_names_alt(&b->server, &b->anchor, 1);
    br_ssl_engine_set_default_rsavrfy(server);
    br_ssl_engine_set_default_ecdsa(server);
    br_ssl_engine_set_x509(server, &b->verifier[TLS_SERVER].vtable);
    return 1;
}

static int setup(tls_case *s)
{
    const tls_wish *wish = &s->wish;
    both *b = s->library = cs_alloc(sizeof *b);
    uint32_t day = (uint32_t)(wish->time / DAY + DAYS_TO_1970), second = (uint32_t)(wish->time % DAY);

    if (b == NULL)
        return CS_ERROR;
    b->suite = (uint16_t)wish->suite;
    choose_curves(b, wish);
    if (!read_anchor(b, wish->root))
        return cs_fail("br_x509_decoder_get_pkey: the trust anchor cannot be read");
    br_ssl_client_init_full(&b->client, &b->verifier[TLS_CLIENT], &b->anchor, 1);
    if (!fill_server(b, wish))
        return cs_fail("br_skey_decoder: the server's key cannot be read");
    if (wish->mutual && !fill_mutual(b, wish))
        return cs_fail("br_skey_decoder: the client's key cannot be read");
    for (int side = 0; side < TLS_SIDES; side++)
        br_x509_minimal_set_time(&b->verifier[side], day, second);
    if (wish->session) {
        br_ssl_session_cache_lru_init(&b->cache, b->sessions, sizeof b->sessions);
        br_ssl_server_set_cache(&b->server, &b->cache.vtable);
    }
    choose(s, TLS_CLIENT);
    choose(s, TLS_SERVER);
    return CS_OK;
}

static int open_side(tls_case *s, int side)
{
    both *b = s->library;
    int resumes = s->wish.session && !s->first;

    if (side == TLS_CLIENT && resumes)
        br_ssl_engine_set_session_parameters(&b->client.eng, &b->session);
    if (side == TLS_CLIENT)
        return br_ssl_client_reset(&b->client, s->wish.host, resumes) ? CS_OK : cs_fail("br_ssl_client_reset");
    return br_ssl_server_reset(&b->server) ? CS_OK : cs_fail("br_ssl_server_reset");
}

static int step(tls_case *s, int side)
{
    br_ssl_engine_context *engine = engine_of(s, side);

    for (;;) {
        unsigned state = br_ssl_engine_current_state(engine);
        unsigned char *at;
        size_t len;

        if (state == BR_SSL_CLOSED) {
            int why = br_ssl_engine_last_error(engine);

            if (why > FIRST_X509 && why <= LAST_X509)
                return TLS_REFUSED;
            cs_fail("br_ssl_engine_last_error: the engine is closed");
            return TLS_FAILED;
        }
        if (state & BR_SSL_SENDREC) {
            at = br_ssl_engine_sendrec_buf(engine, &len);
            if (!tls_send(&s->end[side], at, len)) {
                cs_fail("more than the pipe holds");
                return TLS_FAILED;
            }
            br_ssl_engine_sendrec_ack(engine, len);
            continue;
        }
        if (state & BR_SSL_SENDAPP)
            return TLS_DONE;
        at = br_ssl_engine_recvrec_buf(engine, &len);
        len = at != NULL ? tls_receive(&s->end[side], at, len) : 0;
        if (len == 0)
            return TLS_WAITS;
        br_ssl_engine_recvrec_ack(engine, len);
    }
}

static void told(tls_case *s, int side, tls_agreed *agreed)
{
    br_ssl_engine_context *engine = engine_of(s, side);
    br_ssl_session_parameters parameters;
    int curve = br_ssl_engine_get_ecdhe_curve(engine);

    br_ssl_engine_get_session_parameters(engine, &parameters);
    agreed->version = (int)br_ssl_engine_get_version(engine);
    agreed->suite = parameters.cipher_suite;
    if (!s->wish.session)
        agreed->group = curve; /* by the same numbers */
}

static void close_side(tls_case *s, int side)
{
    (void)s, (void)side;
}

static int keep(tls_case *s)
{
    both *b = s->library;

    br_ssl_engine_get_session_parameters(&b->client.eng, &b->session);
    return b->session.session_id_len > 0 ? CS_OK : cs_fail("no session id came");
}

const tls_library tls_here = {setup, teardown, open_side, step, told, close_side, keep, NULL};

/* The engine is done with its own step once it could take data: what the peer sent is still to be fed. */
static int write_data(tls_case *s, int side, const uint8_t *from, int len)
{
    br_ssl_engine_context *engine = engine_of(s, side);

    for (size_t at = 0, left = (size_t)len, room; left > 0; at += room, left -= room) {
        unsigned char *to = br_ssl_engine_sendapp_buf(engine, &room);

        if (to == NULL)
            return 0;
        room = room < left ? room : left;
        memcpy(to, from + at, room);
        br_ssl_engine_sendapp_ack(engine, room);
        br_ssl_engine_flush(engine, 0);
        if (step(s, side) != TLS_DONE)
            return 0;
    }
    return 1;
}

static int read_data(tls_case *s, int side, uint8_t *to, int most)
{
    br_ssl_engine_context *engine = engine_of(s, side);

    for (;;) {
        size_t len;
        unsigned char *at = br_ssl_engine_recvapp_buf(engine, &len);

        if (at != NULL) {
            len = len < (size_t)most ? len : (size_t)most;
            memcpy(to, at, len);
            br_ssl_engine_recvapp_ack(engine, len);
            return (int)len;
        }
        at = br_ssl_engine_recvrec_buf(engine, &len);
        if (at == NULL)
            return -cs_fail("br_ssl_engine_recvrec_buf: the engine is closed");
        len = tls_receive(&s->end[side], at, len);
        if (len == 0)
            return 0;
        br_ssl_engine_recvrec_ack(engine, len);
    }
}

const tls_data tls_data_here = {write_data, read_data};

/* A connection is what its caller keeps for it: a context, what verifies or decides, and the buffer. */
enum { BUFFER = BR_SSL_BUFSIZE_BIDI };
const tls_idle tls_idle_here = {
    NULL,
    NULL,
    {sizeof(br_ssl_client_context) + sizeof(br_x509_minimal_context) + BUFFER, sizeof(br_ssl_server_context) + BUFFER}};

static const char *no_13(const cs_op *op)
{
    (void)op;
    return "BearSSL has TLS up to 1.2";
}

static const char *no_tickets(const cs_op *op)
{
    (void)op;
    return "BearSSL resumes by session id alone, not by ticket";
}

static const char *no_ed25519(const cs_op *op)
{
    (void)op;
    return "BearSSL has no Ed25519";
}

TLS_WHY(no_contexts, "BearSSL has no contexts that connections could share")
TLS_WHY(no_mldsa, "BearSSL has no ML-DSA")
TLS_WHY(no_key, "BearSSL has no suites with external keys")
TLS_WHY(other_curve, "of two curves its server takes P-256, which a certificate of P-256 needs as well")

static const cs_op ops[] = {TLS_LACKS("group=p-384,cert=p-256", other_curve),
                            TLS_LACKS(TLS_AXIS_MLDSA, no_mldsa),
                            TLS_LACKS(TLS_AXIS_PSK, no_key),
                            TLS_LACKS("version=1.3", no_13),
                            TLS_LACKS("mode=ticket", no_tickets),
                            TLS_LACKS("cert=ed25519", no_ed25519),
                            TLS_LACKS(TLS_AXIS_SHARED, no_contexts),
                            TLS_ROWS("br_ssl_engine")};

static const char *version(void)
{
    return CS_PACKAGE_VERSION;
}

static const cs_library library = {
    .abi = CS_ABI, .id = "tls", .version = version, .version_from = "package", .tables = CS_ROWS(ops)};

CS_WORKER_MAIN(library)
