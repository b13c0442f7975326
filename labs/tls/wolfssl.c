/* SPDX-License-Identifier: Apache-2.0
 *
 * wolfSSL: its own interface, WOLFSSL_CTX kept, a WOLFSSL a connection, input and output by callbacks.
 */
#include "data.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include <wolfssl/options.h>
#include <wolfssl/ssl.h>
#include <wolfssl/wolfcrypt/asn_public.h>
#include <wolfssl/wolfcrypt/error-crypt.h>

enum { LOADED = 1767225600 }; /* 1 January 2026 */
enum { SENT = 16384, ASN_FIRST = -140, ASN_LAST = -199 };

typedef struct both {
    WOLFSSL_CTX *ctx[TLS_SIDES];
    WOLFSSL *ssl[TLS_SIDES];
    WOLFSSL_SESSION *session;
    uint8_t sent[SENT]; /* what a side sends, one certificate behind another */
} both;

static _Thread_local time_t moment; /* the library asks a function for the time, and hands it nothing */

static time_t now(time_t *to)
{
    if (to != NULL)
        *to = moment;
    return moment;
}

static int fail(const char *what, int error)
{
    char text[200];

    snprintf(text, sizeof text, "%s: %s", what, wc_GetErrorString(error));
    return cs_fail(text);
}

/* ---- transport ---- */

static int receive_from(WOLFSSL *ssl, char *to, int most, void *end)
{
    size_t n = tls_receive(end, (uint8_t *)to, (size_t)most);

    (void)ssl;
    return n > 0 ? (int)n : WOLFSSL_CBIO_ERR_WANT_READ;
}

static int send_to(WOLFSSL *ssl, char *from, int len, void *end)
{
    (void)ssl;
    return tls_send(end, (const uint8_t *)from, (size_t)len) ? len : WOLFSSL_CBIO_ERR_GENERAL;
}

/* ---- what is kept ---- */

static void teardown(tls_case *s)
{
    both *b = s->library;

    if (b == NULL)
        return;
    if (b->session != NULL)
        wolfSSL_SESSION_free(b->session);
    for (int side = 0; side < TLS_SIDES; side++)
        wolfSSL_CTX_free(b->ctx[side]);
    cs_free(b);
    s->library = NULL;
}

/* ---- keys that both sides have from elsewhere ---- */

#ifndef NO_PSK

static unsigned copy_key(WOLFSSL *ssl, int side, unsigned char *to, unsigned most)
{
    const tls_end *end = wolfSSL_GetIOReadCtx(ssl);
    cs_span key = end->of->wish.psk[side];

    if (key.len > most)
        return 0;
    memcpy(to, key.data, key.len);
    return (unsigned)key.len;
}

static unsigned client_key(WOLFSSL *ssl, const char *hint, char *name, unsigned room, unsigned char *key, unsigned most)
{
    (void)hint;
    if (room < sizeof TLS_IDENTITY)
        return 0;
    memcpy(name, TLS_IDENTITY, sizeof TLS_IDENTITY);
    return copy_key(ssl, TLS_CLIENT, key, most);
}

static unsigned server_key(WOLFSSL *ssl, const char *name, unsigned char *key, unsigned most)
{
    return strcmp(name, TLS_IDENTITY) == 0 ? copy_key(ssl, TLS_SERVER, key, most) : 0;
}

static unsigned newer_client_key(WOLFSSL *ssl, const char *hint, char *name, unsigned room, unsigned char *key,
                                 unsigned most, const char **suite)
{
    *suite = "TLS13-AES128-GCM-SHA256";
    return client_key(ssl, hint, name, room, key, most);
}

static unsigned newer_server_key(WOLFSSL *ssl, const char *name, unsigned char *key, unsigned most, const char **suite)
{
    *suite = "TLS13-AES128-GCM-SHA256";
    return server_key(ssl, name, key, most);
}

