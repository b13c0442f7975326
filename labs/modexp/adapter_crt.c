/* SPDX-License-Identifier: Apache-2.0
 *
 * modexp laboratory adapter: modexp/private by CRT.
 */
#include "adapter.h"

#include <string.h>

typedef struct crt_state {
    void *keys[2];   /* p and q */
    void *q_inverse; /* in the reduction's form */
    void *base;      /* with the limbs of both primes */
    uint8_t *memory; /* the arena: exactly as long as stated */
    size_t size;
    lab_crt_key parts;
    void *result; /* in the arena, after a call */
} crt_state;

static void teardown(cs_case *c)
{
    crt_state *s = c->state;

    cs_free(s->keys[0]);
    cs_free(s->keys[1]);
    cs_free(s->q_inverse);
    cs_free(s->base);
    cs_free(s->memory);
    cs_free(s);
    c->state = NULL;
}

static int prepare(cs_case *c, crt_state *s)
{
    const lab_row *row = c->op->param;
    const modexp_backend *backend = row->backend;
    size_t n = backend->limbs(row->key_bits);
    void *scratch;

    if (lab_crt_parts(&s->parts, row, c) != CS_OK || lab_key(&s->keys[0], backend, row, s->parts.p, 1) != CS_OK ||
        lab_key(&s->keys[1], backend, row, s->parts.q, 1) != CS_OK) {
        return CS_ERROR;
    }
    s->size = backend->crt_arena_bytes(row->method, row->key_bits);
    s->memory = cs_alloc(s->size);
    s->base = cs_alloc(2 * n * backend->limb_bytes);
    s->q_inverse = cs_alloc(n * backend->limb_bytes);
    scratch = cs_alloc(backend->scratch_bytes(row->method.reduction, row->key_bits));
    if (s->memory == NULL || s->base == NULL || s->q_inverse == NULL || scratch == NULL) {
        cs_free(scratch);
        return cs_fail("no memory for the arena");
    }
    backend->load(s->base, 2 * n, c->msg.data, c->msg.len);
    backend->load(s->q_inverse, n, s->parts.q_inverse.data, s->parts.q_inverse.len);
    backend->enter(row->method.reduction, s->q_inverse, s->q_inverse, s->keys[0], scratch);
    cs_free(scratch);
    return CS_OK;
}

static int setup(cs_case *c)
{
    crt_state *s = cs_alloc(sizeof(*s));

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

static int run(const modexp_backend *backend, const lab_row *row, crt_state *s, modexp_arena *arena)
{
    const void *const keys[2] = {s->keys[0], s->keys[1]};
    const uint8_t *const exponents[2] = {s->parts.dp.data, s->parts.dq.data};

    s->result = backend->crt_power(row->method, keys, s->q_inverse, s->base, exponents, s->parts.dp.len, arena);
    return s->result != NULL ? CS_OK : cs_fail("the arena is too small");
}

static int call(cs_case *c)
{
    const lab_row *row = c->op->param;
    crt_state *s = c->state;
    modexp_arena arena = {s->memory, s->size, 0, 0};

    return run(row->backend, row, s, &arena);
}

static int finish(cs_case *c)
{
    const lab_row *row = c->op->param;
    crt_state *s = c->state;

    if (s->result == NULL) {
        return CS_ERROR;
    }
    row->backend->store(c->out, row->bits / 8, s->result, 2 * row->backend->limbs(row->key_bits));
    c->out_len = row->bits / 8;
    memset(s->memory, 0x55, s->size);
    s->result = NULL;
    return CS_OK;
}

static void facts(cs_case *c, cs_facts *sink)
{
    const lab_row *row = c->op->param;
    crt_state *s = c->state;
    modexp_arena arena = {s->memory, s->size, 0, 0};

    memset(&modexp_counted, 0, sizeof(modexp_counted));
    run(row->counted, row, s, &arena);
    s->result = NULL;
    lab_facts_counts(sink, &modexp_counted);
    lab_facts_method(sink, row, 1);
    lab_facts_memory(sink, arena.high, row->backend->table_bytes(row->method, row->key_bits),
                     2 * row->backend->key_bytes(row->method.reduction, row->key_bits, 1));
    lab_facts_symbols(sink, row, 1, 1);
}

const lab_functions lab_crt = {
    .setup = setup,
    .call = call,
    .teardown = teardown,
    .finish = finish,
    .facts = facts,
};
