/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of OpenSSL's interface share.
 */
#ifndef CIPHERSTONE_LAB_TLS_OPENSSL_SHARED_H
#define CIPHERSTONE_LAB_TLS_OPENSSL_SHARED_H

#include "data.h"

#include <openssl/ssl.h>

#if defined(OPENSSL_IS_BORINGSSL) || defined(OPENSSL_IS_AWSLC)
#define BORING 1
#include <openssl/aead.h>
#endif

typedef struct both {
    SSL_CTX *ctx[TLS_SIDES];
    SSL *ssl[TLS_SIDES];
    SSL_SESSION *session;
    int early_done[TLS_SIDES]; /* in this connection: sent, or all of it got */
} both;

/* cs_fail with the library's own reason behind `what`. */
int own_fail(const char *what);
/* openssl_psk.c: the key that a side knows, if the case has one. */
void own_set_keys(SSL_CTX *ctx, const tls_wish *wish, int side);
/* openssl_early.c: before each step of a handshake that has early data; whether it is among them; whether it took them.
 */
void own_set_early(SSL_CTX *ctx, const tls_wish *wish, int side);
void own_early(tls_case *s, int side);
int own_in_early(const SSL *ssl);
int own_took_early(const SSL *ssl);
/* openssl_told.c: what a side says. */
void own_told(tls_case *s, int side, tls_agreed *agreed);

#endif