static void know_key(WOLFSSL_CTX *ctx, const tls_wish *wish, int side)
{
    if (!wish->external)
        return;
    if (side == TLS_CLIENT) {
        wolfSSL_CTX_set_psk_client_callback(ctx, client_key);
        if (wish->version == TLS_1_3)
            wolfSSL_CTX_set_psk_client_tls13_callback(ctx, newer_client_key);
    } else {
        wolfSSL_CTX_set_psk_server_callback(ctx, server_key);
        if (wish->version == TLS_1_3)
            wolfSSL_CTX_set_psk_server_tls13_callback(ctx, newer_server_key);
    }
}

#else

static void know_key(WOLFSSL_CTX *ctx, const tls_wish *wish, int side)
{
    (void)ctx, (void)wish, (void)side;
}

#endif

/* ---- what is kept, further ---- */

static const char *suite_of(const tls_wish *wish)
{
    static const char *const suites[TLS_CIPHERS][3] = {
        {"TLS13-AES128-GCM-SHA256", "ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-RSA-AES128-GCM-SHA256"},
        {"TLS13-AES256-GCM-SHA384", "ECDHE-ECDSA-AES256-GCM-SHA384", "ECDHE-RSA-AES256-GCM-SHA384"},
        {"TLS13-CHACHA20-POLY1305-SHA256", "ECDHE-ECDSA-CHACHA20-POLY1305", "ECDHE-RSA-CHACHA20-POLY1305"}};

    if (wish->version == TLS_1_2 && wish->external)
        return "ECDHE-PSK-CHACHA20-POLY1305";
    return suites[wish->cipher][wish->version == TLS_1_3 ? 0 : wish->cert == TLS_CERT_RSA ? 2 : 1];
}

static const char *signatures_of(const tls_wish *wish)
{
    if (wish->cert == TLS_CERT_P256)
        return wish->rsa_issuer ? "ECDSA+SHA256:RSA+SHA256" : "ECDSA+SHA256";
    if (wish->cert == TLS_CERT_P384)
        return wish->rsa_issuer ? "ECDSA+SHA384:RSA+SHA256" : "ECDSA+SHA384";
    if (wish->cert == TLS_CERT_ED25519)
        return wish->rsa_issuer ? "ED25519:RSA+SHA256" : "ED25519";
    return wish->version == TLS_1_2 ? "RSA+SHA256" : "RSA-PSS+SHA256:RSA+SHA256";
}

static WOLFSSL_CTX *context(const tls_wish *wish, int side)
{
    int old = wish->version == TLS_1_2, client = side == TLS_CLIENT;
    WOLFSSL_CTX *ctx = wolfSSL_CTX_new(client ? (old ? wolfTLSv1_2_client_method() : wolfTLSv1_3_client_method())
                                              : (old ? wolfTLSv1_2_server_method() : wolfTLSv1_3_server_method()));
    int ret = ctx != NULL ? WOLFSSL_SUCCESS : WOLFSSL_FAILURE, groups[TLS_GROUPS];

    tls_groups(wish, side, groups);
    if (ret == WOLFSSL_SUCCESS)
        ret = wolfSSL_CTX_set_cipher_list(ctx, suite_of(wish));
    if (ret == WOLFSSL_SUCCESS &&
        wish->cert != TLS_CERT_MLDSA65) /* its list has no name for it, and the key no other */
        ret = wolfSSL_CTX_set1_sigalgs_list(ctx, signatures_of(wish));
    for (size_t i = 0; groups[i] != 0 && ret == WOLFSSL_SUCCESS; i++)
        ret = wolfSSL_CTX_UseSupportedCurve(ctx, (word16)groups[i]);
    if (ret == WOLFSSL_SUCCESS && wish->retries && !client)
        ret = wolfSSL_CTX_set_groups(ctx, groups, 1);
    if (ret != WOLFSSL_SUCCESS) {
        wolfSSL_CTX_free(ctx);
        return NULL;
    }
    know_key(ctx, wish, side);
    wolfSSL_CTX_SetIORecv(ctx, receive_from);
    wolfSSL_CTX_SetIOSend(ctx, send_to);
    if (!wish->session)
        wolfSSL_CTX_set_session_cache_mode(ctx, WOLFSSL_SESS_CACHE_OFF);
    return ctx;
}

