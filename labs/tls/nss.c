/* SPDX-License-Identifier: Apache-2.0
 *
 * NSS: a model socket kept for each side, a socket a connection over a layer of NSPR's that is our own, and no
 * database. The server's leaf is kept by the same process, so the client, which looks at the certificates in memory,
 * has already read it.
 *
 * Certificates in memory are the whole process's, and NSS refuses a second one of the same issuer and number. So one
 * case at a time has its certificates in memory. A case whose turn comes again reads them again, in no figure.
 */
#include "nss_shared.h"

#include <string.h>

#include <cert.h>
#include <certdb.h>
#include <keyhi.h>
#include <nss.h>
#include <pk11pub.h>
#include <prerror.h>
#include <prio.h>
#include <prnetdb.h>
#include <secerr.h>
#include <ssl.h>
#include <sslerr.h>
#include <sslexp.h>
#include <sslproto.h>

enum { PORT = 443, CACHED = 16 };

static tls_case *present; /* whose certificates are in memory */
static PRDescIdentity identity;
static PRIOMethods methods;

/* ---- transport ---- */

static const tls_end *end_of(PRFileDesc *fd)
{
    return (const tls_end *)(const void *)fd->secret;
}

static PRInt32 layer_receive(PRFileDesc *fd, void *to, PRInt32 most, PRIntn flags, PRIntervalTime timeout)
{
    size_t n = tls_receive(end_of(fd), to, (size_t)most);

    (void)flags, (void)timeout;
    if (n > 0)
        return (PRInt32)n;
    PR_SetError(PR_WOULD_BLOCK_ERROR, 0);
    return -1;
}

static PRInt32 layer_read(PRFileDesc *fd, void *to, PRInt32 most)
{
    return layer_receive(fd, to, most, 0, PR_INTERVAL_NO_TIMEOUT);
}

static PRInt32 layer_send(PRFileDesc *fd, const void *from, PRInt32 len, PRIntn flags, PRIntervalTime timeout)
{
    (void)flags, (void)timeout;
    if (tls_send(end_of(fd), from, (size_t)len))
        return len;
    PR_SetError(PR_BUFFER_OVERFLOW_ERROR, 0);
    return -1;
}

static PRInt32 layer_write(PRFileDesc *fd, const void *from, PRInt32 len)
{
    return layer_send(fd, from, len, 0, PR_INTERVAL_NO_TIMEOUT);
}

/* The peer that a session is kept for. */
static PRStatus layer_peer(PRFileDesc *fd, PRNetAddr *to)
{
    (void)fd;
    memset(to, 0, sizeof *to);
    return PR_InitializeNetAddr(PR_IpAddrLoopback, PORT, to);
}

static PRStatus layer_option(PRFileDesc *fd, PRSocketOptionData *data)
{
    (void)fd;
    if (data->option != PR_SockOpt_Nonblocking) {
        PR_SetError(PR_INVALID_ARGUMENT_ERROR, 0);
        return PR_FAILURE;
    }
    data->value.non_blocking = PR_TRUE;
    return PR_SUCCESS;
}

static PRStatus layer_set_option(PRFileDesc *fd, const PRSocketOptionData *data)
{
    (void)fd, (void)data;
    return PR_SUCCESS;
}

static PRStatus layer_close(PRFileDesc *fd)
{
    fd->secret = NULL;
    fd->dtor(fd);
    return PR_SUCCESS;
}

static PRFileDesc *layer(const tls_end *end)
{
    PRFileDesc *fd = PR_CreateIOLayerStub(identity, &methods);

    if (fd != NULL)
        fd->secret = (PRFilePrivate *)(void *)(uintptr_t)end;
    return fd;
}

static void make_methods(void)
{
    identity = PR_GetUniqueIdentity("pipe");
    methods = *PR_GetDefaultIOMethods();
    methods.recv = layer_receive;
    methods.read = layer_read;
    methods.send = layer_send;
    methods.write = layer_write;
    methods.getpeername = methods.getsockname = layer_peer;
    methods.getsocketoption = layer_option;
    methods.setsocketoption = layer_set_option;
    methods.close = layer_close;
}

