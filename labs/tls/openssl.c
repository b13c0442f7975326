/* SPDX-License-Identifier: Apache-2.0
 *
 * TLS with the interface that OpenSSL, BoringSSL and AWS-LC have in common: SSL_CTX kept, an SSL a connection,
 * SSL_do_handshake over a BIO of our own.
 */
#include "openssl_shared.h"

#include <string.h>

#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#ifdef OPENSSL_IS_BORINGSSL
#include <openssl/aead.h>
#endif

static BIO_METHOD *method;

int own_fail(const char *what)
{
    const char *why = ERR_reason_error_string(ERR_peek_error());
    char text[200];
    size_t len = strlen(what);

    memcpy(text, what, len + 1);
    if (why != NULL && len + 2 + strlen(why) < sizeof text) {
        memcpy(text + len, ": ", 2);
        memcpy(text + len + 2, why, strlen(why) + 1);
    }
    ERR_clear_error();
    return cs_fail(text);
}

/* ---- transport ---- */

static int bio_read(BIO *bio, char *to, int len)
{
    size_t n = tls_receive(BIO_get_data(bio), (uint8_t *)to, (size_t)len);

    BIO_clear_retry_flags(bio);
    if (n > 0)
        return (int)n;
    BIO_set_retry_read(bio);
    return -1;
}

static int bio_write(BIO *bio, const char *from, int len)
{
    BIO_clear_retry_flags(bio);
    return tls_send(BIO_get_data(bio), (const uint8_t *)from, (size_t)len) ? len : -1;
}

static long bio_ctrl(BIO *bio, int command, long number, void *pointer)
{
    (void)bio, (void)number, (void)pointer;
    return command == BIO_CTRL_FLUSH;
}

static int bio_create(BIO *bio)
{
    BIO_set_init(bio, 1);
    return 1;
}

static int make_method(void)
{
    if (method == NULL)
        method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "pipe");
    return method != NULL && BIO_meth_set_read(method, bio_read) == 1 && BIO_meth_set_write(method, bio_write) == 1 &&
           BIO_meth_set_ctrl(method, bio_ctrl) == 1 && BIO_meth_set_create(method, bio_create) == 1;
}

/* ---- what is kept ---- */

static void teardown(tls_case *s)
{
    both *b = s->library;

    if (b == NULL)
        return;
    SSL_SESSION_free(b->session);
    SSL_CTX_free(b->ctx[TLS_CLIENT]);
    SSL_CTX_free(b->ctx[TLS_SERVER]);
    cs_free(b);
    s->library = NULL;
}

static X509 *certificate(cs_span bytes)
{
    const uint8_t *at = bytes.data;

    return d2i_X509(NULL, &at, (long)bytes.len);
}

/* The suites of TLS 1.3 cannot be chosen where BoringSSL's interface is: it takes AES-128-GCM first on processors with
 * instructions for AES, and what was taken is read back. */
static int set_suite(SSL_CTX *ctx, const tls_wish *wish)
{
    static const char *const ecdsa[TLS_CIPHERS] = {"ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-ECDSA-AES256-GCM-SHA384",
                                                   "ECDHE-ECDSA-CHACHA20-POLY1305"};
    static const char *const rsa[TLS_CIPHERS] = {"ECDHE-RSA-AES128-GCM-SHA256", "ECDHE-RSA-AES256-GCM-SHA384",
                                                 "ECDHE-RSA-CHACHA20-POLY1305"};

    if (wish->external && wish->version == TLS_1_2)
        return SSL_CTX_set_cipher_list(ctx, "ECDHE-PSK-CHACHA20-POLY1305");
    if (wish->version == TLS_1_2)
        return SSL_CTX_set_cipher_list(ctx, (wish->cert == TLS_CERT_RSA ? rsa : ecdsa)[wish->cipher]);
#ifdef OPENSSL_IS_BORINGSSL
    return 1;
#else
    static const char *const newer[TLS_CIPHERS] = {"TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384",
                                                   "TLS_CHACHA20_POLY1305_SHA256"};

    return SSL_CTX_set_ciphersuites(ctx, newer[wish->cipher]);
#endif
}

static const char *name_of(int group)
{
    switch (group) {
    case TLS_P256:
        return "P-256";
    case TLS_P384:
        return "P-384";
    case TLS_X25519MLKEM768:
        return "X25519MLKEM768";
    case TLS_SECP256R1MLKEM768:
        return "SecP256r1MLKEM768";
    default:
        return "X25519";
    }
}

