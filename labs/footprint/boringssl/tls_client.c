/* SPDX-License-Identifier: Apache-2.0
 *
 * Both versions, and upstream's verifier of paths. TLS12: that version alone. PINNED: the method that keeps
 * certificates as bytes, and in place of a path the one key that is known.
 */
#include "../client.h"

#include <string.h>

#include <openssl/ssl.h>

#ifdef PINNED
#include <openssl/bytestring.h>
#include <openssl/evp.h>

static span known;

/* The leaf's key must be the known point: it stands in the certificate as it is in the anchor. */
static enum ssl_verify_result_t verify(SSL *ssl, uint8_t *alert)
{
    const STACK_OF(CRYPTO_BUFFER) *path = SSL_get0_peer_certificates(ssl);
    CBS certificate, tbs, outer, spki, algorithm;
    CBS point;
    uint8_t unused;

    *alert = SSL_AD_BAD_CERTIFICATE;
    if (path == NULL || sk_CRYPTO_BUFFER_num(path) == 0)
        return ssl_verify_invalid;
    CRYPTO_BUFFER_init_CBS(sk_CRYPTO_BUFFER_value(path, 0), &certificate);
    /* RFC 5280 section 4.1: version, serial number, signature, issuer, validity, subject, then the key. */
    if (!CBS_get_asn1(&certificate, &outer, CBS_ASN1_SEQUENCE) || !CBS_get_asn1(&outer, &tbs, CBS_ASN1_SEQUENCE) ||
        !CBS_get_asn1(&tbs, NULL, CBS_ASN1_CONTEXT_SPECIFIC | CBS_ASN1_CONSTRUCTED | 0) ||
        !CBS_get_asn1(&tbs, NULL, CBS_ASN1_INTEGER))
        return ssl_verify_invalid;
    for (int i = 0; i < 4; i++)
        if (!CBS_get_asn1(&tbs, NULL, CBS_ASN1_SEQUENCE))
            return ssl_verify_invalid;
    if (!CBS_get_asn1(&tbs, &spki, CBS_ASN1_SEQUENCE) || !CBS_get_asn1(&spki, &algorithm, CBS_ASN1_SEQUENCE) ||
        !CBS_get_asn1(&spki, &point, CBS_ASN1_BITSTRING) || !CBS_get_u8(&point, &unused))
        return ssl_verify_invalid;
    return CBS_mem_equal(&point, known.data, known.len) ? ssl_verify_ok : ssl_verify_invalid;
}

static SSL_CTX *context(span anchor)
{
    SSL_CTX *ctx = SSL_CTX_new(TLS_with_buffers_method());

    known = anchor;
    if (ctx != NULL)
        SSL_CTX_set_custom_verify(ctx, SSL_VERIFY_PEER, verify);
    return ctx;
}
#else
#include <openssl/x509.h>

static SSL_CTX *context(span anchor)
{
    SSL_CTX *ctx = SSL_CTX_new(TLS_method());
    const uint8_t *at = anchor.data;
    X509 *root = d2i_X509(NULL, &at, (long)anchor.len);

    if (ctx == NULL || root == NULL || X509_STORE_add_cert(SSL_CTX_get_cert_store(ctx), root) != 1)
        return NULL;
    SSL_CTX_set_verify(ctx, SSL_VERIFY_PEER, NULL);
    return ctx;
}
#endif

/* NULL if something cannot be set up. */
static SSL *set_up(span anchor, const char *host, int fd)
{
    SSL_CTX *ctx = context(anchor);
    SSL *ssl;

#ifdef TLS12
    if (ctx != NULL && SSL_CTX_set_max_proto_version(ctx, TLS1_2_VERSION) != 1)
        return NULL;
#endif
    ssl = ctx != NULL ? SSL_new(ctx) : NULL;
    if (ssl == NULL || SSL_set_tlsext_host_name(ssl, host) != 1 || SSL_set_fd(ssl, fd) != 1)
        return NULL;
#ifndef PINNED
    if (SSL_set1_host(ssl, host) != 1)
        return NULL;
#endif
    return ssl;
}

int main(int argc, char **argv)
{
    uint8_t token[TOKEN];
    span anchor;
    SSL *ssl;
    int fd;

    if (argc != 4 || (anchor = read_anchor(argv[3])).len == 0 || (fd = dial(argv[1])) < 0 ||
        (ssl = set_up(anchor, argv[2], fd)) == NULL)
        return BROKEN;
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
