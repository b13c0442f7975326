/* SPDX-License-Identifier: Apache-2.0
 *
 * TLS 1.3 and, unless the step leaves it out, 1.2; upstream's verifier of paths.
 */
#include "../libssl.h"

int main(int argc, char **argv)
{
    span anchor;
    SSL *ssl;
    int fd;

    if (argc != 4 || (anchor = read_anchor(argv[3])).len == 0 || (fd = dial(argv[1])) < 0 ||
        (ssl = connected(verifying(SSL_CTX_new(TLS_client_method()), anchor), argv[2], fd)) == NULL ||
        SSL_set1_host(ssl, argv[2]) != 1)
        return BROKEN;
    return ask(ssl);
}
