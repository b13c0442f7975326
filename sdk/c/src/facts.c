/* SPDX-License-Identifier: Apache-2.0
 *
 * Facts that an adapter reports about a case beyond time and memory. Each must be a fact as PROTOCOL.md defines it. The
 * first that is not makes the whole reply a refusal, because a table with a part of the facts misleads.
 */
#include "sdk.h"

#include <stdlib.h>
#include <string.h>

#define NUMBER_MAX ((uint64_t)1 << 53)

static bool is_key(const char *key)
{
    size_t len = key == NULL ? 0 : strlen(key);
    if (len == 0 || len > CS_FACT_KEY_MAX)
        return false;
    for (size_t i = 0; i < len; i++)
        if (!((key[i] >= 'a' && key[i] <= 'z') || (key[i] >= '0' && key[i] <= '9') || key[i] == '_'))
            return false;
    return true;
}

static void refuse(cs_facts *sink, const char *why)
{
    if (sink->wrong == NULL)
        sink->wrong = why;
}

/* The place of `key` if it was reported before, else a new one; NULL if there is no room or `key` is not a word. */
static cs_fact *place(cs_facts *sink, const char *key)
{
    if (!is_key(key)) {
        refuse(sink, "a key is not a word of at most 63 lower-case letters, digits and _");
        return NULL;
    }
    for (size_t i = 0; i < sink->count; i++)
        if (strcmp(sink->fact[i].key, key) == 0)
            return &sink->fact[i];
    if (sink->count == CS_FACTS_MAX) {
        refuse(sink, "more than 64 facts");
        return NULL;
    }
    cs_fact *fact = &sink->fact[sink->count++];
    memcpy(fact->key, key, strlen(key) + 1);
    return fact;
}

void cs_fact_number(cs_facts *sink, const char *key, uint64_t value)
{
    cs_fact *fact = place(sink, key);
    if (fact == NULL)
        return;
    if (value > NUMBER_MAX)
        refuse(sink, "a number over 2^53");
    fact->is_text = false;
    fact->number = value;
}

void cs_fact_text(cs_facts *sink, const char *key, const char *text)
{
    cs_fact *fact = place(sink, key);
    if (fact == NULL)
        return;
    size_t len = text == NULL ? 0 : strlen(text);
    if (text == NULL || len > CS_FACT_TEXT_MAX || strpbrk(text, "\n\r") != NULL) {
        refuse(sink, "a text that is not one line of at most 4096 bytes");
        return;
    }
    fact->is_text = true;
    memcpy(fact->text, text, len + 1);
}

static bool reply(const cs_request *request, const cs_facts *told)
{
    cs_reply_begin(request->seq);
    cs_reply_named_object("facts");
    for (size_t i = 0; i < told->count; i++) {
        const cs_fact *fact = &told->fact[i];
        if (fact->is_text)
            cs_reply_string(fact->key, fact->text);
        else
            cs_reply_unsigned(fact->key, fact->number);
    }
    cs_reply_object_end();
    return cs_reply_end();
}

bool cs_facts_serve(const cs_request *request, cs_slot *slot)
{
    cs_facts *told = calloc(1, sizeof *told);
    if (told == NULL)
        return cs_reply_error(request->seq, "out-of-memory", "no room for the facts");
    if (slot->c.op->facts != NULL) {
        cs_slot_before(slot);
        slot->c.op->facts(&slot->c, told);
        slot->called = false;
    }
    bool reader = told->wrong != NULL ? cs_reply_error(request->seq, "bad-facts", told->wrong) : reply(request, told);
    free(told);
    return reader;
}