static int set_groups(SSL_CTX *ctx, const tls_wish *wish, int side)
{
    int groups[TLS_GROUPS];
    char text[80] = "";

    tls_groups(wish, side, groups);
    for (size_t i = 0; groups[i] != 0; i++) {
        strcat(text, i > 0 ? ":" : "");
        strcat(text, name_of(groups[i]));
    }
    return SSL_CTX_set1_groups_list(ctx, text);
}

/* One for the server's proof; what certificates are signed with by keys of RSA stands behind it. */
static const char *signatures_of(const tls_wish *wish)
{
    if (wish->cert == TLS_CERT_P256)
        return wish->rsa_issuer ? "ECDSA+SHA256:RSA+SHA256" : "ECDSA+SHA256";
    if (wish->cert == TLS_CERT_P384)
        return wish->rsa_issuer ? "ECDSA+SHA384:RSA+SHA256" : "ECDSA+SHA384";
    if (wish->cert == TLS_CERT_ED25519)
        return wish->rsa_issuer ? "ed25519:RSA+SHA256" : "ed25519";
    if (wish->cert == TLS_CERT_MLDSA65)
        return "mldsa65";
    return wish->version == TLS_1_2 ? "RSA+SHA256" : "RSA-PSS+SHA256:RSA+SHA256";
}

#ifdef BORING
/* Gets the ticket of TLS 1.3. 1: it is kept, by the object that SSL_set_app_data names. */
static int new_session(SSL *ssl, SSL_SESSION *session)
{
    both *b = SSL_get_app_data(ssl);

    SSL_SESSION_free(b->session);
    b->session = session;
    return 1;
}
#endif

static SSL_CTX *context(const tls_wish *wish, int side)
{
    SSL_CTX *ctx = SSL_CTX_new(side == TLS_CLIENT ? TLS_client_method() : TLS_server_method());

    if (ctx == NULL || SSL_CTX_set_min_proto_version(ctx, (uint16_t)wish->version) != 1 ||
        SSL_CTX_set_max_proto_version(ctx, (uint16_t)wish->version) != 1 || set_suite(ctx, wish) != 1 ||
        set_groups(ctx, wish, side) != 1 || SSL_CTX_set1_sigalgs_list(ctx, signatures_of(wish)) != 1) {
        SSL_CTX_free(ctx);
        return NULL;
    }
    own_set_keys(ctx, wish, side);
    own_set_early(ctx, wish, side);
    SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_OFF);
#ifdef BORING
    if (side == TLS_CLIENT && wish->resumes && wish->version == TLS_1_3) {
        SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_CLIENT);
        SSL_CTX_sess_set_new_cb(ctx, new_session);
    }
#endif
    if (!wish->resumes)
        SSL_CTX_set_options(ctx, SSL_OP_NO_TICKET);
    if (wish->session && side == TLS_SERVER) {
        SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_SERVER);
        SSL_CTX_set_session_id_context(ctx, (const uint8_t *)"case", 4);
    }
    return ctx;
}

/* What the peer's certificate must be. */
static int verify_peer(SSL_CTX *ctx, const tls_wish *wish)
{
    X509 *root = certificate(wish->root);
    int added = root != NULL && X509_STORE_add_cert(SSL_CTX_get_cert_store(ctx), root) == 1;

    X509_free(root);
    SSL_CTX_set_verify(ctx, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, NULL);
    X509_VERIFY_PARAM_set_time(SSL_CTX_get0_param(ctx), (time_t)wish->time);
    return added;
}