/* ---- what is kept ---- */

static void unload(void)
{
    both *b;

    if (present == NULL)
        return;
    tls_disconnect(present); /* an open connection keeps its certificates in memory */
    b = present->library;
    for (int side = 0; side < TLS_SIDES; side++) {
        if (b->model[side] != NULL)
            PR_Close(b->model[side]);
        b->model[side] = NULL;
    }
    own_forget_certificates(b);
    present = NULL;
}

static void teardown(tls_case *s)
{
    for (int side = 0; side < TLS_SIDES && s->library != NULL; side++)
        own_forget_key(s->library, side);
    if (present == s)
        unload();
    cs_free(s->library);
    s->library = NULL;
}

static int set_suite(PRFileDesc *fd, const tls_wish *wish)
{
    const PRUint16 *all = SSL_GetImplementedCiphers();

    for (unsigned i = 0; i < SSL_GetNumImplementedCiphers(); i++)
        if (SSL_CipherPrefSet(fd, all[i], all[i] == wish->suite) != SECSuccess)
            return 0;
    return 1;
}

static int set_groups(PRFileDesc *fd, const tls_wish *wish, int side)
{
    int groups[TLS_GROUPS];
    SSLNamedGroup named[TLS_GROUPS];
    unsigned n = 0;

    tls_groups(wish, side, groups);
    for (; groups[n] != 0; n++)
        named[n] = (SSLNamedGroup)groups[n];
    return SSL_NamedGroupConfig(fd, named, n) == SECSuccess;
}

/* One for the server's proof; what certificates are signed with by keys of RSA stands behind it. */
static int set_signatures(PRFileDesc *fd, const tls_wish *wish)
{
    SSLSignatureScheme schemes[2] = {(SSLSignatureScheme)wish->signature, ssl_sig_rsa_pkcs1_sha256};
    int both = wish->signature == TLS_RSA_PSS || wish->rsa_issuer;

    return SSL_SignatureSchemePrefSet(fd, schemes, both ? 2 : 1) == SECSuccess;
}

/* A server may use one key of the exchange for many connections; none here does. A client without a cache does not say
 * how it would use an external key. */
static int set_options(PRFileDesc *fd, const tls_wish *wish, int side)
{
    int caches = wish->resumes || (wish->external && side == TLS_CLIENT);

    return SSL_OptionSet(fd, SSL_NO_CACHE, !caches) == SECSuccess &&
           SSL_OptionSet(fd, SSL_ENABLE_SESSION_TICKETS, wish->resumes) == SECSuccess &&
           SSL_OptionSet(fd, SSL_REUSE_SERVER_ECDHE_KEY, PR_FALSE) == SECSuccess;
}

static PRFileDesc *model(const tls_case *s, int side)
{
    SSLVersionRange range = {(PRUint16)s->wish.version, (PRUint16)s->wish.version};
    PRFileDesc *under = layer(&s->end[side]), *fd;

    if (under == NULL)
        return NULL;
    fd = SSL_ImportFD(NULL, under);
    if (fd == NULL) {
        PR_Close(under);
        return NULL;
    }
    if (SSL_VersionRangeSet(fd, &range) == SECSuccess && set_suite(fd, &s->wish) && set_groups(fd, &s->wish, side) &&
        set_signatures(fd, &s->wish) && set_options(fd, &s->wish, side) && own_set_early(fd, &s->wish, side))
        return fd;
    PR_Close(fd);
    return NULL;
}

/* Without it a server that gives out tickets does not start. */
static int have_cache(void)
{
    static int had;

    if (!had)
        had = SSL_ConfigServerSessionIDCache(CACHED, 0, 0, NULL) == SECSuccess;
    return had;
}

