/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads requests and writes replies on descriptors that no library knows of.
 */
#include "sdk.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Room for the longest line and its terminator. */
#define BUFFER_MAX (CS_LINE_MAX + 1)
#define HEAD_BYTES 32

static int in_fd = -1;
static int out_fd = -1;
static char *buffer;
static size_t capacity;
static size_t filled; /* bytes in the buffer */
static size_t start;  /* where the next line begins */
static char head[HEAD_BYTES];

/* High, so that a library that closes or reuses small numbers does not hit it; any free one if the limit is low. */
static int move_up(int fd)
{
    int moved = fcntl(fd, F_DUPFD_CLOEXEC, 200);
    return moved >= 0 ? moved : fcntl(fd, F_DUPFD_CLOEXEC, 3);
}

bool cs_channel_open(void)
{
    signal(SIGPIPE, SIG_IGN);
    in_fd = move_up(0);
    out_fd = move_up(1);
    int null_fd = open("/dev/null", O_RDWR);
    if (in_fd < 0 || out_fd < 0 || null_fd < 0)
        return false;
    if (dup2(2, 1) < 0 && dup2(null_fd, 1) < 0)
        return false;
    if (dup2(null_fd, 0) < 0)
        return false;
    if (null_fd > 2)
        close(null_fd);
    return true;
}

/* Room for at least one more byte and the terminator. */
static bool grow(void)
{
    if (start > 0) {
        memmove(buffer, buffer + start, filled - start);
        filled -= start;
        start = 0;
    }
    if (filled + 1 < capacity)
        return true;
    size_t wanted = capacity == 0 ? (size_t)64 << 10 : capacity * 2;
    if (wanted > BUFFER_MAX)
        wanted = BUFFER_MAX;
    char *larger = realloc(buffer, wanted);
    if (larger == NULL)
        return false;
    buffer = larger;
    capacity = wanted;
    return true;
}

static ssize_t read_some(char *to, size_t room)
{
    ssize_t n;
    do
        n = read(in_fd, to, room);
    while (n < 0 && errno == EINTR);
    return n;
}

/* Throws away the rest of a line that does not fit, keeping its first bytes. */
static enum cs_read skip_line(enum cs_read outcome, char **line, size_t *len)
{
    static char rest[4096];
    size_t kept = filled - start < HEAD_BYTES - 1 ? filled - start : HEAD_BYTES - 1;
    if (kept > 0)
        memcpy(head, buffer + start, kept);
    head[kept] = '\0';
    *line = head;
    *len = kept;
    start = filled = 0;
    for (;;) {
        ssize_t n = read_some(rest, capacity < sizeof rest ? 1 : sizeof rest);
        if (n <= 0)
            return CS_READ_END;
        char *newline = memchr(rest, '\n', (size_t)n);
        if (newline == NULL)
            continue;
        size_t left = (size_t)(rest + n - (newline + 1));
        if (left > 0)
            memcpy(buffer, newline + 1, left);
        filled = left;
        return outcome;
    }
}

enum cs_read cs_channel_read(char **line, size_t *len)
{
    size_t seen = start;
    for (;;) {
        char *newline = filled > seen ? memchr(buffer + seen, '\n', filled - seen) : NULL;
        if (newline != NULL) {
            *line = buffer + start;
            *len = (size_t)(newline - *line);
            *newline = '\0';
            start = (size_t)(newline + 1 - buffer);
            return CS_READ_LINE;
        }
        if (filled - start >= CS_LINE_MAX)
            return skip_line(CS_READ_TOO_LONG, line, len);
        if (filled + 1 >= capacity && !grow())
            return skip_line(CS_READ_NO_MEMORY, line, len);
        seen = filled;
        ssize_t n = read_some(buffer + filled, capacity - 1 - filled);
        if (n <= 0)
            return CS_READ_END;
        filled += (size_t)n;
    }
}

bool cs_channel_write(const char *bytes, size_t len)
{
    while (len > 0) {
        ssize_t n = write(out_fd, bytes, len);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        bytes += n;
        len -= (size_t)n;
    }
    return true;
}
