/* SPDX-License-Identifier: Apache-2.0
 *
 * What the two files of GnuTLS share.
 */
#ifndef CIPHERSTONE_LAB_TLS_GNUTLS_SHARED_H
#define CIPHERSTONE_LAB_TLS_GNUTLS_SHARED_H

#include "data.h"

#include <gnutls/gnutls.h>

typedef struct both {
    gnutls_certificate_credentials_t credentials[TLS_SIDES];
    gnutls_priority_t priority[TLS_SIDES];
    gnutls_session_t session[TLS_SIDES];
    gnutls_datum_t ticket_key, ticket;
    gnutls_datum_t kept[2]; /* of the server: a session by its id */
    gnutls_psk_client_credentials_t client_key;
    gnutls_psk_server_credentials_t server_key;
    gnutls_anti_replay_t replay;
    int lent; /* credentials and priorities are another case's */
} both;

/* cs_fail with the library's own reason behind `what`. */
int own_fail(const char *what, int ret);
gnutls_datum_t own_datum(cs_span bytes);
/* `data` is NULL if there is no memory. */
gnutls_datum_t own_copied(gnutls_datum_t from);
/* Keys that both sides have from elsewhere: kept, given to a session, and let go. */
int own_know_keys(both *b, const tls_wish *wish);
int own_use_key(both *b, int side);
void own_forget_keys(both *b);
/* Early data: what a server remembers against replay, what each side does before a handshake, what the server got by
 * its end. 0, or a number of the library. */
int own_remember(both *b, const tls_wish *wish);
int own_begin_early(tls_case *s, int side);
void own_end_early(tls_case *s, int side);

#endif