static int load(tls_case *s)
{
    both *b = s->library;

    if (present == s)
        return CS_OK;
    unload();
    present = s;
    for (int side = 0; side < TLS_SIDES; side++)
        if ((b->model[side] = model(s, side)) == NULL)
            return own_fail("SSL_ImportFD");
    if (!own_fill_client(s))
        return own_fail("the trust anchor");
    if (!own_fill_server(s))
        return own_fail("the server's certificate and key");
    return CS_OK;
}

static int setup(tls_case *s)
{
    s->library = cs_alloc(sizeof(both));
    if (s->library == NULL)
        return CS_ERROR;
    if (s->wish.resumes && !have_cache())
        return own_fail("SSL_ConfigServerSessionIDCache");
    for (int side = 0; side < TLS_SIDES; side++)
        if (!own_know_key(s->library, side, s->wish.psk[side]))
            return own_fail("PK11_ImportSymKey");
    return load(s);
}

/* ---- a connection ---- */

static SECStatus take(PRFileDesc *fd, const PRUint8 *ticket, unsigned len, void *arg)
{
    tls_case *s = arg;
    both *b = s->library;

    (void)fd;
    if (!s->first || len > TICKET)
        return SECSuccess;
    memcpy(b->ticket, ticket, len);
    b->ticket_length = len;
    return SECSuccess;
}

/* A server of TLS 1.3 that resumes gives out a ticket again, unless tickets are switched off. */
static int set_tickets(tls_case *s, PRFileDesc *fd, int side)
{
    both *b = s->library;

    if (!s->wish.resumes)
        return 1;
    if (side == TLS_SERVER)
        return s->wish.version == TLS_1_2 ||
               SSL_OptionSet(fd, SSL_ENABLE_SESSION_TICKETS, s->first ? PR_TRUE : PR_FALSE) == SECSuccess;
    return SSL_SetResumptionTokenCallback(fd, take, s) == SECSuccess &&
           (s->first || SSL_SetResumptionToken(fd, b->ticket, b->ticket_length) == SECSuccess);
}

static int load_aside(tls_case *s, int side)
{
    int status;

    if (present == s)
        return CS_OK;
    if (s->timed == side)
        cs_aside_begin();
    status = load(s);
    if (s->timed == side)
        cs_aside_end();
    return status;
}

static int open_side(tls_case *s, int side)
{
    both *b = s->library;
    PRFileDesc *under, *fd;

    if (load_aside(s, side) != CS_OK)
        return CS_ERROR;
    under = layer(&s->end[side]);
    if (under == NULL)
        return own_fail("PR_CreateIOLayerStub");
    fd = SSL_ImportFD(b->model[side], under);
    if (fd == NULL) {
        PR_Close(under);
        return own_fail("SSL_ImportFD");
    }
    if (SSL_ResetHandshake(fd, side == TLS_SERVER) != SECSuccess || !set_tickets(s, fd, side) ||
        !own_use_key(b, side, fd)) {
        own_fail("SSL_ResetHandshake");
        PR_Close(fd);
        return CS_ERROR;
    }
    b->fd[side] = fd;
    b->refused[side] = b->early_sent = 0;
    return CS_OK;
}

static int step(tls_case *s, int side)
{
    both *b = s->library;

    if (SSL_ForceHandshake(b->fd[side]) == SECSuccess)
        return TLS_DONE;
    if (PR_GetError() == PR_WOULD_BLOCK_ERROR) {
        own_early(s, side);
        return TLS_WAITS;
    }
    if (b->refused[side])
        return TLS_REFUSED;
    own_fail(side == TLS_CLIENT ? "client, SSL_ForceHandshake" : "server, SSL_ForceHandshake");
    return TLS_FAILED;
}

