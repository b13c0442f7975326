/* SPDX-License-Identifier: Apache-2.0
 *
 * The ring of keys of a case with key=fresh: every call, timed or not, takes the next key into the context that there
 * is and then does what the row does. Switching costs an index and the copying of seven spans; harness/empty with
 * key=fresh has the same, so that it can be subtracted.
 */
#include "sdk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALIGN ((size_t)64)

static int fresh_call(cs_case *c)
{
    cs_slot *slot = cs_slot_of(c);
    const cs_key *key = &slot->key[slot->key_next];
    slot->key_next = slot->key_next + 1 == slot->keys ? 0 : slot->key_next + 1;
    c->inputs = key->input;
    c->key = key->usual[0];
    c->iv = key->usual[1];
    c->aad = key->usual[2];
    c->msg = key->usual[3];
    c->tag = key->usual[4];
    c->pub = key->usual[5];
    c->sig = key->usual[6];
    int status = slot->row->rekey(c);
    return status != CS_OK ? status : slot->row->call(c);
}

/* The spans of the usual inputs, from all of them. */
static void name_usual(cs_key *key, size_t inputs)
{
    static const char *const usual[] = {"key", "iv", "aad", "msg", "tag", "pub", "sig"};
    for (size_t i = 0; i < CS_COUNT(usual); i++) {
        key->usual[i] = (cs_span){NULL, 0};
        for (size_t j = 0; j < inputs; j++)
            if (strcmp(key->input[j].name, usual[i]) == 0)
                key->usual[i] = key->input[j].span;
    }
}

static bool grow(cs_slot *slot)
{
    cs_key *more = realloc(slot->key, (slot->keys + 1) * sizeof *more);
    if (more == NULL)
        return false;
    slot->key = more;
    memset(&slot->key[slot->keys], 0, sizeof *more);
    return true;
}

bool cs_keys_begin(cs_slot *slot)
{
    if (!grow(slot))
        return false;
    cs_key *first = &slot->key[0];
    memcpy(first->input, slot->input, sizeof first->input);
    name_usual(first, slot->inputs);
    slot->keys = 1;
    slot->own = *slot->row;
    slot->own.call = fresh_call;
    return true;
}

static size_t find(const cs_slot *slot, const char *name)
{
    size_t i = 0;
    while (i < slot->inputs && strcmp(slot->input[i].name, name) != 0)
        i++;
    return i;
}

static bool is_value(const char *text)
{
    return strncmp(text, "hex:", 4) == 0 || strncmp(text, "gen:", 4) == 0;
}

/* Lengths of the inputs that come with a key; SIZE_MAX for those that do not. NULL, or the error's code. */
static const char *measure(const cs_slot *slot, const cs_request *request, size_t *len, const char **detail)
{
    static char text[CS_DETAIL_MAX];
    for (size_t i = 0; i < CS_INPUTS_MAX; i++)
        len[i] = SIZE_MAX;
    for (size_t f = 0; f < request->count; f++) {
        const cs_field *field = &request->field[f];
        size_t i = find(slot, field->name);
        *detail = text;
        if (i == slot->inputs && !is_value(field->value))
            continue;
        snprintf(text, sizeof text, "this case has no input %.60s", field->name);
        if (i == slot->inputs)
            return "bad-request";
        snprintf(text, sizeof text, "not hex:... or gen:SEED:LENGTH: %.60s", field->name);
        enum cs_decode decoded = cs_value_length(field->value, &len[i]);
        if (decoded == CS_DECODE_MALFORMED)
            return "bad-request";
        snprintf(text, sizeof text, "an input over 256 MiB: %.60s", field->name);
        if (decoded == CS_DECODE_TOO_LONG)
            return "unsupported-size";
        size_t due = cs_shape_length(slot->row->id, field->name);
        snprintf(text, sizeof text, "not of the length that the algorithm has: %.60s", field->name);
        if (due != SIZE_MAX && len[i] != due)
            return "setup-failed";
        *detail = "msg is one for all keys where the output is in its place, and of one length everywhere";
        if (strcmp(field->name, "msg") == 0 && (slot->under.in_place || len[i] != slot->input[i].span.len))
            return "bad-request";
    }
    return NULL;
}

const char *cs_keys_add(cs_slot *slot, const cs_request *request, const char **detail)
{
    size_t len[CS_INPUTS_MAX], step = slot->under.offset + CS_CANARY, total = 0;
    if (slot->keys == 0 || slot->keys == CS_MAX_KEYS)
        return *detail = slot->keys == 0 ? "the case was not prepared with key=fresh" : "more than 64 keys",
               "bad-request";
    const char *code = measure(slot, request, len, detail);
    if (code != NULL)
        return code;
    for (size_t i = 0; i < slot->inputs; i++)
        total += len[i] == SIZE_MAX ? 0 : (len[i] + step + ALIGN - 1) / ALIGN * ALIGN;
    void *arena = NULL;
    *detail = "no room for the inputs of a key";
    if (posix_memalign(&arena, ALIGN, total + ALIGN) != 0)
        return "out-of-memory";
    if (!grow(slot))
        return free(arena), "out-of-memory";
    slot->c.inputs = slot->key[0].input; /* they may have moved, also for a key that is refused below */
    cs_canary(arena, total + ALIGN);
    cs_key *key = &slot->key[slot->keys];
    memcpy(key->input, slot->input, sizeof key->input);
    key->arena = arena;
    key->arena_len = total + ALIGN;
    uint8_t *at = key->arena + slot->under.offset;
    for (size_t i = 0; i < slot->inputs; i++) {
        if (len[i] == SIZE_MAX)
            continue;
        if (cs_value_bytes(cs_request_value(request, slot->input[i].name), at, len[i]) != CS_DECODE_OK)
            return *detail = "not hex:... or gen:SEED:LENGTH", free(arena), "bad-request";
        key->own[i] = true;
        key->input[i].span = (cs_span){at, len[i]};
        key->crc32[i] = cs_crc32(at, len[i]);
        at += (len[i] + step + ALIGN - 1) / ALIGN * ALIGN;
    }
    name_usual(key, slot->inputs);
    slot->keys++;
    slot->key_next = 0;
    return NULL;
}

void cs_keys_free(cs_slot *slot)
{
    for (size_t k = 0; k < slot->keys; k++)
        free(slot->key[k].arena);
    free(slot->key);
}

const char *cs_keys_changed(const cs_slot *slot, bool contents)
{
    for (size_t k = 1; k < slot->keys; k++)
        for (size_t i = 0; i < slot->inputs; i++) {
            const cs_span *span = &slot->key[k].input[i].span;
            if (!slot->key[k].own[i])
                continue;
            if (contents ? cs_crc32(span->data, span->len) != slot->key[k].crc32[i]
                         : !cs_intact(span->data + span->len))
                return slot->key[k].input[i].name;
        }
    return NULL;
}
