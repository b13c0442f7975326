/* SPDX-License-Identifier: Apache-2.0
 *
 * Conditions that a case is called under (PROTOCOL.md, `prepare`): parameters whose values the SDK makes true, for
 * every adapter alike. What the calls then need besides is done here, outside of the timed intervals.
 */
#include "sdk.h"

#include <stdio.h>
#include <string.h>

#define ALIGNED_BYTES 64 /* inputs lie at multiples of this, and offsets are below it */

/* Why the row cannot be called under the condition `name`, as its table says; NULL if it can. */
static const char *row_refusal(const cs_op *op, const char *name)
{
    static char why[CS_DETAIL_MAX];
    size_t len = strlen(name);
    for (const char *at = op->cannot; at != NULL; at = strstr(at, "; ")) {
        at += strncmp(at, "; ", 2) == 0 ? 2 : 0;
        if (strncmp(at, name, len) != 0 || at[len] != ':')
            continue;
        const char *end = strstr(at, "; ");
        snprintf(why, sizeof why, "%.*s", (int)(end == NULL ? strlen(at) : (size_t)(end - at)), at);
        return why;
    }
    return NULL;
}

/* A condition with two values, of which the first is what holds without a word. */
static const char *choice(const char *value, const char *usual, const char *other, bool *chosen)
{
    static char wrong[CS_DETAIL_MAX];
    *chosen = strcmp(value, other) == 0;
    if (*chosen || strcmp(value, usual) == 0)
        return NULL;
    snprintf(wrong, sizeof wrong, "%.63s is neither %s nor %s", value, usual, other);
    return wrong;
}

static const char *read_one(const cs_op *op, const cs_shape *shape, const cs_param *param, cs_conditions *under)
{
    bool chosen = false, has_msg = op == &cs_empty_op;
    const char *wrong = NULL;
    uint64_t offset = 0;
    for (size_t i = 0; i < shape->inputs; i++)
        has_msg = has_msg || strcmp(shape->input[i].name, "msg") == 0;
    if (strcmp(param->name, "key") == 0) {
        wrong = choice(param->value, "kept", "fresh", &under->fresh_key);
        chosen = under->fresh_key;
        if (chosen && op->rekey == NULL && row_refusal(op, "key") == NULL)
            return "the adapter has no function that takes a new key into a context of this row";
    } else if (strcmp(param->name, "cache") == 0) {
        wrong = choice(param->value, "warm", "cold", &under->cold);
        chosen = under->cold;
    } else if (strcmp(param->name, "place") == 0) {
        wrong = choice(param->value, "apart", "same", &under->in_place);
        chosen = under->in_place;
        if (chosen && !has_msg)
            return "there is no msg that the output could lie in";
    } else if (strcmp(param->name, "offset") == 0) {
        if (!cs_decimal(param->value, &offset) || offset >= ALIGNED_BYTES)
            return "offset is not a number below 64";
        under->offset = (size_t)offset;
        chosen = offset > 0;
    }
    return wrong != NULL || !chosen ? wrong : row_refusal(op, param->name);
}

const char *cs_conditions_read(const cs_op *op, const cs_shape *shape, cs_conditions *under)
{
    *under = (cs_conditions){0};
    for (size_t i = 0; i < shape->params; i++) {
        const char *wrong = read_one(op, shape, &shape->param[i], under);
        if (wrong != NULL)
            return wrong;
    }
    return NULL;
}

bool cs_conditions_same(const cs_conditions *a, const cs_conditions *b)
{
    return a->fresh_key == b->fresh_key && a->cold == b->cold && a->in_place == b->in_place && a->offset == b->offset;
}

bool cs_timed_apart(const cs_slot *slot)
{
    return slot->under.cold || slot->under.in_place || slot->row->stands_aside;
}

void cs_message_again(cs_slot *slot)
{
    if (slot->message_len > 0)
        memcpy(slot->out, slot->message, slot->message_len);
}

/* What the SDK reads around a call is not what is asked for: it is there when the clock is read. */
static void fetch(cs_slot *slot)
{
    const volatile uint8_t *at = (const volatile uint8_t *)&slot->c;
    for (size_t i = 0; i < sizeof slot->c; i += 64)
        (void)at[i];
}

void cs_turn_ready(void *what)
{
    const cs_turn *turn = what;
    for (size_t i = 0; i < turn->count; i++)
        cs_message_again(turn->slot[i]);
    if (!turn->evicts)
        return;
    for (size_t i = 0; i < turn->count; i++) {
        const cs_slot *slot = turn->slot[i];
        cs_evict_range(slot->arena, slot->arena_len);
        for (size_t k = 1; k < slot->keys; k++)
            cs_evict_range(slot->key[k].arena, slot->key[k].arena_len);
    }
    cs_evict_all();
    for (size_t i = 0; i < turn->count; i++)
        fetch(turn->slot[i]);
    cs_empty_op.call(NULL);
}
