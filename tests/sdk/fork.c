/* SPDX-License-Identifier: Apache-2.0
 *
 * Generators of every kind before cs_fork_call: says what it makes of the one that is named.
 */
#include "sdk.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static uint32_t state = 1;
static pid_t parent;

static int draw(cs_case *c)
{
    state = state * 1664525 + 1013904223;
    memcpy(c->out, &state, sizeof state);
    c->out_len = sizeof state;
    return CS_OK;
}

static int draw_by_process(cs_case *c)
{
    if (getpid() != parent)
        state += 2;
    return draw(c);
}

static int draw_in_parent_alone(cs_case *c)
{
    return getpid() == parent ? draw(c) : CS_ERROR;
}

static int draw_in_child_alone(cs_case *c)
{
    static int calls;

    return getpid() != parent || calls++ == 0 ? draw(c) : CS_ERROR;
}

static int die_in_child(cs_case *c)
{
    if (getpid() != parent)
        _exit(7);
    return draw(c);
}

static int draw_too_much(cs_case *c)
{
    c->out_len = CS_FORK_MAX + 1;
    return CS_OK;
}

int cs_fail(const char *text)
{
    (void)fprintf(stderr, "%s\n", text);
    return CS_ERROR;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*call)(cs_case *);
    } kinds[] = {{"repeats", draw},
                 {"differs", draw_by_process},
                 {"parent", draw_in_parent_alone},
                 {"child", draw_in_child_alone},
                 {"dies", die_in_child},
                 {"long", draw_too_much}};
    static uint8_t out[CS_FORK_MAX + 1];

    parent = getpid();
    for (size_t i = 0; argc == 2 && i < CS_COUNT(kinds); i++)
        if (strcmp(argv[1], kinds[i].name) == 0) {
            const cs_op op = {.id = "random/fetch", .impl = "default", .name = "toy", .call = kinds[i].call};
            cs_case c = {.op = &op, .out = out, .out_cap = sizeof out};
            (void)printf("%d\n", cs_fork_call(&c));
            return 0;
        }
    return 1;
}
