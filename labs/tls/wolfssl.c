/* SPDX-License-Identifier: Apache-2.0
 *
 * wolfSSL: its own interface, WOLFSSL_CTX kept, a WOLFSSL a connection, input and output by callbacks.
 */
#include "tls.h"

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
    uint8_t sent[SENT]; /* what the server sends, one certificate behind another */
} both;

static time_t moment; /* the library asks a function for the time, and hands it nothing */

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

static const char *suite_of(const tls_wish *wish)
{
    if (wish->version == TLS_1_3)
        return "TLS13-AES128-GCM-SHA256";
    return wish->cert == TLS_CERT_RSA ? "ECDHE-RSA-AES128-GCM-SHA256" : "ECDHE-ECDSA-AES128-GCM-SHA256";
}

static const char *signatures_of(const tls_wish *wish)
{
    if (wish->cert == TLS_CERT_P256)
        return "ECDSA+SHA256";
    if (wish->cert == TLS_CERT_ED25519)
        return "ED25519";
    return wish->version == TLS_1_2 ? "RSA+SHA256" : "RSA-PSS+SHA256:RSA+SHA256";
}

static WOLFSSL_CTX *context(const tls_wish *wish, int side)
{
    int old = wish->version == TLS_1_2, client = side == TLS_CLIENT;
    WOLFSSL_CTX *ctx = wolfSSL_CTX_new(client ? (old ? wolfTLSv1_2_client_method() : wolfTLSv1_3_client_method())
                                              : (old ? wolfTLSv1_2_server_method() : wolfTLSv1_3_server_method()));
    int ret = ctx != NULL ? WOLFSSL_SUCCESS : WOLFSSL_FAILURE;

    if (ret == WOLFSSL_SUCCESS)
        ret = wolfSSL_CTX_set_cipher_list(ctx, suite_of(wish));
    if (ret == WOLFSSL_SUCCESS)
        ret = wolfSSL_CTX_set1_sigalgs_list(ctx, signatures_of(wish));
    if (ret == WOLFSSL_SUCCESS)
        ret = wolfSSL_CTX_UseSupportedCurve(ctx, (word16)wish->group);
    if (ret == WOLFSSL_SUCCESS && old && wish->group == TLS_X25519 && wish->cert == TLS_CERT_P256)
        ret = wolfSSL_CTX_UseSupportedCurve(ctx, TLS_P256);
    if (ret != WOLFSSL_SUCCESS) {
        wolfSSL_CTX_free(ctx);
        return NULL;
    }
    wolfSSL_CTX_SetIORecv(ctx, receive_from);
    wolfSSL_CTX_SetIOSend(ctx, send_to);
    wolfSSL_CTX_set_session_cache_mode(ctx, WOLFSSL_SESS_CACHE_OFF);
    return ctx;
}

static int fill_server(both *b, const tls_wish *wish)
{
    WOLFSSL_CTX *ctx = b->ctx[TLS_SERVER];
    size_t len = 0;

    for (size_t i = 0; i < wish->path_length; i++) {
        if (wish->path[i].len > SENT - len)
            return 0;
        memcpy(b->sent + len, wish->path[i].data, wish->path[i].len);
        len += wish->path[i].len;
    }
    return wolfSSL_CTX_use_certificate_chain_buffer_format(ctx, b->sent, (long)len, WOLFSSL_FILETYPE_ASN1) ==
               WOLFSSL_SUCCESS &&
           wolfSSL_CTX_use_PrivateKey_buffer(ctx, wish->key.data, (long)wish->key.len, WOLFSSL_FILETYPE_ASN1) ==
               WOLFSSL_SUCCESS;
}

/* The library looks at the anchor's own dates while it is loaded, and whatever the flags say: that is done at a moment
 * at which every anchor of ours is valid. */
static int fill_client(both *b, const tls_wish *wish)
{
    WOLFSSL_CTX *ctx = b->ctx[TLS_CLIENT];

    moment = LOADED;
    wolfSSL_CTX_set_verify(ctx, WOLFSSL_VERIFY_PEER, NULL);
    return wolfSSL_CTX_load_verify_buffer(ctx, wish->root.data, (long)wish->root.len, WOLFSSL_FILETYPE_ASN1) ==
           WOLFSSL_SUCCESS;
}

