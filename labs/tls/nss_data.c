/* SPDX-License-Identifier: Apache-2.0
 *
 * Application data, open connections and external keys with NSS.
 */
#include "nss_shared.h"

#include <string.h>

#include <prerror.h>
#include <prtime.h>
#include <ssl.h>
#include <sslexp.h>

int own_fail(const char *what)
{
    const char *why = PR_ErrorToName(PR_GetError());
    char text[200];
    size_t len = strlen(what);

    memcpy(text, what, len + 1);
    if (why != NULL && len + 2 + strlen(why) < sizeof text) {
        memcpy(text + len, ": ", 2);
        memcpy(text + len + 2, why, strlen(why) + 1);
    }
    return cs_fail(text);
}

static int write_data(tls_case *s, int side, const uint8_t *from, int len)
{
    return PR_Write(((both *)s->library)->fd[side], from, len) == len;
}

static int read_data(tls_case *s, int side, uint8_t *to, int most)
{
    int n = PR_Recv(((both *)s->library)->fd[side], to, most, 0, PR_INTERVAL_NO_TIMEOUT);

    if (n > 0)
        return n;
    return n < 0 && PR_GetError() == PR_WOULD_BLOCK_ERROR ? 0 : -own_fail("PR_Recv");
}

const tls_data tls_data_here = {write_data, read_data};

static void *part(tls_case *s, int side)
{
    return ((both *)s->library)->fd[side];
}

static void join(tls_case *s, int side, void *connection)
{
    ((both *)s->library)->fd[side] = connection;
}

const tls_idle tls_idle_here = {part, join, {0, 0}};

int own_know_key(both *b, int side, cs_span key)
{
    SECItem bytes = {siBuffer, (unsigned char *)(uintptr_t)key.data, (unsigned)key.len};
    PK11SlotInfo *token;

    if (key.data == NULL)
        return 1;
    token = PK11_GetInternalSlot();
    if (token == NULL)
        return 0;
    b->key[side] = PK11_ImportSymKey(token, CKM_HKDF_KEY_GEN, PK11_OriginUnwrap, CKA_DERIVE, &bytes, NULL);
    PK11_FreeSlot(token);
    return b->key[side] != NULL;
}

int own_use_key(both *b, int side, PRFileDesc *fd)
{
    static const PRUint8 name[] = TLS_IDENTITY;

    return b->key[side] == NULL ||
           SSL_AddExternalPsk(fd, b->key[side], name, sizeof name - 1, ssl_hash_sha256) == SECSuccess;
}

void own_forget_key(both *b, int side)
{
    if (b->key[side] != NULL)
        PK11_FreeSymKey(b->key[side]);
    b->key[side] = NULL;
}

/* A server refuses early data for the first window of its memory against replay: that window lies in the past here.
 * What it remembers has room for more handshakes than a second has. */
int own_set_early(PRFileDesc *fd, const tls_wish *wish, int side)
{
    enum { WINDOW_US = PR_USEC_PER_SEC, LONG_AGO = 10, HASHES = 7, BITS = 22 };
    static SSLAntiReplayContext *memory;

    if (wish->early.data == NULL)
        return 1;
    if (memory == NULL && SSL_CreateAntiReplayContext(PR_Now() - LONG_AGO * (PRTime)WINDOW_US, WINDOW_US, HASHES, BITS,
                                                      &memory) != SECSuccess)
        return 0;
    return SSL_OptionSet(fd, SSL_ENABLE_0RTT_DATA, PR_TRUE) == SECSuccess &&
           (side == TLS_CLIENT || SSL_SetAntiReplayContext(fd, memory) == SECSuccess);
}

void own_early(tls_case *s, int side)
{
    both *b = s->library;
    PRFileDesc *fd = b->fd[side];
    int n;

    if (s->wish.early.data == NULL || s->first)
        return;
    if (side == TLS_CLIENT && !b->early_sent) {
        b->early_sent = PR_Write(fd, s->wish.early.data, (PRInt32)s->wish.early.len) > 0;
        return;
    }
    while (side == TLS_SERVER && (n = PR_Recv(fd, s->early + s->early_length, (PRInt32)(TLS_EARLY - s->early_length), 0,
                                              PR_INTERVAL_NO_TIMEOUT)) > 0)
        s->early_length += (size_t)n;
}
