/* SPDX-License-Identifier: Apache-2.0
 *
 * Early data with OpenSSL's interface, which has functions of their own for them, and with BoringSSL's and AWS-LC's,
 * where a handshake that may send or has early data returns before it is done.
 */
#include "openssl_shared.h"

#include <openssl/err.h>

#ifdef BORING

void own_set_early(SSL_CTX *ctx, const tls_wish *wish, int side)
{
    (void)side;
    SSL_CTX_set_early_data_enabled(ctx, wish->early.data != NULL);
}

void own_early(tls_case *s, int side)
{
    both *b = s->library;
    SSL *ssl = b->ssl[side];
    cs_span early = s->wish.early;
    int n;

    if (b->early_done[side] || (!SSL_in_early_data(ssl) && (SSL_do_handshake(ssl) != 1 || !SSL_in_early_data(ssl))))
        return;
    if (side == TLS_CLIENT) {
        b->early_done[side] = SSL_write(ssl, early.data, (int)early.len) == (int)early.len;
        return;
    }
    /* Reading is also what ends them. */
    while (SSL_in_early_data(ssl) &&
           (n = SSL_read(ssl, s->early + s->early_length, (int)(TLS_EARLY - s->early_length))) > 0)
        s->early_length += (size_t)n;
    b->early_done[side] = !SSL_in_early_data(ssl);
    ERR_clear_error();
}

int own_in_early(const SSL *ssl)
{
    return SSL_in_early_data(ssl);
}

int own_took_early(const SSL *ssl)
{
    return SSL_early_data_accepted(ssl);
}

#else

/* Without a protection against replay: the same ticket serves every handshake. */
void own_set_early(SSL_CTX *ctx, const tls_wish *wish, int side)
{
    if (wish->early.data == NULL || side != TLS_SERVER)
        return;
    SSL_CTX_set_max_early_data(ctx, TLS_EARLY);
    SSL_CTX_set_recv_max_early_data(ctx, TLS_EARLY);
    SSL_CTX_set_options(ctx, SSL_OP_NO_ANTI_REPLAY);
}

void own_early(tls_case *s, int side)
{
    both *b = s->library;
    cs_span early = s->wish.early;
    size_t n = 0;

    if (side == TLS_CLIENT && !b->early_done[side])
        b->early_done[side] = SSL_write_early_data(b->ssl[side], early.data, early.len, &n) == 1 && n == early.len;
    while (side == TLS_SERVER && !b->early_done[side]) {
        int state = SSL_read_early_data(b->ssl[side], s->early + s->early_length, TLS_EARLY - s->early_length, &n);

        if (state == SSL_READ_EARLY_DATA_ERROR)
            return;
        s->early_length += n;
        b->early_done[side] = state == SSL_READ_EARLY_DATA_FINISH;
    }
}

int own_in_early(const SSL *ssl)
{
    (void)ssl;
    return 0;
}

int own_took_early(const SSL *ssl)
{
    return SSL_get_early_data_status(ssl) == SSL_EARLY_DATA_ACCEPTED;
}

#endif
