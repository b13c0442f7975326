/* SPDX-License-Identifier: Apache-2.0
 *
 * The library's own policy for clients, both versions; its verifier of paths, which is libcrypto's below. Anchors come
 * as PEM alone, so that the program writes it.
 */
#include "../client.h"

#include <string.h>

#include <s2n.h>

enum { LINE = 48, PEM = 2 * MOST };

/* The anchor as its text, which ends with 0. */
static const char *as_pem(span der)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    static char text[PEM];
    char *at = stpcpy(text, "-----BEGIN CERTIFICATE-----\n");

    for (size_t i = 0; i < der.len; i += 3) {
        size_t left = der.len - i;
        uint32_t group = (uint32_t)der.data[i] << 16 | (left > 1 ? (uint32_t)der.data[i + 1] << 8 : 0) |
                         (left > 2 ? der.data[i + 2] : 0);

        for (unsigned k = 0; k < 4; k++)
            *at++ = k <= left ? digits[group >> (18 - 6 * k) & 63] : '=';
        if (i % LINE == LINE - 3)
            *at++ = '\n';
    }
    strcpy(at, "\n-----END CERTIFICATE-----\n");
    return text;
}

/* NULL if something cannot be set up. */
static struct s2n_connection *set_up(span anchor, const char *host, int fd)
{
    struct s2n_config *config = s2n_init() == S2N_SUCCESS ? s2n_config_new_minimal() : NULL;
    struct s2n_connection *connection = s2n_connection_new(S2N_CLIENT);

    if (config == NULL || connection == NULL ||
        s2n_config_add_pem_to_trust_store(config, as_pem(anchor)) != S2N_SUCCESS ||
        s2n_connection_set_config(connection, config) != S2N_SUCCESS ||
        s2n_set_server_name(connection, host) != S2N_SUCCESS || s2n_connection_set_fd(connection, fd) != S2N_SUCCESS ||
        s2n_connection_set_blinding(connection, S2N_SELF_SERVICE_BLINDING) != S2N_SUCCESS)
        return NULL;
    return connection;
}

static int ask(struct s2n_connection *connection)
{
    s2n_blocked_status blocked;
    uint8_t token[TOKEN];

    if (s2n_negotiate(connection, &blocked) != S2N_SUCCESS ||
        s2n_send(connection, REQUEST, sizeof REQUEST - 1, &blocked) != sizeof REQUEST - 1)
        return NO;
    for (int len = 0; len < TOKEN;) {
        ssize_t n = s2n_recv(connection, token + len, TOKEN - len, &blocked);

        if (n <= 0)
            return NO;
        len += (int)n;
    }
    return write_output(token, TOKEN);
}

int main(int argc, char **argv)
{
    struct s2n_connection *connection;
    span anchor;
    int fd;

    if (argc != 4 || (anchor = read_anchor(argv[3])).len == 0 || anchor.len > MOST || (fd = dial(argv[1])) < 0 ||
        (connection = set_up(anchor, argv[2], fd)) == NULL)
        return BROKEN;
    return ask(connection);
}
