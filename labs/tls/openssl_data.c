/* SPDX-License-Identifier: Apache-2.0
 *
 * Application data and open connections with OpenSSL's interface.
 */
#include "openssl_shared.h"

#include <openssl/err.h>

static int write_data(tls_case *s, int side, const uint8_t *from, int len)
{
    return SSL_write(((both *)s->library)->ssl[side], from, len) == len;
}

static int read_data(tls_case *s, int side, uint8_t *to, int most)
{
    SSL *ssl = ((both *)s->library)->ssl[side];
    int n = SSL_read(ssl, to, most), why;

    if (n > 0)
        return n;
    why = SSL_get_error(ssl, n);
    ERR_clear_error();
    return why == SSL_ERROR_WANT_READ ? 0 : -own_fail("SSL_read");
}

const tls_data tls_data_here = {write_data, read_data};

static void *part(tls_case *s, int side)
{
    both *b = s->library;
    SSL *ssl = b->ssl[side];

    b->ssl[side] = NULL;
    return ssl;
}

static void join(tls_case *s, int side, void *connection)
{
    ((both *)s->library)->ssl[side] = connection;
}

const tls_idle tls_idle_here = {part, join, {0, 0}};