/* The certificates that a side sends, and the key that it proves. */
static int certify(both *b, int side, const cs_span *path, size_t length, cs_span key)
{
    WOLFSSL_CTX *ctx = b->ctx[side];
    size_t len = 0;

    for (size_t i = 0; i < length; i++) {
        if (path[i].len > SENT - len)
            return 0;
        memcpy(b->sent + len, path[i].data, path[i].len);
        len += path[i].len;
    }
    return wolfSSL_CTX_use_certificate_chain_buffer_format(ctx, b->sent, (long)len, WOLFSSL_FILETYPE_ASN1) ==
               WOLFSSL_SUCCESS &&
           wolfSSL_CTX_use_PrivateKey_buffer(ctx, key.data, (long)key.len, WOLFSSL_FILETYPE_ASN1) == WOLFSSL_SUCCESS;
}

/* The library looks at the anchor's own dates while it is loaded, and whatever the flags say: that is done at a moment
 * at which every anchor of ours is valid. */
static int verify_peer(WOLFSSL_CTX *ctx, const tls_wish *wish)
{
    moment = LOADED;
    wolfSSL_CTX_set_verify(ctx, WOLFSSL_VERIFY_PEER | WOLFSSL_VERIFY_FAIL_IF_NO_PEER_CERT, NULL);
    return wolfSSL_CTX_load_verify_buffer(ctx, wish->root.data, (long)wish->root.len, WOLFSSL_FILETYPE_ASN1) ==
           WOLFSSL_SUCCESS;
}

static int setup(tls_case *s)
{
    const tls_wish *wish = &s->wish;
    both *b = s->library = cs_alloc(sizeof *b);

    if (b == NULL)
        return CS_ERROR;
    for (int side = 0; side < TLS_SIDES; side++)
        if ((b->ctx[side] = context(wish, side)) == NULL)
            return cs_fail("wolfSSL_CTX_new");
    if (!verify_peer(b->ctx[TLS_CLIENT], wish) || (wish->mutual && !verify_peer(b->ctx[TLS_SERVER], wish)))
        return cs_fail("wolfSSL_CTX_load_verify_buffer");
    if (!certify(b, TLS_SERVER, wish->path, wish->path_length, wish->key) ||
        (wish->mutual && !certify(b, TLS_CLIENT, wish->client_path, wish->path_length, wish->client_key)))
        return cs_fail("wolfSSL_CTX_use_certificate_chain_buffer");
    if (!wish->resumes)
        wolfSSL_CTX_no_ticket_TLSv13(b->ctx[TLS_SERVER]);
    else if (wish->version == TLS_1_2 && wolfSSL_CTX_UseSessionTicket(b->ctx[TLS_CLIENT]) != WOLFSSL_SUCCESS)
        return cs_fail("wolfSSL_CTX_UseSessionTicket");
    return CS_OK;
}

static int share(tls_case *s, const tls_case *of)
{
    const both *from = of->library;
    both *b = s->library = cs_alloc(sizeof *b);

    if (b == NULL)
        return CS_ERROR;
    for (int side = 0; side < TLS_SIDES; side++)
        if (wolfSSL_CTX_up_ref(from->ctx[side]) == WOLFSSL_SUCCESS)
            b->ctx[side] = from->ctx[side];
    return b->ctx[TLS_CLIENT] != NULL && b->ctx[TLS_SERVER] != NULL ? CS_OK : cs_fail("wolfSSL_CTX_up_ref");
}

/* ---- a connection ---- */

