/* SPDX-License-Identifier: Apache-2.0
 *
 * What a generator does after a fork: a child has a copy of its state, and draws the same if nothing tells the library.
 * Never timed.
 */
#include "sdk.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* What the child says: its output, after the byte that it has one. */
struct said {
    uint8_t drawn;
    uint8_t bytes[CS_FORK_MAX];
};

static void draw_in_child(cs_case *c, int to)
{
    struct said said = {0};

    said.drawn = c->op->call(c) == CS_OK && c->out_len <= sizeof said.bytes;
    if (said.drawn)
        memcpy(said.bytes, c->out, c->out_len);
    _exit(write(to, &said, sizeof said) == (ssize_t)sizeof said ? 0 : 1);
}

int cs_fork_call(cs_case *c)
{
    struct said said;
    int ends[2], how;

    /* The generator has been used before the fork: one that seeds itself at its first use is no longer at it. */
    int status = c->op->call(c);
    if (status != CS_OK)
        return status;
    if (c->out_len > sizeof said.bytes)
        return cs_fail("too many bytes for a question about a fork");
    if (pipe(ends) != 0)
        return cs_fail("pipe fails");
    pid_t child = fork();
    if (child == 0)
        draw_in_child(c, ends[1]);
    (void)close(ends[1]);
    status = child < 0 ? cs_fail("fork fails") : c->op->call(c);
    ssize_t got = child < 0 ? 0 : read(ends[0], &said, sizeof said);
    (void)close(ends[0]);
    if (child < 0 || waitpid(child, &how, 0) != child || got != (ssize_t)sizeof said || how != 0)
        return cs_fail("the child of the fork ended before it answered");
    if (status != CS_OK)
        return status;
    /* A child that gets no bytes has not the parent's. */
    return said.drawn && memcmp(said.bytes, c->out, c->out_len) == 0 ? CS_OK : CS_REJECTED;
}
