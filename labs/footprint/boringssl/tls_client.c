/* SPDX-License-Identifier: Apache-2.0
 *
 * Both versions, and upstream's verifier of paths. BUFFERS: the method that keeps certificates as bytes; they are taken
 * apart for that verifier alone. PINNED: that method, and in place of a path the one key that is known. NO_RSA: either,
 * without RSA. TLS12: TLS 1.2 at most.
 */
#include "../libssl.h"

#include <string.h>

#ifdef NO_RSA
#include "no_rsa.h"
#endif

#ifdef PINNED
#include <openssl/bytestring.h>

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

#elif defined(BUFFERS)
static X509_STORE *store;
static const char *name;

static X509_STORE *store_of(span anchor)
{
    X509_STORE *made = X509_STORE_new();
    const uint8_t *at = anchor.data;
    X509 *root = d2i_X509(NULL, &at, (long)anchor.len);

    return made != NULL && root != NULL && X509_STORE_add_cert(made, root) == 1 ? made : NULL;
}

static enum ssl_verify_result_t verify(SSL *ssl, uint8_t *alert)
{
    const STACK_OF(CRYPTO_BUFFER) *sent = SSL_get0_peer_certificates(ssl);
    X509_STORE_CTX *ctx = X509_STORE_CTX_new();
    STACK_OF(X509) *path = sk_X509_new_null();
    int right;

    *alert = SSL_AD_BAD_CERTIFICATE;
    for (size_t i = 0; i < sk_CRYPTO_BUFFER_num(sent); i++) {
        X509 *one = X509_parse_from_buffer(sk_CRYPTO_BUFFER_value(sent, i));

        if (one == NULL || sk_X509_push(path, one) == 0)
            return ssl_verify_invalid;
    }
    right = sk_X509_num(path) > 0 && X509_STORE_CTX_init(ctx, store, sk_X509_value(path, 0), path) == 1 &&
            X509_STORE_CTX_set_default(ctx, "ssl_server") == 1 &&
            X509_VERIFY_PARAM_set1_host(X509_STORE_CTX_get0_param(ctx), name, strlen(name)) == 1 &&
            X509_verify_cert(ctx) == 1;
    X509_STORE_CTX_free(ctx);
    sk_X509_pop_free(path, X509_free);
    return right ? ssl_verify_ok : ssl_verify_invalid;
}
#endif

/* NULL if it cannot be set up. */
static SSL_CTX *context(const SSL_METHOD *method)
{
    SSL_CTX *ctx = SSL_CTX_new(method);

#ifdef TLS12
    if (ctx != NULL && SSL_CTX_set_max_proto_version(ctx, TLS1_2_VERSION) != 1)
        return NULL;
#endif
    return ctx;
}

static SSL *set_up(span anchor, const char *host, int fd)
{
#ifdef PINNED
    SSL_CTX *ctx = context(TLS_with_buffers_method());

    known = anchor;
    if (ctx != NULL)
        SSL_CTX_set_custom_verify(ctx, SSL_VERIFY_PEER, verify);
    return connected(ctx, host, fd);
#elif defined(BUFFERS)
    SSL_CTX *ctx = context(TLS_with_buffers_method());

    store = store_of(anchor);
    name = host;
    if (ctx == NULL || store == NULL)
        return NULL;
    SSL_CTX_set_custom_verify(ctx, SSL_VERIFY_PEER, verify);
    return connected(ctx, host, fd);
#else
    SSL *ssl = connected(verifying(context(TLS_method()), anchor), host, fd);

    return ssl != NULL && SSL_set1_host(ssl, host) == 1 ? ssl : NULL;
#endif
}

int main(int argc, char **argv)
{
    span anchor;
    SSL *ssl;
    int fd;

    if (argc != 4 || (anchor = read_anchor(argv[3])).len == 0 || (fd = dial(argv[1])) < 0 ||
        (ssl = set_up(anchor, argv[2], fd)) == NULL)
        return BROKEN;
    return ask(ssl);
}
