/* SPDX-License-Identifier: Apache-2.0
 *
 * What all programs of the laboratory share: bytes in and bytes out by the system's calls, no stdio, so that what a
 * binary holds beside it is the library's.
 *
 * A program that computes reads fields from standard input, each but the last behind its length in two bytes, and
 * writes what it computed. It ends with YES, with NO where it refuses, and with BROKEN where it could not be asked.
 */
#ifndef FOOTPRINT_PROGRAM_H
#define FOOTPRINT_PROGRAM_H

#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

enum { YES = 0, NO = 1, BROKEN = 2, MOST = 16384 };

typedef struct span {
    uint8_t *data;
    size_t len;
} span;

static uint8_t given[MOST];
static size_t given_len, given_at;

/* 1 if all of it came, and there was room. Main may be called again (watch/repeat.c): what it was given before is gone.
 */
static inline int read_input(void)
{
    ssize_t n;

    given_len = given_at = 0;
    while (given_len < MOST && (n = read(0, given + given_len, MOST - given_len)) > 0)
        given_len += (size_t)n;
    return given_len < MOST;
}

/* The next field; past the end an empty one. */
static inline span field(void)
{
    span found = {given + given_at, 0};

    if (given_len - given_at >= 2) {
        found.len = (size_t)given[given_at] << 8 | given[given_at + 1];
        found.data += 2;
        given_at += 2;
        if (found.len > given_len - given_at)
            found.len = given_len - given_at;
        given_at += found.len;
    }
    return found;
}

/* All that is left. */
static inline span rest(void)
{
    return (span){given + given_at, given_len - given_at};
}

static inline int write_output(const uint8_t *from, size_t len)
{
    while (len > 0) {
        ssize_t n = write(1, from, len);

        if (n <= 0)
            return BROKEN;
        from += n;
        len -= (size_t)n;
    }
    return YES;
}

#endif
