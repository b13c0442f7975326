/* SPDX-License-Identifier: Apache-2.0
 *
 * What clients of libssl's interface do alike, whoever wrote the library: an anchor in the store, upstream's verifier
 * of paths, the host's name; then the request and its answer.
 */
#ifndef FOOTPRINT_LIBSSL_H
#define FOOTPRINT_LIBSSL_H

#include "client.h"

#include <openssl/ssl.h>
#include <openssl/x509.h>

/* NULL if it cannot be set up. */
static inline SSL_CTX *verifying(SSL_CTX *ctx, span anchor)
{
    const uint8_t *at = anchor.data;
    X509 *root = d2i_X509(NULL, &at, (long)anchor.len);

    if (ctx == NULL || root == NULL || X509_STORE_add_cert(SSL_CTX_get_cert_store(ctx), root) != 1)
        return NULL;
    SSL_CTX_set_verify(ctx, SSL_VERIFY_PEER, NULL);
    return ctx;
}

/* NULL if something cannot be set up. */
static inline SSL *connected(SSL_CTX *ctx, const char *host, int fd)
{
    SSL *ssl = ctx != NULL ? SSL_new(ctx) : NULL;

    return ssl != NULL && SSL_set_tlsext_host_name(ssl, host) == 1 && SSL_set_fd(ssl, fd) == 1 ? ssl : NULL;
}

static inline int ask(SSL *ssl)
{
    uint8_t token[TOKEN];

    if (SSL_connect(ssl) != 1 || SSL_write(ssl, REQUEST, sizeof REQUEST - 1) != sizeof REQUEST - 1)
        return NO;
    for (int len = 0; len < TOKEN;) {
        int n = SSL_read(ssl, token + len, TOKEN - len);

        if (n <= 0)
            return NO;
        len += n;
    }
    return write_output(token, TOKEN);
}

#endif
