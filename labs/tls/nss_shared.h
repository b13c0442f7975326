/* SPDX-License-Identifier: Apache-2.0
 *
 * What the two files of NSS share.
 */
#ifndef CIPHERSTONE_LAB_TLS_NSS_SHARED_H
#define CIPHERSTONE_LAB_TLS_NSS_SHARED_H

#include "data.h"

#include <cert.h>
#include <keyhi.h>
#include <pk11pub.h>
#include <prio.h>

enum { TICKET = 8192 };

typedef struct both {
    PRFileDesc *model[TLS_SIDES], *fd[TLS_SIDES];
    CERTCertificate *root, *client, *between[TLS_PATH]; /* the last two with client certificates alone */
    SECKEYPrivateKey *client_key;
    PK11SymKey *key[TLS_SIDES];
    int early_sent; /* in this connection */
    uint8_t ticket[TICKET];
    unsigned ticket_length;
    int refused[TLS_SIDES]; /* by this side, in this connection */
} both;

/* cs_fail with the library's own reason behind `what`. */
int own_fail(const char *what);
/* A key that both sides have from elsewhere: kept, given to each connection, and let go. 1 if done, or if there is
 * none.
 */
int own_know_key(both *b, int side, cs_span key);
int own_use_key(both *b, int side, PRFileDesc *fd);
void own_forget_key(both *b, int side);
/* nss_certificates.c: of the models of both sides; 1 if done. */
int own_fill_client(tls_case *s);
int own_fill_server(tls_case *s);
void own_forget_certificates(both *b);
/* Early data: what a model needs for them, and what is done with them behind each step. 1 if done. */
int own_set_early(PRFileDesc *fd, const tls_wish *wish, int side);
void own_early(tls_case *s, int side);

#endif