static int open_side(tls_case *s, int side)
{
    both *b = s->library;
    WOLFSSL *ssl = wolfSSL_new(b->ctx[side]);
    const char *host = s->wish.host;

    if (ssl == NULL)
        return cs_fail("wolfSSL_new");
    wolfSSL_SetIOReadCtx(ssl, &s->end[side]);
    wolfSSL_SetIOWriteCtx(ssl, &s->end[side]);
    /* Without it the first key share is of a group that the library likes best. */
    if (side == TLS_CLIENT && s->wish.version == TLS_1_3 &&
        wolfSSL_UseKeyShare(ssl, (word16)(s->wish.retries ? s->wish.retries : s->wish.group)) != WOLFSSL_SUCCESS) {
        wolfSSL_free(ssl);
        return cs_fail("wolfSSL_UseKeyShare");
    }
    if (side == TLS_CLIENT &&
        (wolfSSL_UseSNI(ssl, WOLFSSL_SNI_HOST_NAME, host, (unsigned short)strlen(host)) != WOLFSSL_SUCCESS ||
         wolfSSL_check_domain_name(ssl, host) != WOLFSSL_SUCCESS)) {
        wolfSSL_free(ssl);
        return cs_fail("wolfSSL_check_domain_name");
    }
    if (side == TLS_CLIENT && b->session != NULL && wolfSSL_set_session(ssl, b->session) != WOLFSSL_SUCCESS) {
        wolfSSL_free(ssl);
        return cs_fail("wolfSSL_set_session");
    }
    b->ssl[side] = ssl;
    return CS_OK;
}

static int refuses(int error)
{
    return (error <= ASN_FIRST && error >= ASN_LAST) || error == DOMAIN_NAME_MISMATCH || error == NOT_CA_ERROR ||
           error == VERIFY_CERT_ERROR || error == KEYUSAGE_E || error == ASN_PATHLEN_SIZE_E ||
           error == ASN_PATHLEN_INV_E;
}

static int step(tls_case *s, int side)
{
    WOLFSSL *ssl = ((both *)s->library)->ssl[side];
    int ret, error;

    moment = (time_t)s->wish.time;
    ret = side == TLS_CLIENT ? wolfSSL_connect(ssl) : wolfSSL_accept(ssl);
    if (ret == WOLFSSL_SUCCESS)
        return TLS_DONE;
    error = wolfSSL_get_error(ssl, ret);
    if (error == WOLFSSL_ERROR_WANT_READ)
        return TLS_WAITS;
    if ((side == TLS_CLIENT || s->wish.mutual) && refuses(error))
        return TLS_REFUSED;
    fail(side == TLS_CLIENT ? "client, wolfSSL_connect" : "server, wolfSSL_accept", error);
    return TLS_FAILED;
}

/* Of TLS 1.3 a side's signature is the only one that the other offered and that may prove a key there. */
static void told(tls_case *s, int side, tls_agreed *agreed)
{
    WOLFSSL *ssl = ((both *)s->library)->ssl[side];
    int version = wolfSSL_GetVersion(ssl);

    agreed->version = version == WOLFSSL_TLSV1_3 ? TLS_1_3 : version == WOLFSSL_TLSV1_2 ? TLS_1_2 : 0;
    agreed->suite = wolfSSL_get_current_cipher_suite(ssl);
    agreed->resumed = wolfSSL_session_reused(ssl);
    if (agreed->version != TLS_1_3 || agreed->resumed || s->wish.external)
        return;
    agreed->signature = s->wish.signature;
    if (s->wish.mutual && side == TLS_SERVER)
        agreed->client_signature = wolfSSL_get_chain_count(wolfSSL_get_peer_chain(ssl)) > 0 ? s->wish.signature : 0;
}

static void close_side(tls_case *s, int side)
{
    both *b = s->library;

    wolfSSL_free(b->ssl[side]);
    b->ssl[side] = NULL;
}

