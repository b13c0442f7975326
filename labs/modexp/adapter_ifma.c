/* SPDX-License-Identifier: Apache-2.0
 *
 * modexp laboratory adapter: rows of the IFMA back end (ifma.h). Numbers cross to it as 64-bit limbs. With CRT, the
 * reduction of the base and the recombination are the portable ones.
 */
#include "adapter.h"

#include "ifma.h"

#include <string.h>

#define PORTABLE (&MODEXP_WIDEST)
#define TOO_SMALL "the IFMA back end does not take the arena"

typedef struct ifma_state {
    void *keys[2];       /* the modulus, or p and q */
    void *prime_keys[2]; /* p and q for the portable parts of CRT */
    uint64_t *base;      /* parsed; with CRT as long as both primes */
    uint64_t *exponent[2];
    uint64_t *result;               /* as long as the modulus, with CRT as both primes; spoilt by finish */
    uint64_t *halves[2];            /* CRT: the base modulo each prime, then the powers */
    uint64_t *q_inverse;            /* CRT: in Montgomery form */
    uint64_t *scratch;              /* CRT: of the portable parts, with room for one prime before it */
    modexp_ifma_arena arena;        /* of the back end, exactly as long as it states */
    void *operands[3];              /* montmul: a in Montgomery form, b plain, their product */
    size_t result_bytes, crt_bytes; /* crt_bytes: halves and scratch */
    lab_crt_key parts;
} ifma_state;

static const char *unavailable(const cs_op *op)
{
    (void)op;
    return modexp_ifma_unavailable();
}

static int is_constant_time(const lab_row *row)
{
    return row->method.scan == MODEXP_FIXED_CT;
}

static void teardown(cs_case *c)
{
    ifma_state *s = c->state;

    for (int i = 0; i < 2; i++) {
        cs_free(s->keys[i]);
        cs_free(s->prime_keys[i]);
        cs_free(s->exponent[i]);
        cs_free(s->halves[i]);
    }
    for (size_t i = 0; i < CS_COUNT(s->operands); i++) {
        cs_free(s->operands[i]);
    }
    cs_free(s->base);
    cs_free(s->result);
    cs_free(s->q_inverse);
    cs_free(s->scratch);
    cs_free(s->arena.base);
    cs_free(s);
    c->state = NULL;
}

