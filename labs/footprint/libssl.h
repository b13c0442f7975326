/* SPDX-License-Identifier: Apache-2.0
 *
 * Code that clients of libssl's interface share, for every library that has it: an anchor in the store, upstream's
 * verifier of paths, the host's name; then the request and its answer.
 */
#ifndef FOOTPRINT_LIBSSL_H
#define FOOTPRINT_LIBSSL_H

#include "client.h"

#include <openssl/bio.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include "posix.h"

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

#ifdef FOOTPRINT_BOARD
/* A library without sockets has no BIO for a descriptor: the program supplies the transport. */
static inline int transport_write(BIO *bio, const char *from, int len)
{
    (void)bio;
    return (int)write(BOARD_TRANSPORT, from, (size_t)len);
}

static inline int transport_read(BIO *bio, char *to, int most)
{
    (void)bio;
    return (int)read(BOARD_TRANSPORT, to, (size_t)most);
}

static inline long transport_ctrl(BIO *bio, int what, long number, void *at)
{
    (void)bio;
    (void)number;
    (void)at;
    return what == BIO_CTRL_FLUSH;
}

static inline int carried(SSL *ssl, int fd)
{
    BIO_METHOD *method = BIO_meth_new(BIO_TYPE_SOURCE_SINK, "transport");
    BIO *bio;

    (void)fd;
    if (method == NULL || BIO_meth_set_write(method, transport_write) != 1 ||
        BIO_meth_set_read(method, transport_read) != 1 || BIO_meth_set_ctrl(method, transport_ctrl) != 1 ||
        (bio = BIO_new(method)) == NULL)
        return 0;
    BIO_set_init(bio, 1);
    SSL_set_bio(ssl, bio, bio);
    return 1;
}
#else
static inline int carried(SSL *ssl, int fd)
{
    return SSL_set_fd(ssl, fd);
}
#endif

/* NULL if something cannot be set up. */
static inline SSL *connected(SSL_CTX *ctx, const char *host, int fd)
{
    SSL *ssl = ctx != NULL ? SSL_new(ctx) : NULL;

    return ssl != NULL && SSL_set_tlsext_host_name(ssl, host) == 1 && carried(ssl, fd) == 1 ? ssl : NULL;
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