static int keep(tls_case *s)
{
    both *b = s->library;
    uint8_t byte;

    /* The ticket of TLS 1.3 comes behind the handshake. */
    if (s->wish.version == TLS_1_3 && wolfSSL_read(b->ssl[TLS_CLIENT], &byte, 1) > 0)
        return cs_fail("data where there are none");
    b->session = wolfSSL_get1_session(b->ssl[TLS_CLIENT]);
    wolfSSL_CTX_no_ticket_TLSv13(b->ctx[TLS_SERVER]);
    return b->session != NULL ? CS_OK : cs_fail("no ticket came");
}

const tls_library tls_here = {setup, teardown, open_side, step, told, close_side, keep, share};

static int write_data(tls_case *s, int side, const uint8_t *from, int len)
{
    return wolfSSL_write(((both *)s->library)->ssl[side], from, len) == len;
}

static int read_data(tls_case *s, int side, uint8_t *to, int most)
{
    WOLFSSL *ssl = ((both *)s->library)->ssl[side];
    int n = wolfSSL_read(ssl, to, most), error;

    if (n > 0)
        return n;
    error = wolfSSL_get_error(ssl, n);
    return error == WOLFSSL_ERROR_WANT_READ ? 0 : -fail("wolfSSL_read", error);
}

const tls_data tls_data_here = {write_data, read_data};

static void *part(tls_case *s, int side)
{
    return ((both *)s->library)->ssl[side];
}

static void join(tls_case *s, int side, void *connection)
{
    ((both *)s->library)->ssl[side] = connection;
}

const tls_idle tls_idle_here = {part, join, {0, 0}};

/* ---- identity ---- */

TLS_WHY(no_early, "this build leaves early data out")
TLS_WHY(other_curve, "of two curves its server takes P-256, which a certificate of P-256 needs as well")

#if LIBWOLFSSL_VERSION_HEX >= 0x05009000
TLS_WHY(no_key, "this build leaves external keys out")
TLS_WHY(other_signature, "the client signs with PSS, whatever list it was given")

static const cs_op ops[] = {TLS_LACKS(TLS_AXIS_EARLY, no_early), TLS_LACKS(TLS_AXIS_PSK, no_key),
                            TLS_LACKS("version=1.2,cert=rsa-2048|rsa-3072,auth=mutual", other_signature),
                            TLS_LACKS("group=p-384,cert=p-256", other_curve),
                            TLS_ROWS("wolfSSL_connect, wolfSSL_accept")};
#else
TLS_WHY(no_mldsa, "wolfSSL 5.5 has no ML-DSA")
TLS_WHY(no_hybrid, "wolfSSL 5.5 has groups with ML-KEM's draft alone, and with liboqs")

TLS_WHY(no_x25519, "its client takes no X25519 in suites with external keys")

static const cs_op ops[] = {TLS_LACKS(TLS_AXIS_MLDSA, no_mldsa),
                            TLS_LACKS(TLS_AXIS_EARLY, no_early),
                            TLS_LACKS(TLS_AXIS_POSTQUANTUM, no_hybrid),
                            TLS_LACKS("version=1.2,group=x25519," TLS_AXIS_PSK, no_x25519),
                            TLS_LACKS("group=p-384,cert=p-256", other_curve),
                            TLS_ROWS("wolfSSL_connect, wolfSSL_accept")};
#endif

static int open_library(void)
{
    if (wolfSSL_Init() != WOLFSSL_SUCCESS)
        return CS_ERROR;
    return wc_SetTimeCb(now) == 0 ? CS_OK : CS_ERROR;
}

static const cs_library library = {.abi = CS_ABI,
                                   .id = "tls",
                                   .version = wolfSSL_lib_version,
                                   .version_from = "library",
                                   .open = open_library,
                                   .tables = CS_ROWS(ops)};

CS_WORKER_MAIN(library)
