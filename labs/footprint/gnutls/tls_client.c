/* SPDX-License-Identifier: Apache-2.0
 *
 * Upstream's own priorities, both versions; its verifier of paths and of the host's name.
 */
#include "../client.h"

#include <gnutls/gnutls.h>

#include <string.h>

/* NULL if something cannot be set up. */
static gnutls_session_t set_up(span anchor, const char *host, int fd)
{
    gnutls_datum_t root = {anchor.data, (unsigned)anchor.len};
    gnutls_certificate_credentials_t trusted;
    gnutls_session_t session;

    if (gnutls_certificate_allocate_credentials(&trusted) < 0 ||
        gnutls_certificate_set_x509_trust_mem(trusted, &root, GNUTLS_X509_FMT_DER) != 1 ||
        gnutls_init(&session, GNUTLS_CLIENT) < 0 || gnutls_set_default_priority(session) < 0 ||
        gnutls_credentials_set(session, GNUTLS_CRD_CERTIFICATE, trusted) < 0 ||
        gnutls_server_name_set(session, GNUTLS_NAME_DNS, host, strlen(host)) < 0)
        return NULL;
    gnutls_session_set_verify_cert(session, host, 0);
    gnutls_transport_set_int(session, fd);
    return session;
}

static int ask(gnutls_session_t session)
{
    uint8_t token[TOKEN];

    if (gnutls_handshake(session) < 0 || gnutls_record_send(session, REQUEST, sizeof REQUEST - 1) != sizeof REQUEST - 1)
        return NO;
    for (int len = 0; len < TOKEN;) {
        ssize_t n = gnutls_record_recv(session, token + len, (size_t)(TOKEN - len));

        if (n == GNUTLS_E_AGAIN || n == GNUTLS_E_INTERRUPTED) /* a ticket of TLS 1.3 */
            continue;
        if (n <= 0)
            return NO;
        len += (int)n;
    }
    return write_output(token, TOKEN);
}

int main(int argc, char **argv)
{
    gnutls_session_t session;
    span anchor;
    int fd;

    if (argc != 4 || (anchor = read_anchor(argv[3])).len == 0 || (fd = dial(argv[1])) < 0 ||
        (session = set_up(anchor, argv[2], fd)) == NULL)
        return BROKEN;
    return ask(session);
}
