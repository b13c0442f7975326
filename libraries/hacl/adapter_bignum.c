/* SPDX-License-Identifier: Apache-2.0
 *
 * HACL*: arithmetic modulo one odd number, on arrays of 64-bit words.
 *
 * Entry points: Hacl_Bignum64_mod_exp_vartime_precomp, Hacl_Bignum64_mod_exp_consttime_precomp,
 * Hacl_Bignum64_mod_exp_vartime, Hacl_Bignum64_add_mod, Hacl_Bignum64_mul, Hacl_Bignum64_sqr,
 * Hacl_Bignum64_mod_precomp, Hacl_GenericField64_mul; Hacl_Bignum4096_*.
 */
#include <string.h>

#include <Hacl_Bignum4096.h>
#include <Hacl_Bignum64.h>
#include <Hacl_GenericField64.h>

#include "adapter.h"

uint32_t words_of(size_t bytes)
{
    return (uint32_t)((bytes + WORD - 1) / WORD);
}

uint64_t *load(cs_span number, uint32_t words)
{
    uint64_t *loaded;

    while (number.len > 0 && number.data[0] == 0) {
        number.data++;
        number.len--;
    }
    if (number.len > (size_t)words * WORD)
        return NULL;
    loaded = cs_alloc((size_t)words * WORD);
    for (size_t i = 0; loaded != NULL && i < number.len; i++)
        loaded[i / WORD] |= (uint64_t)number.data[number.len - 1 - i] << 8 * (i % WORD);
    return loaded;
}

int is_modulus(const uint64_t *modulus, uint32_t words)
{
    return Hacl_GenericField64_field_modulus_check(words, (uint64_t *)(uintptr_t)modulus);
}

int give(cs_case *c, uint64_t *number, uint32_t words, size_t len)
{
    uint8_t *room = cs_number_room(c, len, len);

    if (room == NULL)
        return CS_ERROR;
    Hacl_Bignum64_bn_to_bytes_be((uint32_t)len, number, room);
    memset(number, 0, (size_t)words * WORD);
    return CS_OK;
}

/* ---- one modulus ---- */

/* `msg` is `a`, or `a` and `b`; `e` is the exponent, of `e_bits` at most. `wide` has room for a product. */
struct numbers {
    uint32_t words, e_bits;
    uint64_t *a, *b, *e, *n, *r, *wide;
    monty *k;
};

static void teardown_numbers(cs_case *c)
{
    struct numbers *s = c->state;

    if (s->k != NULL)
        Hacl_Bignum64_mont_ctx_free(s->k);
    cs_free(s->a);
    cs_free(s->b);
    cs_free(s->e);
    cs_free(s->n);
    cs_free(s->r);
    cs_free(s->wide);
    cs_free(s);
    c->state = NULL;
}

static int give_up(cs_case *c, const char *why)
{
    teardown_numbers(c);
    return why == NULL ? CS_ERROR : cs_fail(why);
}

/* For operations of one number. */
static const cs_span no_number = {.data = (const uint8_t *)"", .len = 0};

static int setup(cs_case *c, cs_span a, cs_span b)
{
    struct numbers *s = cs_alloc(sizeof *s);
    const size_t e_len = c->key.data == NULL ? 0 : c->key.len;

    if (s == NULL)
        return CS_ERROR;
    c->state = s;
    s->words = words_of(c->pub.len);
    s->e_bits = (uint32_t)(8 * e_len);
    s->a = load(a, s->words);
    s->b = load(b, s->words);
    s->n = load(c->pub, s->words);
    s->e = load(e_len == 0 ? no_number : c->key, words_of(e_len == 0 ? 1 : e_len));
    s->r = cs_alloc((size_t)s->words * WORD);
    s->wide = cs_alloc((size_t)s->words * WORD * 2);
    if (s->a == NULL || s->b == NULL || s->n == NULL || s->e == NULL || s->r == NULL || s->wide == NULL)
        return give_up(c, NULL);
    if (!is_modulus(s->n, s->words))
        return give_up(c, "pub is even, or 1");
    s->k = Hacl_Bignum64_mont_ctx_init(s->words, s->n);
    return s->k != NULL ? CS_OK : give_up(c, NULL);
}

static int setup_one(cs_case *c)
{
    return setup(c, c->msg, no_number);
}

static int setup_two(cs_case *c)
{
    cs_span a, b;

    return cs_split_operands(c, &a, &b) == CS_OK ? setup(c, a, b) : CS_ERROR;
}

static int setup_power(cs_case *c)
{
    return setup_one(c);
}

/* The first number in Montgomery form, so that one product is the plain one. */
static int setup_montgomery(cs_case *c)
{
    const int status = setup_two(c);
    struct numbers *s = c->state;

    if (status != CS_OK)
        return status;
    Hacl_GenericField64_to_field(s->k, s->a, s->wide);
    return CS_OK;
}

static int finish_number(cs_case *c)
{
    struct numbers *s = c->state;

    c->out_len = 0;
    return give(c, s->r, s->words, c->pub.len);
}

static int call_power_vartime(cs_case *c)
{
    struct numbers *s = c->state;

    Hacl_Bignum64_mod_exp_vartime_precomp(s->k, s->a, s->e_bits, s->e, s->r);
    return CS_OK;
}

