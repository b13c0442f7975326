/* SPDX-License-Identifier: Apache-2.0
 *
 * What adapters ask the SDK for, once more and in the fewest words: of a minimal program, which has no SDK.
 */
#ifndef ASKED_H
#define ASKED_H

#include "../include/cipherstone.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { PARAMS_MAX = 8, WORD = 64 };

struct cs_param {
    char name[WORD], value[WORD];
};

static size_t params;
static struct cs_param param[PARAMS_MAX];
static const char *failure = "";
static int64_t aside_ns, aside_since;

static void die(const char *what, const char *why)
{
    fprintf(stderr, "%s: %s\n", what, why != NULL ? why : "");
    exit(1);
}

static int64_t now(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

int cs_fail(const char *text)
{
    failure = text;
    return CS_ERROR;
}

static void *aligned(size_t size)
{
    void *p = NULL;
    if (posix_memalign(&p, 64, size == 0 ? 1 : size) != 0)
        die("no memory", "");
    memset(p, 0, size);
    return p;
}

void *cs_alloc(size_t size)
{
    return aligned(size);
}

void cs_free(void *p)
{
    free(p);
}

int cs_memory_there(uint64_t bytes)
{
    (void)bytes;
    return CS_OK;
}

cs_span cs_input(const cs_case *c, const char *name)
{
    cs_span none = {NULL, 0};
    for (size_t i = 0; i < c->n_inputs; i++)
        if (strcmp(c->inputs[i].name, name) == 0)
            return c->inputs[i].span;
    return none;
}

const char *cs_param_text(const cs_case *c, const char *name)
{
    (void)c;
    for (size_t i = 0; i < params; i++)
        if (strcmp(param[i].name, name) == 0)
            return param[i].value;
    return NULL;
}

uint64_t cs_param_number(const cs_case *c, const char *name, uint64_t absent)
{
    const char *text = cs_param_text(c, name);
    return text != NULL ? strtoull(text, NULL, 10) : absent;
}

int cs_counts_random(void)
{
    return 0;
}

void cs_random_drawn(size_t bytes)
{
    (void)bytes;
}

const char *cs_hidden_features(void)
{
    return getenv("CS_HIDE");
}

int cs_setup_again(cs_case *c)
{
    (void)c;
    return CS_ERROR;
}

int cs_key_in_call(cs_case *c)
{
    (void)c;
    return CS_OK;
}

void cs_fact_number(cs_facts *sink, const char *key, uint64_t value)
{
    (void)sink, (void)key, (void)value;
}

void cs_fact_text(cs_facts *sink, const char *key, const char *text)
{
    (void)sink, (void)key, (void)text;
}

int64_t cs_heap_bytes(void)
{
    return -1;
}

void cs_aside_begin(void)
{
    aside_since = now(CLOCK_MONOTONIC);
}

void cs_aside_end(void)
{
    aside_ns += now(CLOCK_MONOTONIC) - aside_since;
}

#endif
