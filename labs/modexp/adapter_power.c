/* SPDX-License-Identifier: Apache-2.0
 *
 * modexp laboratory adapter: modexp/private and modexp/public without CRT.
 */
#include "adapter.h"

#include <string.h>

typedef struct power_state {
    void *key, *base;
    uint8_t *memory; /* the arena: exactly as long as stated */
    size_t size;
    void *result; /* in the arena, after a call */
} power_state;

static void teardown(cs_case *c)
{
    power_state *s = c->state;

    cs_free(s->key);
    cs_free(s->base);
    cs_free(s->memory);
    cs_free(s);
    c->state = NULL;
}

static int prepare(cs_case *c, power_state *s)
{
    const lab_row *row = c->op->param;

    if (lab_key(&s->key, row->backend, row, c->pub, 0) != CS_OK ||
        lab_operands(&s->base, row->backend, row, c, 1) != CS_OK) {
        return CS_ERROR;
    }
    s->size = row->backend->arena_bytes(row->method, row->bits);
    s->memory = cs_alloc(s->size);
    return s->memory != NULL ? CS_OK : cs_fail("no memory for the arena");
}

static int setup(cs_case *c)
{
    power_state *s = cs_alloc(sizeof(*s));

    if (s == NULL) {
        return cs_fail("no memory");
    }
    c->state = s;
    if (prepare(c, s) != CS_OK) {
        teardown(c);
        return CS_ERROR;
    }
    return CS_OK;
}

static int call(cs_case *c)
{
    const lab_row *row = c->op->param;
    power_state *s = c->state;
    modexp_arena arena = {s->memory, s->size, 0, 0};

    s->result = row->backend->power(row->method, s->key, s->base, c->key.data, c->key.len, &arena);
    return s->result != NULL ? CS_OK : cs_fail("the arena is too small");
}

static int finish(cs_case *c)
{
    const lab_row *row = c->op->param;
    power_state *s = c->state;

    if (s->result == NULL) {
        return CS_ERROR;
    }
    row->backend->store(c->out, row->bits / 8, s->result, row->backend->limbs(row->bits));
    c->out_len = row->bits / 8;
    memset(s->memory, 0x55, s->size);
    s->result = NULL;
    return CS_OK;
}

/* One exponentiation by the counting build of the same sources. Limbs and key blocks of both are laid out alike. */
static void facts(cs_case *c, cs_facts *sink)
{
    const lab_row *row = c->op->param;
    power_state *s = c->state;
    modexp_arena arena = {s->memory, s->size, 0, 0};

    memset(&modexp_counted, 0, sizeof(modexp_counted));
    row->counted->power(row->method, s->key, s->base, c->key.data, c->key.len, &arena);
    s->result = NULL;
    lab_facts_counts(sink, &modexp_counted);
    lab_facts_method(sink, row, 1);
    lab_facts_memory(sink, arena.high, row->backend->table_bytes(row->method, row->bits),
                     row->backend->key_bytes(row->method.reduction, row->bits, 0));
    lab_facts_symbols(sink, row, 1, 0);
}

const lab_functions lab_power = {
    .setup = setup,
    .call = call,
    .teardown = teardown,
    .finish = finish,
    .facts = facts,
};