static int setup(cs_case *c, int (*prepare)(cs_case *c, ifma_state *s))
{
    ifma_state *s = cs_alloc(sizeof(*s));

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

/* Big-endian bytes as 64-bit limbs in new memory. */
static uint64_t *limbs_of(cs_span bytes)
{
    size_t n = (bytes.len + 7) / 8;
    uint64_t *limbs = cs_alloc(n * sizeof(uint64_t));

    if (limbs != NULL) {
        PORTABLE->load(limbs, n, bytes.data, bytes.len);
    }
    return limbs;
}

/* The portable set-up checks the modulus; then the back end's own key of it. */
static int set_key(void **own, void **portable, const lab_row *row, cs_span modulus, int crt)
{
    lab_row by = *row;
    size_t size;

    by.method.reduction = MODEXP_MONT_K;
    if (lab_key(portable, PORTABLE, &by, modulus, crt) != CS_OK) {
        return CS_ERROR;
    }
    size = modexp_ifma_key_bytes(row->key_bits);
    *own = cs_alloc(size);
    if (*own == NULL) {
        return cs_fail("no memory for the key block");
    }
    return modexp_ifma_set_modulus(*own, size, modulus.data, modulus.len) == 0
               ? CS_OK
               : cs_fail("the IFMA back end does not take this modulus");
}

static int new_arena(ifma_state *s, const lab_row *row, int pair)
{
    s->arena.size = modexp_ifma_arena_bytes(row->key_bits, row->method.window, is_constant_time(row), pair);
    s->result_bytes = row->bits / 8;
    s->arena.base = cs_alloc(s->arena.size);
    s->result = cs_alloc(s->result_bytes);
    return s->arena.base != NULL && s->result != NULL ? CS_OK : cs_fail("no memory for the arena");
}

static int finish(cs_case *c)
{
    ifma_state *s = c->state;

    PORTABLE->store(c->out, s->result_bytes, s->result, s->result_bytes / 8);
    c->out_len = s->result_bytes;
    memset(s->result, 0x55, s->result_bytes);
    return CS_OK;
}

/* `counts` of one power, twice added for the halves of CRT. */
static void add_counts(modexp_counts *sum, const ifma_state *s, const lab_row *row, int half, unsigned exponent_bits)
{
    modexp_ifma_counts counts;

    modexp_ifma_count(&counts, s->exponent[half], exponent_bits, row->key_bits, row->method.window,
                      is_constant_time(row));
    sum->mul += counts.mul;
    sum->sqr += counts.sqr;
    sum->red += counts.red;
    sum->limb_mul += counts.limb_mul;
}

/* -- modexp/private, modexp/public -- */

static int prepare_power(cs_case *c, ifma_state *s)
{
    const lab_row *row = c->op->param;

    if (set_key(&s->keys[0], &s->prime_keys[0], row, c->pub, 0) != CS_OK ||
        lab_operands((void **)&s->base, PORTABLE, row, c, 1) != CS_OK || new_arena(s, row, 0) != CS_OK) {
        return CS_ERROR;
    }
    s->exponent[0] = limbs_of(c->key);
    return s->exponent[0] != NULL ? CS_OK : cs_fail("no memory for the exponent");
}

static int setup_power(cs_case *c)
{
    return setup(c, prepare_power);
}

static int call_power(cs_case *c)
{
    const lab_row *row = c->op->param;
    ifma_state *s = c->state;

    return modexp_ifma_power(s->result, s->base, s->exponent[0], (unsigned)(8 * c->key.len), s->keys[0],
                             row->method.window, is_constant_time(row), s->arena) == 0
               ? CS_OK
               : cs_fail(TOO_SMALL);
}

static void facts_power(cs_case *c, cs_facts *sink)
{
    const lab_row *row = c->op->param;
    const ifma_state *s = c->state;
    modexp_counts counts = {0};

    add_counts(&counts, s, row, 0, (unsigned)(8 * c->key.len));
    lab_facts_counts(sink, &counts);
    lab_facts_method(sink, row, 1);
    lab_facts_memory(sink, s->arena.size + s->result_bytes,
                     modexp_ifma_table_bytes(row->key_bits, row->method.window, is_constant_time(row), 0),
                     modexp_ifma_key_bytes(row->key_bits));
    cs_fact_text(sink, "symbols", modexp_ifma_symbols(row->key_bits, row->method.window, is_constant_time(row), 0));
}

/* -- modexp/private with CRT: both halves at once -- */

static int prepare_crt(cs_case *c, ifma_state *s)
{
    const lab_row *row = c->op->param;
    size_t prime = row->key_bits / 8, scratch = PORTABLE->scratch_bytes(MODEXP_MONT_K, row->key_bits);

    if (lab_crt_parts(&s->parts, row, c) != CS_OK ||
        set_key(&s->keys[0], &s->prime_keys[0], row, s->parts.p, 1) != CS_OK ||
        set_key(&s->keys[1], &s->prime_keys[1], row, s->parts.q, 1) != CS_OK || new_arena(s, row, 1) != CS_OK) {
        return CS_ERROR;
    }
    s->base = limbs_of(c->msg);
    s->exponent[0] = limbs_of(s->parts.dp);
    s->exponent[1] = limbs_of(s->parts.dq);
    s->q_inverse = limbs_of(s->parts.q_inverse);
    s->halves[0] = cs_alloc(prime);
    s->halves[1] = cs_alloc(prime);
    s->scratch = cs_alloc(prime + scratch);
    s->crt_bytes = 3 * prime + scratch;
    if (s->base == NULL || s->exponent[0] == NULL || s->exponent[1] == NULL || s->q_inverse == NULL ||
        s->halves[0] == NULL || s->halves[1] == NULL || s->scratch == NULL) {
        return cs_fail("no memory for the numbers");
    }
    PORTABLE->enter(MODEXP_MONT_K, s->q_inverse, s->q_inverse, s->prime_keys[0], s->scratch);
    return CS_OK;
}

static int setup_crt(cs_case *c)
{
    return setup(c, prepare_crt);
}

static int call_crt(cs_case *c)
{
    const lab_row *row = c->op->param;
    ifma_state *s = c->state;
    uint64_t *const results[2] = {s->halves[0], s->halves[1]};
    const uint64_t *const bases[2] = {s->halves[0], s->halves[1]};
    const uint64_t *const exponents[2] = {s->exponent[0], s->exponent[1]};
    const void *const keys[2] = {s->keys[0], s->keys[1]};
    const void *const prime_keys[2] = {s->prime_keys[0], s->prime_keys[1]};
    uint64_t *room = s->scratch, *scratch = s->scratch + row->key_bits / 64;

    for (int i = 0; i < 2; i++) {
        memcpy(s->result, s->base, s->result_bytes);
        PORTABLE->reduce_long(s->halves[i], s->result, s->prime_keys[i], scratch);
    }
    if (modexp_ifma_power_x2(results, bases, exponents, keys, row->method.window, is_constant_time(row), s->arena) !=
        0) {
        return cs_fail(TOO_SMALL);
    }
    PORTABLE->join(s->result, s->halves[0], s->halves[1], s->q_inverse, prime_keys, room, scratch);
    return CS_OK;
}

static void facts_crt(cs_case *c, cs_facts *sink)
{
    const lab_row *row = c->op->param;
    const ifma_state *s = c->state;
    modexp_counts counts = {0};

    add_counts(&counts, s, row, 0, row->key_bits);
    add_counts(&counts, s, row, 1, row->key_bits);
    lab_facts_counts(sink, &counts);
    lab_facts_method(sink, row, 1);
    lab_facts_memory(sink, s->arena.size + s->result_bytes + s->crt_bytes,
                     modexp_ifma_table_bytes(row->key_bits, row->method.window, is_constant_time(row), 1),
                     2 * (modexp_ifma_key_bytes(row->key_bits) + PORTABLE->key_bytes(MODEXP_MONT_K, row->key_bits, 1)));
    cs_fact_text(sink, "symbols", modexp_ifma_symbols(row->key_bits, row->method.window, is_constant_time(row), 1));
}

/* -- montmul -- */

static int prepare_product(cs_case *c, ifma_state *s)
{
    const lab_row *row = c->op->param;

    if (set_key(&s->keys[0], &s->prime_keys[0], row, c->pub, 0) != CS_OK ||
        lab_operands((void **)&s->base, PORTABLE, row, c, 2) != CS_OK) {
        return CS_ERROR;
    }
    s->result_bytes = row->bits / 8;
    s->result = cs_alloc(s->result_bytes);
    for (size_t i = 0; i < CS_COUNT(s->operands); i++) {
        s->operands[i] = cs_alloc(modexp_ifma_operand_bytes(row->bits));
        if (s->operands[i] == NULL || s->result == NULL) {
            return cs_fail("no memory for the product");
        }
    }
    modexp_ifma_load(s->operands[0], s->base, 1, s->keys[0]);
    modexp_ifma_load(s->operands[1], s->base + row->bits / 64, 0, s->keys[0]);
    return CS_OK;
}

static int setup_product(cs_case *c)
{
    return setup(c, prepare_product);
}

static int call_product(cs_case *c)
{
    ifma_state *s = c->state;

    modexp_ifma_mul(s->operands[2], s->operands[0], s->operands[1], s->keys[0]);
    return CS_OK;
}

static int finish_product(cs_case *c)
{
    const lab_row *row = c->op->param;
    ifma_state *s = c->state;

    modexp_ifma_store(s->result, s->operands[2], s->keys[0]);
    memset(s->operands[2], 0, modexp_ifma_operand_bytes(row->bits));
    return finish(c);
}

static void facts_product(cs_case *c, cs_facts *sink)
{
    const lab_row *row = c->op->param;

    cs_fact_number(sink, "mul", 1);
    lab_facts_method(sink, row, 0);
    lab_facts_memory(sink, modexp_ifma_operand_bytes(row->bits), 0, modexp_ifma_key_bytes(row->bits));
}

const lab_functions lab_ifma_power = {
    .setup = setup_power,
    .call = call_power,
    .teardown = teardown,
    .finish = finish,
    .facts = facts_power,
    .unavailable = unavailable,
};
const lab_functions lab_ifma_crt = {
    .setup = setup_crt,
    .call = call_crt,
    .teardown = teardown,
    .finish = finish,
    .facts = facts_crt,
    .unavailable = unavailable,
};
const lab_functions lab_ifma_product = {
    .setup = setup_product,
    .call = call_product,
    .teardown = teardown,
    .finish = finish_product,
    .facts = facts_product,
    .unavailable = unavailable,
};