static int verify_host(SSL_CTX *ctx, const tls_wish *wish)
{
    X509_VERIFY_PARAM *param = SSL_CTX_get0_param(ctx);

    X509_VERIFY_PARAM_set_hostflags(param, X509_CHECK_FLAG_NEVER_CHECK_SUBJECT | X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    return X509_VERIFY_PARAM_set1_host(param, wish->host, strlen(wish->host)) == 1;
}

/* The certificates that a side sends, and the key that it proves. */
static int certify(SSL_CTX *ctx, const cs_span *path, size_t length, cs_span private)
{
    const uint8_t *at = private.data;
    EVP_PKEY *key = d2i_AutoPrivateKey(NULL, &at, (long)private.len);
    int done = 1;

    for (size_t i = 0; i < length && done; i++) {
        X509 *one = certificate(path[i]);

        done = one != NULL && (i == 0 ? SSL_CTX_use_certificate(ctx, one) : SSL_CTX_add1_chain_cert(ctx, one)) == 1;
        X509_free(one);
    }
    done = done && key != NULL && SSL_CTX_use_PrivateKey(ctx, key) == 1;
    EVP_PKEY_free(key);
    return done;
}

/* Tickets that the server of TLS 1.3 gives out after a handshake. Where BoringSSL's interface is the number cannot be
 * chosen. */
static void give_tickets(both *b, int count)
{
#ifdef OPENSSL_IS_BORINGSSL
    (void)b, (void)count;
#else
    SSL_CTX_set_num_tickets(b->ctx[TLS_SERVER], (size_t)count);
#endif
}

static int setup(tls_case *s)
{
    const tls_wish *wish = &s->wish;
    both *b = s->library = cs_alloc(sizeof *b);

    if (b == NULL)
        return CS_ERROR;
    b->ctx[TLS_CLIENT] = context(wish, TLS_CLIENT);
    b->ctx[TLS_SERVER] = context(wish, TLS_SERVER);
    if (!make_method() || b->ctx[TLS_CLIENT] == NULL || b->ctx[TLS_SERVER] == NULL)
        return own_fail("SSL_CTX_new");
    if (!verify_peer(b->ctx[TLS_CLIENT], wish) || !verify_host(b->ctx[TLS_CLIENT], wish) ||
        (wish->mutual && !verify_peer(b->ctx[TLS_SERVER], wish)))
        return own_fail("the trust anchor");
    if (!certify(b->ctx[TLS_SERVER], wish->path, wish->path_length, wish->key))
        return own_fail("the server's certificate and key");
    if (wish->mutual && !certify(b->ctx[TLS_CLIENT], wish->client_path, wish->path_length, wish->client_key))
        return own_fail("the client's certificate and key");
    give_tickets(b, s->wish.resumes);
    return CS_OK;
}

static int share(tls_case *s, const tls_case *of)
{
    const both *from = of->library;
    both *b = s->library = cs_alloc(sizeof *b);

    if (b == NULL)
        return CS_ERROR;
    for (int side = 0; side < TLS_SIDES; side++)
        if (SSL_CTX_up_ref(from->ctx[side]) == 1)
            b->ctx[side] = from->ctx[side];
    return b->ctx[TLS_CLIENT] != NULL && b->ctx[TLS_SERVER] != NULL ? CS_OK : own_fail("SSL_CTX_up_ref");
}

/* ---- a connection ---- */

static int open_side(tls_case *s, int side)
{
    both *b = s->library;
    SSL *ssl = b->ssl[side] = SSL_new(b->ctx[side]);
    BIO *bio = BIO_new(method);

    if (ssl == NULL || bio == NULL) {
        BIO_free(bio);
        SSL_free(ssl);
        return own_fail("SSL_new");
    }
    BIO_set_data(bio, &s->end[side]);
    b->early_done[side] = 0;
    SSL_set_bio(ssl, bio, bio);
    if (side == TLS_SERVER) {
        SSL_set_accept_state(ssl);
        return CS_OK;
    }
    SSL_set_connect_state(ssl);
#ifdef BORING
    SSL_set_app_data(ssl, b);
#endif
    if (SSL_set_tlsext_host_name(ssl, s->wish.host) != 1 ||
        (b->session != NULL && !s->first && SSL_set_session(ssl, b->session) != 1)) {
        SSL_free(ssl);
        return own_fail("SSL_set_session");
    }
    return CS_OK;
}

static int step(tls_case *s, int side)
{
    SSL *ssl = ((both *)s->library)->ssl[side];
    int result, why;

    ERR_clear_error();
    if (s->wish.early.data != NULL && !s->first)
        own_early(s, side);
    result = SSL_do_handshake(ssl);
    if (result == 1)
        return own_in_early(ssl) ? TLS_WAITS : TLS_DONE;
    why = SSL_get_error(ssl, result);
    if (why == SSL_ERROR_WANT_READ)
        return TLS_WAITS;
    /* The result alone would do but for BoringSSL and AWS-LC, where it is no success before anything was verified. */
    if ((side == TLS_CLIENT || s->wish.mutual) && SSL_get_verify_result(ssl) != X509_V_OK &&
        ERR_GET_REASON(ERR_peek_last_error()) == SSL_R_CERTIFICATE_VERIFY_FAILED) {
        ERR_clear_error();
        return TLS_REFUSED;
    }
    own_fail(side == TLS_CLIENT ? "client, SSL_do_handshake" : "server, SSL_do_handshake");
    return TLS_FAILED;
}

/* A connection that is freed without having been shut down takes its session with it. */
static void close_side(tls_case *s, int side)
{
    both *b = s->library;

    SSL_set_shutdown(b->ssl[side], SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
    SSL_free(b->ssl[side]);
    b->ssl[side] = NULL;
}

static int keep(tls_case *s)
{
    both *b = s->library;
    uint8_t byte;

#ifdef BORING
    /* A server of TLS 1.3 sends its tickets with what it writes first. */
    if (s->wish.version == TLS_1_3)
        SSL_write(b->ssl[TLS_SERVER], "", 0);
#endif
    /* The ticket of TLS 1.3 comes behind the handshake. */
    if (s->wish.version == TLS_1_3 && SSL_read(b->ssl[TLS_CLIENT], &byte, 1) > 0)
        return cs_fail("data where there are none");
    ERR_clear_error();
    if (b->session == NULL)
        b->session = SSL_get1_session(b->ssl[TLS_CLIENT]);
    give_tickets(b, 0);
    return b->session != NULL && SSL_SESSION_is_resumable(b->session) ? CS_OK : own_fail("no ticket came");
}

const tls_library tls_here = {setup, teardown, open_side, step, own_told, close_side, keep, share};

/* ---- identity ---- */

#if defined(OPENSSL_IS_BORINGSSL)

TLS_WHY(no_suite, "BoringSSL's interface does not choose between suites of TLS 1.3")
TLS_WHY(no_count, "BoringSSL's interface does not choose how many tickets of TLS 1.3 each handshake leaves")
TLS_WHY_UNLESS(no_aes, EVP_has_aes_hardware(),
               "without instructions for AES BoringSSL takes ChaCha20-Poly1305 in TLS 1.3, which cannot be chosen")
TLS_WHY(no_key, "BoringSSL's interface takes external keys in TLS 1.2 alone")
TLS_WHY(no_p256_hybrid, "of the groups with ML-KEM BoringSSL has the one with X25519 alone")

static const char *no_aes_or_threads(const cs_op *op)
{
    const char *why = no_aes(op);

    return why != NULL ? why : tls_no_threads(op);
}

static const cs_op ops[] = {TLS_LACKS("version=1.3," TLS_AXIS_SUITES, no_suite),
                            TLS_LACKS("version=1.3,mode=ticket|early", no_count),
                            TLS_LACKS("version=1.3," TLS_AXIS_PSK, no_key),
                            TLS_LACKS("group=secp256r1mlkem768", no_p256_hybrid),
                            TLS_ROWS_UNLESS("version=1.3", no_aes, "SSL_do_handshake"),
                            TLS_THREADS_ROWS("version=1.3,", no_aes_or_threads, "SSL_do_handshake"),
                            TLS_ROWS("SSL_do_handshake")};

#elif !defined(BORING) && OPENSSL_VERSION_NUMBER < 0x30500000L

TLS_WHY(no_hybrid, "OpenSSL has groups with ML-KEM from 3.5 on")
TLS_WHY(no_mldsa, "OpenSSL has ML-DSA from 3.5 on")

static const cs_op ops[] = {TLS_LACKS(TLS_AXIS_MLDSA, no_mldsa), TLS_LACKS(TLS_AXIS_POSTQUANTUM, no_hybrid),
                            TLS_ROWS("SSL_do_handshake")};

#elif defined(BORING)

TLS_WHY(no_key, "AWS-LC's interface takes external keys in TLS 1.2 alone")

static const cs_op ops[] = {TLS_LACKS("version=1.3," TLS_AXIS_PSK, no_key), TLS_ROWS("SSL_do_handshake")};

#else

static const cs_op ops[] = {TLS_ROWS("SSL_do_handshake")};

#endif

#ifdef OPENSSL_IS_BORINGSSL
#define FROM "package"
#else
#define FROM "library"
#endif

static const char *version(void)
{
#if defined(OPENSSL_IS_AWSLC)
    return AWSLC_VERSION_NUMBER_STRING;
#elif defined(OPENSSL_IS_BORINGSSL)
    return CS_PACKAGE_VERSION;
#else
    return OpenSSL_version(OPENSSL_VERSION_STRING);
#endif
}

static const cs_library library = {
    .abi = CS_ABI, .id = "tls", .version = version, .version_from = FROM, .tables = CS_ROWS(ops)};

CS_WORKER_MAIN(library)
