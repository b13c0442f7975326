/* SPDX-License-Identifier: Apache-2.0
 *
 * The version of TLS is 1.3, with TLS12 1.2, and with BOTH what the server has of them.
 */
#include "../client.h"

#include <string.h>

#include <wolfssl/options.h>
#include <wolfssl/ssl.h>

#include "random.h"

static int receive(WOLFSSL *ssl, char *to, int most, void *fd)
{
    ssize_t n = read(*(int *)fd, to, (size_t)most);

    (void)ssl;
    return n > 0 ? (int)n : WOLFSSL_CBIO_ERR_CONN_CLOSE;
}

static int send_some(WOLFSSL *ssl, char *from, int len, void *fd)
{
    ssize_t n = write(*(int *)fd, from, (size_t)len);

    (void)ssl;
    return n > 0 ? (int)n : WOLFSSL_CBIO_ERR_GENERAL;
}

/* NULL if something cannot be set up. */
static WOLFSSL *set_up(span anchor, char *host, int *fd)
{
    WOLFSSL_CTX *ctx;
    WOLFSSL *ssl;

    if (wolfSSL_Init() != WOLFSSL_SUCCESS)
        return NULL;
#ifdef TLS12
    ctx = wolfSSL_CTX_new(wolfTLSv1_2_client_method());
#elif defined(BOTH)
    ctx = wolfSSL_CTX_new(wolfTLS_client_method());
#else
    ctx = wolfSSL_CTX_new(wolfTLSv1_3_client_method());
#endif
    if (ctx == NULL)
        return NULL;
    wolfSSL_CTX_set_verify(ctx, WOLFSSL_VERIFY_PEER, NULL);
    if (wolfSSL_CTX_load_verify_buffer(ctx, anchor.data, (long)anchor.len, WOLFSSL_FILETYPE_ASN1) != WOLFSSL_SUCCESS)
        return NULL;
    wolfSSL_CTX_SetIORecv(ctx, receive);
    wolfSSL_CTX_SetIOSend(ctx, send_some);
    if ((ssl = wolfSSL_new(ctx)) == NULL || wolfSSL_check_domain_name(ssl, host) != WOLFSSL_SUCCESS)
        return NULL;
#ifdef HAVE_SNI
    if (wolfSSL_UseSNI(ssl, WOLFSSL_SNI_HOST_NAME, host, (unsigned short)strlen(host)) != WOLFSSL_SUCCESS)
        return NULL;
#endif
#ifndef TLS12
    if (wolfSSL_UseKeyShare(ssl, WOLFSSL_ECC_SECP256R1) != WOLFSSL_SUCCESS)
        return NULL;
#endif
    wolfSSL_SetIOReadCtx(ssl, fd);
    wolfSSL_SetIOWriteCtx(ssl, fd);
    return ssl;
}

int main(int argc, char **argv)
{
    uint8_t token[TOKEN];
    WOLFSSL *ssl;
    span anchor;
    int fd;

    if (argc != 4 || (anchor = read_anchor(argv[3])).len == 0 || (fd = dial(argv[1])) < 0 ||
        (ssl = set_up(anchor, argv[2], &fd)) == NULL)
        return BROKEN;
    if (wolfSSL_connect(ssl) != WOLFSSL_SUCCESS ||
        wolfSSL_write(ssl, REQUEST, sizeof REQUEST - 1) != sizeof REQUEST - 1)
        return NO;
    for (int len = 0; len < TOKEN;) {
        int n = wolfSSL_read(ssl, token + len, TOKEN - len);

        if (n <= 0)
            return NO;
        len += n;
    }
    return write_output(token, TOKEN);
}
