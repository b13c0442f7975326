/* SPDX-License-Identifier: Apache-2.0
 *
 * Both versions; upstream's verifier of paths.
 */
#include "../libssl.h"

int main(int argc, char **argv)
{
    span anchor;
    SSL *ssl;
    int fd;

    if (argc != 4 || (anchor = read_anchor(argv[3])).len == 0 || (fd = dial(argv[1])) < 0 ||
        (ssl = connected(verifying(SSL_CTX_new(TLS_method()), anchor), argv[2], fd)) == NULL ||
        SSL_set1_host(ssl, argv[2]) != 1)
        return BROKEN;
    return ask(ssl);
}
