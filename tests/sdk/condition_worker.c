/* SPDX-License-Identifier: Apache-2.0
 *
 * A worker whose operations tell under which conditions they are called: where inputs and output lie, which key is in
 * the context and how it got there, and whether a message is there again before each call.
 */
#include "cipherstone.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int setups, teardowns;

/* ---- where things lie: addresses modulo 64 of key, iv, aad, msg and output ------------------------------------------
 */

static unsigned place(const void *at)
{
    return (unsigned)((uintptr_t)at % 64);
}

static int places(cs_case *c)
{
    char text[128];
    snprintf(text, sizeof text, "%u %u %u %u %u", place(c->key.data), place(c->iv.data), place(c->aad.data),
             place(c->msg.data), place(c->out));
    c->out_len = strlen(text);
    memcpy(c->out, text, c->out_len);
    return CS_OK;
}

/* ---- keys: "KEY TAG REKEYS SETUPS TEARDOWNS"
 * -------------------------------------------------------------------------
 */

struct context {
    char key[16];
    unsigned rekeys;
};

static int keep(cs_case *c)
{
    struct context *kept = c->state;
    if (c->key.len >= sizeof kept->key)
        return cs_fail("the key is too long");
    if (c->key.len == 0)
        return CS_BAD_KEY;
    memset(kept->key, 0, sizeof kept->key);
    memcpy(kept->key, c->key.data, c->key.len);
    return CS_OK;
}

static void forget(cs_case *c)
{
    teardowns++;
    cs_free(c->state);
}

static int context_setup(cs_case *c)
{
    c->state = cs_alloc(sizeof(struct context));
    int status = c->state == NULL ? CS_ERROR : keep(c);
    if (status != CS_OK) {
        cs_free(c->state);
        return status;
    }
    setups++;
    return CS_OK;
}

static int context_rekey(cs_case *c)
{
    ((struct context *)c->state)->rekeys++;
    return keep(c);
}

static int context_call(cs_case *c)
{
    const struct context *kept = c->state;
    cs_span named = cs_input(c, "key");
    if (named.data != c->key.data || named.len != c->key.len)
        return cs_fail("the key by its name is another one");
    c->out_len =
        (size_t)snprintf((char *)c->out, c->out_cap, "%s %.*s %u %d %d", kept->key, (int)c->tag.len,
                         c->tag.data == NULL ? "" : (const char *)c->tag.data, kept->rekeys, setups, teardowns);
    return CS_OK;
}

/* Writes into the tag that came with the second key. */
static int spoiling_call(cs_case *c)
{
    if (c->tag.len == 2)
        ((uint8_t *)(uintptr_t)c->tag.data)[0] ^= 1;
    return context_call(c);
}

/* ---- in place: the complement of the message, over it ---------------------------------------------------------------
 */

static int complement(cs_case *c)
{
    if (c->msg.data != c->out)
        return cs_fail("the output is not where the message is");
    for (size_t i = 0; i < c->msg.len; i++)
        c->out[i] = (uint8_t)~c->out[i];
    c->out[c->msg.len] = 't';
    c->out_len = c->msg.len + 1;
    return CS_OK;
}

static int beyond(cs_case *c)
{
    c->out[c->out_cap] = 1;
    return complement(c);
}

/* Writes into another input, or behind it if that is empty. */
static int meddles(cs_case *c)
{
    ((uint8_t *)(uintptr_t)(c->aad.len > 0 ? c->aad.data : c->key.data + c->key.len))[0] ^= 1;
    return complement(c);
}

#define ROW(verb, what, ...) {.id = what "/" verb, .impl = "default", .name = what, __VA_ARGS__}

static const cs_op ops[] = {
    ROW("seal", "places", .call = places),
    ROW("mac", "places", .call = places, .cannot = "place: they may not overlap; offset: words only"),
    ROW("open", "context", .setup = context_setup, .call = context_call, .teardown = forget, .rekey = context_rekey),
    ROW("open", "again", .setup = context_setup, .call = context_call, .teardown = forget, .rekey = cs_setup_again),
    ROW("open", "spoils", .setup = context_setup, .call = spoiling_call, .teardown = forget, .rekey = context_rekey),
    ROW("open", "kept", .setup = context_setup, .call = context_call, .teardown = forget),
    ROW("seal", "complement", .call = complement),
    ROW("seal", "beyond", .call = beyond),
    ROW("seal", "meddles", .call = meddles),
};

static const char *version(void)
{
    return "1.0";
}

static const cs_library conditions = {
    .abi = CS_ABI, .id = "conditions", .version = version, .version_from = "library", .tables = CS_ROWS(ops)};

CS_WORKER_MAIN(conditions)