static int call_power_consttime(cs_case *c)
{
    struct numbers *s = c->state;

    Hacl_Bignum64_mod_exp_consttime_precomp(s->k, s->a, s->e_bits, s->e, s->r);
    return CS_OK;
}

static int call_power_anew(cs_case *c)
{
    struct numbers *s = c->state;

    return Hacl_Bignum64_mod_exp_vartime(s->words, s->n, s->a, s->e_bits, s->e, s->r)
               ? CS_OK
               : cs_fail("Hacl_Bignum64_mod_exp_vartime");
}

static int call_montgomery(cs_case *c)
{
    struct numbers *s = c->state;

    Hacl_GenericField64_mul(s->k, s->wide, s->b, s->r);
    return CS_OK;
}

static int call_add(cs_case *c)
{
    struct numbers *s = c->state;

    Hacl_Bignum64_add_mod(s->words, s->n, s->a, s->b, s->r);
    return CS_OK;
}

static int call_mul(cs_case *c)
{
    struct numbers *s = c->state;

    Hacl_Bignum64_mul(s->words, s->a, s->b, s->wide);
    Hacl_Bignum64_mod_precomp(s->k, s->wide, s->r);
    return CS_OK;
}

static int call_sqr(cs_case *c)
{
    struct numbers *s = c->state;

    Hacl_Bignum64_sqr(s->words, s->a, s->wide);
    Hacl_Bignum64_mod_precomp(s->k, s->wide, s->r);
    return CS_OK;
}

/* ---- numbers of 4096 bits: the same state, with the context of the functions for this size ---- */

static int setup_power_4096(cs_case *c)
{
    const int status = setup_one(c);
    struct numbers *s = c->state;

    if (status != CS_OK)
        return status;
    Hacl_Bignum64_mont_ctx_free(s->k);
    s->k = Hacl_Bignum4096_mont_ctx_init(s->n);
    return s->k != NULL ? CS_OK : give_up(c, NULL);
}

static void teardown_power_4096(cs_case *c)
{
    struct numbers *s = c->state;

    Hacl_Bignum4096_mont_ctx_free(s->k);
    s->k = NULL;
    teardown_numbers(c);
}

static int call_power_vartime_4096(cs_case *c)
{
    struct numbers *s = c->state;

    Hacl_Bignum4096_mod_exp_vartime_precomp(s->k, s->a, s->e_bits, s->e, s->r);
    return CS_OK;
}

static int call_power_consttime_4096(cs_case *c)
{
    struct numbers *s = c->state;

    Hacl_Bignum4096_mod_exp_consttime_precomp(s->k, s->a, s->e_bits, s->e, s->r);
    return CS_OK;
}

/* clang-format off */
#define POWER(IMPL, NAME, CALL) \
    {.id = "modexp/private", .impl = IMPL, .name = NAME, .setup = setup_power, .call = CALL, .teardown = teardown_numbers, .finish = finish_number, .params = "crt=no"}, \
    {.id = "modexp/public", .impl = IMPL, .name = NAME, .setup = setup_power, .call = CALL, .teardown = teardown_numbers, .finish = finish_number}
#define POWER_4096(IMPL, NAME, CALL) \
    {.id = "modexp/private", .impl = IMPL, .name = NAME, .setup = setup_power_4096, .call = CALL, .teardown = teardown_power_4096, .finish = finish_number, .params = "bits=4096,crt=no"}, \
    {.id = "modexp/public", .impl = IMPL, .name = NAME, .setup = setup_power_4096, .call = CALL, .teardown = teardown_power_4096, .finish = finish_number, .params = "bits=4096"}
#define NUMBER(ID, NAME, SETUP, CALL) \
    {.id = ID, .impl = "default", .name = NAME, .setup = SETUP, .call = CALL, .teardown = teardown_numbers, .finish = finish_number}

static const cs_op rows[] = {
    POWER("default", "Hacl_Bignum64_mod_exp_vartime_precomp", call_power_vartime),
    POWER("mod_exp_consttime", "Hacl_Bignum64_mod_exp_consttime_precomp", call_power_consttime),
    POWER("mod_exp_vartime", "Hacl_Bignum64_mod_exp_vartime", call_power_anew),
    POWER_4096("Bignum4096_vartime", "Hacl_Bignum4096_mod_exp_vartime_precomp", call_power_vartime_4096),
    POWER_4096("Bignum4096_consttime", "Hacl_Bignum4096_mod_exp_consttime_precomp", call_power_consttime_4096),
    NUMBER("bignum/montmul", "Hacl_GenericField64_mul", setup_montgomery, call_montgomery),
    NUMBER("bignum/mod-add", "Hacl_Bignum64_add_mod", setup_two, call_add),
    NUMBER("bignum/mod-mul", "Hacl_Bignum64_mul, Hacl_Bignum64_mod_precomp", setup_two, call_mul),
    NUMBER("bignum/mod-sqr", "Hacl_Bignum64_sqr, Hacl_Bignum64_mod_precomp", setup_one, call_sqr),
};
const cs_table hacl_bignum = CS_TABLE(rows);
/* clang-format on */
