/* SPDX-License-Identifier: Apache-2.0
 *
 * modexp laboratory adapter: single products. `montmul` multiplies a number in Montgomery form with a plain one; the
 * reductions without such a form have `mod-mul` and `mod-sqr`.
 */
#include "adapter.h"

#include <string.h>

typedef struct product_state {
    void *key, *operands;
    const void *a, *b;
    uint8_t *result, *scratch;
    size_t result_size;
} product_state;

static void teardown(cs_case *c)
{
    product_state *s = c->state;

    cs_free(s->key);
    cs_free(s->operands);
    cs_free(s->result);
    cs_free(s->scratch);
    cs_free(s);
    c->state = NULL;
}

static int prepare(cs_case *c, product_state *s, size_t operands)
{
    const lab_row *row = c->op->param;
    const modexp_backend *backend = row->backend;
    modexp_reduction reduction = row->method.reduction;

    if (lab_key(&s->key, backend, row, c->pub, 0) != CS_OK ||
        lab_operands(&s->operands, backend, row, c, operands) != CS_OK) {
        return CS_ERROR;
    }
    s->result_size = backend->limbs(row->bits) * backend->limb_bytes;
    s->result = cs_alloc(s->result_size);
    s->scratch = cs_alloc(backend->scratch_bytes(reduction, row->bits));
    if (s->result == NULL || s->scratch == NULL) {
        return cs_fail("no memory for the product");
    }
    s->a = s->operands;
    s->b = (uint8_t *)s->operands + (operands - 1) * s->result_size;
    if (operands == 2) {
        backend->enter(reduction, s->operands, s->operands, s->key, s->scratch);
    }
    return CS_OK;
}

static int setup(cs_case *c, size_t operands)
{
    product_state *s = cs_alloc(sizeof(*s));

    if (s == NULL) {
        return cs_fail("no memory");
    }
    c->state = s;
    if (prepare(c, s, operands) != CS_OK) {
        teardown(c);
        return CS_ERROR;
    }
    return CS_OK;
}

static int setup_product(cs_case *c)
{
    return setup(c, 2);
}

static int setup_square(cs_case *c)
{
    return setup(c, 1);
}

static int call_product(cs_case *c)
{
    const lab_row *row = c->op->param;
    product_state *s = c->state;

    row->backend->product(row->method.reduction, s->result, s->a, s->b, s->key, s->scratch);
    return CS_OK;
}

static int call_square(cs_case *c)
{
    const lab_row *row = c->op->param;
    product_state *s = c->state;

    row->backend->square(row->method.reduction, s->result, s->a, s->key, s->scratch);
    return CS_OK;
}

static int finish(cs_case *c)
{
    const lab_row *row = c->op->param;
    product_state *s = c->state;

    row->backend->store(c->out, row->bits / 8, s->result, row->backend->limbs(row->bits));
    c->out_len = row->bits / 8;
    memset(s->result, 0x55, s->result_size);
    return CS_OK;
}

static void tell(cs_case *c, cs_facts *sink)
{
    const lab_row *row = c->op->param;
    const product_state *s = c->state;

    lab_facts_counts(sink, &modexp_counted);
    lab_facts_method(sink, row, 0);
    lab_facts_memory(sink, s->result_size + row->backend->scratch_bytes(row->method.reduction, row->bits), 0,
                     row->backend->key_bytes(row->method.reduction, row->bits, 0));
    lab_facts_symbols(sink, row, 0, 0);
    memset(s->result, 0x55, s->result_size);
}

static void facts_product(cs_case *c, cs_facts *sink)
{
    const lab_row *row = c->op->param;
    product_state *s = c->state;

    memset(&modexp_counted, 0, sizeof(modexp_counted));
    row->counted->product(row->method.reduction, s->result, s->a, s->b, s->key, s->scratch);
    tell(c, sink);
}

static void facts_square(cs_case *c, cs_facts *sink)
{
    const lab_row *row = c->op->param;
    product_state *s = c->state;

    memset(&modexp_counted, 0, sizeof(modexp_counted));
    row->counted->square(row->method.reduction, s->result, s->a, s->key, s->scratch);
    tell(c, sink);
}

const lab_functions lab_product = {
    .setup = setup_product,
    .call = call_product,
    .teardown = teardown,
    .finish = finish,
    .facts = facts_product,
};
const lab_functions lab_square = {
    .setup = setup_square,
    .call = call_square,
    .teardown = teardown,
    .finish = finish,
    .facts = facts_square,
};