/* Which signature a client proved its key by is not in the interface: of TLS 1.3 the only one that was offered. */
static void told(tls_case *s, int side, tls_agreed *agreed)
{
    CERTCertificate *peer = NULL;
    SSLChannelInfo info;

    if (SSL_GetChannelInfo(((both *)s->library)->fd[side], &info, sizeof info) != SECSuccess)
        return;
    agreed->version = info.protocolVersion;
    agreed->suite = info.cipherSuite;
    agreed->resumed = info.resumed != PR_FALSE;
    agreed->early = info.earlyDataAccepted != PR_FALSE;
    agreed->group = agreed->resumed && agreed->version == TLS_1_2 ? 0 : (int)info.keaGroup;
    agreed->signature = agreed->resumed || s->wish.external ? 0 : (int)info.signatureScheme;
    if (s->wish.mutual && side == TLS_SERVER && agreed->version == TLS_1_3) {
        peer = SSL_PeerCertificate(((both *)s->library)->fd[side]);
        agreed->client_signature = peer != NULL ? s->wish.signature : 0;
    }
    if (peer != NULL)
        CERT_DestroyCertificate(peer);
}

/* Says goodbye to the peer: the interface has no end without it. */
static void close_side(tls_case *s, int side)
{
    both *b = s->library;

    PR_Close(b->fd[side]);
    b->fd[side] = NULL;
}

/* The ticket of TLS 1.3 comes behind the handshake. */
static int keep(tls_case *s)
{
    both *b = s->library;
    uint8_t byte;

    if (s->wish.version == TLS_1_3 && PR_Recv(b->fd[TLS_CLIENT], &byte, 1, 0, PR_INTERVAL_NO_TIMEOUT) > 0)
        return cs_fail("data where there are none");
    return b->ticket_length > 0 ? CS_OK : own_fail("no ticket came");
}

const tls_library tls_here = {setup, teardown, open_side, step, told, close_side, keep, NULL};

/* ---- identity ---- */

static const char *no_ed25519(const cs_op *op)
{
    (void)op;
    return "its TLS has no signatures of Ed25519";
}

TLS_WHY(no_older_key, "NSS has external keys in TLS 1.3 alone")
TLS_WHY(one_case, "certificates in memory are the whole process's: the adapter keeps those of one connection at a time")
TLS_WHY(no_mldsa, "this version has no signatures of ML-DSA in TLS")
TLS_WHY(not_yet, "the library has it; this adapter does not ask for it yet")

#if NSS_VMAJOR == 3 && NSS_VMINOR < 105
TLS_WHY(no_hybrid, "this version has no groups with ML-KEM")
#else
TLS_WHY(no_hybrid, "the library has it; this adapter does not ask for it yet")
#endif

static const cs_op ops[] = {TLS_LACKS(TLS_AXIS_MLDSA, no_mldsa),
                            TLS_LACKS(TLS_AXIS_THREADS, one_case),
                            TLS_LACKS(TLS_AXIS_SESSION, not_yet),
                            TLS_LACKS("version=1.2," TLS_AXIS_PSK, no_older_key),
                            TLS_LACKS(TLS_AXIS_POSTQUANTUM, no_hybrid),
                            TLS_LACKS("cert=ed25519", no_ed25519),
                            TLS_ROWS("SSL_ForceHandshake")};

static int open_library(void)
{
    if (NSS_NoDB_Init(NULL) != SECSuccess || NSS_SetDomesticPolicy() != SECSuccess)
        return CS_ERROR;
    /* Else a certificate is good a day before it begins. */
    CERT_SetSlopTime(0);
    make_methods();
    return CS_OK;
}

/* Without the words behind it. */
static const char *version(void)
{
    static char text[32];
    size_t len = strcspn(NSS_GetVersion(), " ");

    if (len >= sizeof text)
        return NSS_GetVersion();
    memcpy(text, NSS_GetVersion(), len);
    return text;
}

static const cs_library library = {.abi = CS_ABI,
                                   .id = "tls",
                                   .version = version,
                                   .version_from = "library",
                                   .open = open_library,
                                   .tables = CS_ROWS(ops)};

CS_WORKER_MAIN(library)
