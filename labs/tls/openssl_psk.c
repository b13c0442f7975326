/* SPDX-License-Identifier: Apache-2.0
 *
 * Keys that both sides have from elsewhere, with OpenSSL's interface: of TLS 1.3 sessions that a callback makes, of
 * TLS 1.2 a callback that writes the key. BoringSSL and AWS-LC have the second alone.
 */
#include "openssl_shared.h"

#include <string.h>

static cs_span key_of(SSL *ssl, int side)
{
    const tls_end *end = BIO_get_data(SSL_get_rbio(ssl));

    return end->of->wish.psk[side];
}

static unsigned copy_key(SSL *ssl, int side, unsigned char *to, unsigned most)
{
    cs_span key = key_of(ssl, side);

    if (key.len > most)
        return 0;
    memcpy(to, key.data, key.len);
    return (unsigned)key.len;
}

static unsigned client_key(SSL *ssl, const char *hint, char *name, unsigned room, unsigned char *key, unsigned most)
{
    (void)hint;
    if (room < sizeof TLS_IDENTITY)
        return 0;
    memcpy(name, TLS_IDENTITY, sizeof TLS_IDENTITY);
    return copy_key(ssl, TLS_CLIENT, key, most);
}

static unsigned server_key(SSL *ssl, const char *name, unsigned char *key, unsigned most)
{
    return name != NULL && strcmp(name, TLS_IDENTITY) == 0 ? copy_key(ssl, TLS_SERVER, key, most) : 0;
}

#ifdef BORING

static void set_newer(SSL_CTX *ctx, int side)
{
    (void)ctx, (void)side;
}

#else

static SSL_SESSION *session_of(SSL *ssl, int side)
{
    static const unsigned char suite[2] = {TLS_AES_128_GCM >> 8, TLS_AES_128_GCM & 0xff};
    const SSL_CIPHER *cipher = SSL_CIPHER_find(ssl, suite);
    SSL_SESSION *session = SSL_SESSION_new();
    cs_span key = key_of(ssl, side);

    if (session == NULL || cipher == NULL || SSL_SESSION_set1_master_key(session, key.data, key.len) != 1 ||
        SSL_SESSION_set_cipher(session, cipher) != 1 ||
        SSL_SESSION_set_protocol_version(session, TLS1_3_VERSION) != 1) {
        SSL_SESSION_free(session);
        return NULL;
    }
    return session;
}

static int use(SSL *ssl, const EVP_MD *digest, const unsigned char **name, size_t *len, SSL_SESSION **session)
{
    (void)digest;
    *name = (const unsigned char *)TLS_IDENTITY;
    *len = sizeof TLS_IDENTITY - 1;
    *session = session_of(ssl, TLS_CLIENT);
    return *session != NULL;
}

/* No session: the name is not known, and the handshake goes on without. */
static int find(SSL *ssl, const unsigned char *name, size_t len, SSL_SESSION **session)
{
    *session = NULL;
    if (len != sizeof TLS_IDENTITY - 1 || memcmp(name, TLS_IDENTITY, len) != 0)
        return 1;
    *session = session_of(ssl, TLS_SERVER);
    return *session != NULL;
}

static void set_newer(SSL_CTX *ctx, int side)
{
    if (side == TLS_CLIENT)
        SSL_CTX_set_psk_use_session_callback(ctx, use);
    else
        SSL_CTX_set_psk_find_session_callback(ctx, find);
}

#endif

void own_set_keys(SSL_CTX *ctx, const tls_wish *wish, int side)
{
    if (!wish->external)
        return;
    if (wish->version == TLS_1_3)
        set_newer(ctx, side);
    else if (side == TLS_CLIENT)
        SSL_CTX_set_psk_client_callback(ctx, client_key);
    else
        SSL_CTX_set_psk_server_callback(ctx, server_key);
}