static int setup(tls_case *s)
{
    both *b = s->library = cs_alloc(sizeof *b);

    if (b == NULL)
        return CS_ERROR;
    for (int side = 0; side < TLS_SIDES; side++)
        if ((b->ctx[side] = context(&s->wish, side)) == NULL)
            return cs_fail("wolfSSL_CTX_new");
    if (!fill_client(b, &s->wish))
        return cs_fail("wolfSSL_CTX_load_verify_buffer");
    if (!fill_server(b, &s->wish))
        return cs_fail("wolfSSL_CTX_use_certificate_chain_buffer");
    if (!s->wish.resumes)
        wolfSSL_CTX_no_ticket_TLSv13(b->ctx[TLS_SERVER]);
    return CS_OK;
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
    /* Without it the first key share is another group's, and the server asks for a second hello. */
    if (side == TLS_CLIENT && s->wish.version == TLS_1_3 &&
        wolfSSL_UseKeyShare(ssl, (word16)s->wish.group) != WOLFSSL_SUCCESS) {
        wolfSSL_free(ssl);
        return cs_fail("wolfSSL_UseKeyShare");
    }
    if (side == TLS_CLIENT &&
        (wolfSSL_UseSNI(ssl, WOLFSSL_SNI_HOST_NAME, host, (unsigned short)strlen(host)) != WOLFSSL_SUCCESS ||
         wolfSSL_check_domain_name(ssl, host) != WOLFSSL_SUCCESS)) {
        wolfSSL_free(ssl);
        return cs_fail("wolfSSL_check_domain_name");
    }
    b->ssl[side] = ssl;
    return CS_OK;
}

static int refuses(int error)
{
    return (error <= ASN_FIRST && error >= ASN_LAST) || error == DOMAIN_NAME_MISMATCH || error == NOT_CA_ERROR ||
           error == VERIFY_CERT_ERROR || error == KEYUSAGE_E;
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
    if (side == TLS_CLIENT && refuses(error))
        return TLS_REFUSED;
    fail(side == TLS_CLIENT ? "client, wolfSSL_connect" : "server, wolfSSL_accept", error);
    return TLS_FAILED;
}

/* Of TLS 1.3 the client's signature is the only one that it offered and that may prove a key there. */
static void told(tls_case *s, int side, tls_agreed *agreed)
{
    WOLFSSL *ssl = ((both *)s->library)->ssl[side];
    int version = wolfSSL_GetVersion(ssl);

    agreed->version = version == WOLFSSL_TLSV1_3 ? TLS_1_3 : version == WOLFSSL_TLSV1_2 ? TLS_1_2 : 0;
    agreed->suite = wolfSSL_get_current_cipher_suite(ssl);
    agreed->resumed = wolfSSL_session_reused(ssl);
    if (agreed->version == TLS_1_3 && !agreed->resumed)
        agreed->signature = s->wish.signature;
}

static void close_side(tls_case *s, int side)
{
    both *b = s->library;

    wolfSSL_free(b->ssl[side]);
    b->ssl[side] = NULL;
}

const tls_library tls_here = {setup, teardown, open_side, step, told, close_side, NULL};

/* ---- who it is ---- */

static const char *no_ticket(const cs_op *op)
{
    (void)op;
    return "tickets are not in the adapter yet";
}

static const cs_op ops[] = {TLS_LACKS("mode=ticket", no_ticket), TLS_ROWS("wolfSSL_connect, wolfSSL_accept")};

static int open_library(void)
{
    if (wolfSSL_Init() != WOLFSSL_SUCCESS)
        return CS_ERROR;
    return wc_SetTimeCb(now) == 0 ? CS_OK : CS_ERROR;
}

static const cs_library library = {.id = "tls",
                                   .version = wolfSSL_lib_version,
                                   .version_from = "library",
                                   .open = open_library,
                                   .ops = ops,
                                   .n_ops = CS_COUNT(ops)};

CS_WORKER_MAIN(library)
