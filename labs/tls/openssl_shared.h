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
#endif

typedef struct both {
    SSL_CTX *ctx[TLS_SIDES];
    SSL *ssl[TLS_SIDES];
    SSL_SESSION *session;
} both;

/* cs_fail with the library's own reason behind `what`. */
int own_fail(const char *what);
/* openssl_psk.c: the key that a side knows, if the case has one. */
void own_set_keys(SSL_CTX *ctx, const tls_wish *wish, int side);

#endif
