/* SPDX-License-Identifier: Apache-2.0
 *
 * What all TLS clients share. `tls-client PORT HOST ANCHOR` connects to this machine's own address, makes a handshake
 * in which the server proves HOST by a path to the certificate in the file ANCHOR (a pinned key: by that key), sends
 * the request, and writes the answer to standard output. On a board the connection is there already.
 */
#ifndef FOOTPRINT_CLIENT_H
#define FOOTPRINT_CLIENT_H

#include <fcntl.h>
#include <stdlib.h>

#ifdef FOOTPRINT_BOARD
#include <board.h>
#else
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#endif

#include "program.h"

#define REQUEST "give me the token\n"
enum { TOKEN = 32 };

/* -1 if no server listens. */
#ifdef FOOTPRINT_BOARD
static inline int dial(const char *port)
{
    (void)port;
    return BOARD_TRANSPORT;
}
#else
static inline int dial(const char *port)
{
    struct sockaddr_in at = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port)), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    return fd >= 0 && connect(fd, (struct sockaddr *)&at, sizeof at) == 0 ? fd : -1;
}
#endif

/* The anchor, empty if it cannot be read. */
static inline span read_anchor(const char *path)
{
    int fd = open(path, O_RDONLY);
    ssize_t n = fd >= 0 ? read(fd, given, MOST) : -1;

    return (span){given, n > 0 ? (size_t)n : 0};
}

#endif
