/* SPDX-License-Identifier: Apache-2.0
 *
 * Certificates with NSS: what each side has, sends and verifies.
 */
#include "nss_shared.h"

#include <certdb.h>
#include <keyhi.h>
#include <prtime.h>
#include <ssl.h>

static SECItem item(cs_span bytes)
{
    return (SECItem){siBuffer, (unsigned char *)(uintptr_t)bytes.data, (unsigned)bytes.len};
}

static CERTCertificate *certificate(cs_span bytes)
{
    SECItem der = item(bytes);

    return CERT_NewTempCertificate(CERT_GetDefaultCertDB(), &der, NULL, PR_FALSE, PR_TRUE);
}

/* NULL if it is none. */
static SECKEYPrivateKey *private_key(cs_span bytes)
{
    SECItem der = item(bytes);
    PK11SlotInfo *token = PK11_GetInternalSlot();
    SECKEYPrivateKey *key = NULL;

    if (token == NULL)
        return NULL;
    if (PK11_ImportDERPrivateKeyInfoAndReturnKey(token, &der, NULL, NULL, PR_FALSE, PR_FALSE, KU_ALL, &key, NULL) !=
        SECSuccess)
        key = NULL;
    PK11_FreeSlot(token);
    return key;
}

/* What SSL_AuthCertificate does, at another time than now. What it asks of the key of a server would be right for RSA
 * that enciphers keys; here keys sign, as those of clients do. */
static SECStatus verify(void *arg, PRFileDesc *fd, PRBool check, PRBool server)
{
    tls_case *s = arg;
    both *b = s->library;
    CERTCertificate *leaf = SSL_PeerCertificate(fd);
    SECCertUsage usage = server || s->wish.cert == TLS_CERT_RSA ? certUsageSSLClient : certUsageSSLServer;
    SECStatus status = SECFailure;

    if (leaf != NULL) {
        status =
            CERT_VerifyCert(CERT_GetDefaultCertDB(), leaf, check, usage, s->wish.time * PR_USEC_PER_SEC, NULL, NULL);
        if (status == SECSuccess && !server)
            status = CERT_VerifyCertName(leaf, s->wish.host);
        CERT_DestroyCertificate(leaf);
    }
    b->refused[server ? TLS_SERVER : TLS_CLIENT] = status != SECSuccess;
    return status;
}

/* The certificate and the key of a client that is asked for them, as copies. */
static SECStatus hand_over(void *arg, PRFileDesc *fd, CERTDistNames *names, CERTCertificate **to,
                           SECKEYPrivateKey **key)
{
    const both *b = arg;

    (void)fd, (void)names;
    *to = CERT_DupCertificate(b->client);
    *key = SECKEY_CopyPrivateKey(b->client_key);
    return *to != NULL && *key != NULL ? SECSuccess : SECFailure;
}

/* What stands between a client's certificate and the root is found in memory. */
static int fill_mutual(tls_case *s)
{
    both *b = s->library;
    const tls_wish *wish = &s->wish;
    PRFileDesc *client = b->model[TLS_CLIENT], *server = b->model[TLS_SERVER];

    for (size_t i = 1; i < wish->path_length; i++)
        if ((b->between[i] = certificate(wish->path[i])) == NULL)
            return 0;
    b->client = certificate(wish->client_path[0]);
    b->client_key = private_key(wish->client_key);
    return b->client != NULL && b->client_key != NULL &&
           SSL_GetClientAuthDataHook(client, hand_over, b) == SECSuccess &&
           SSL_OptionSet(server, SSL_REQUEST_CERTIFICATE, PR_TRUE) == SECSuccess &&
           SSL_OptionSet(server, SSL_REQUIRE_CERTIFICATE, SSL_REQUIRE_ALWAYS) == SECSuccess &&
           SSL_AuthCertificateHook(server, verify, s) == SECSuccess;
}

int own_fill_client(tls_case *s)
{
    both *b = s->library;
    PRFileDesc *fd = b->model[TLS_CLIENT];
    CERTCertTrust trust;

    b->root = certificate(s->wish.root);
    return b->root != NULL && CERT_DecodeTrustString(&trust, "CT,C,C") == SECSuccess &&
           CERT_ChangeCertTrust(CERT_GetDefaultCertDB(), b->root, &trust) == SECSuccess &&
           SSL_SetURL(fd, s->wish.host) == SECSuccess && SSL_AuthCertificateHook(fd, verify, s) == SECSuccess;
}

int own_fill_server(tls_case *s)
{
    both *b = s->library;
    const tls_wish *wish = &s->wish;
    SECItem sent[TLS_PATH];
    CERTCertificateList chain = {.certs = sent, .len = (int)wish->path_length};
    SSLExtraServerCertData extra = {.authType = ssl_auth_null, .certChain = &chain};
    CERTCertificate *leaf = certificate(wish->path[0]);
    SECKEYPrivateKey *key = private_key(wish->key);
    int done;

    for (size_t i = 0; i < wish->path_length; i++)
        sent[i] = item(wish->path[i]);
    done = leaf != NULL && key != NULL &&
           SSL_ConfigServerCert(b->model[TLS_SERVER], leaf, key, &extra, sizeof extra) == SECSuccess;
    if (key != NULL)
        SECKEY_DestroyPrivateKey(key);
    if (leaf != NULL)
        CERT_DestroyCertificate(leaf);
    return done && (!wish->mutual || fill_mutual(s));
}

static void forget(CERTCertificate **one)
{
    if (*one != NULL)
        CERT_DestroyCertificate(*one);
    *one = NULL;
}

void own_forget_certificates(both *b)
{
    forget(&b->root);
    forget(&b->client);
    for (size_t i = 0; i < TLS_PATH; i++)
        forget(&b->between[i]);
    if (b->client_key != NULL)
        SECKEY_DestroyPrivateKey(b->client_key);
    b->client_key = NULL;
}
