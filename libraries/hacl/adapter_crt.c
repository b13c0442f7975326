/* SPDX-License-Identifier: Apache-2.0
 *
 * HACL*: exponentiation by the Chinese remainder theorem, as in RFC 8017, 5.1.2.
 *
 * Entry points: Hacl_Bignum64_mod_precomp, Hacl_Bignum64_mod_exp_vartime_precomp,
 * Hacl_Bignum64_mod_exp_consttime_precomp, Hacl_Bignum64_sub_mod, Hacl_Bignum64_mul, Hacl_Bignum64_add.
 */
#include <string.h>

#include <Hacl_Bignum64.h>

#include "adapter.h"

/* Both primes have `words` words; `base`, `wide` and `r` have twice as many. */
struct crt {
    uint32_t words, bits;
    uint64_t *base, *key[CS_CRT_PARTS];
    monty *p, *q;
    uint64_t *room, *m1, *m2, *wide, *r;
};

static void teardown_crt(cs_case *c)
{
    struct crt *s = c->state;

    if (s->p != NULL)
        Hacl_Bignum64_mont_ctx_free(s->p);
    if (s->q != NULL)
        Hacl_Bignum64_mont_ctx_free(s->q);
    for (size_t i = 0; i < CS_CRT_PARTS; i++)
        cs_free(s->key[i]);
    cs_free(s->base);
    cs_free(s->room);
    cs_free(s);
    c->state = NULL;
}

static int give_up(cs_case *c, const char *why)
{
    teardown_crt(c);
    return why == NULL ? CS_ERROR : cs_fail(why);
}

static int setup_crt(cs_case *c)
{
    cs_span part[CS_CRT_PARTS];
    struct crt *s;

    if (cs_crt_split(c->key, part) != CS_OK || (s = cs_alloc(sizeof *s)) == NULL)
        return CS_ERROR;
    c->state = s;
    s->words = words_of(part[CS_CRT_P].len);
    s->bits = (uint32_t)(8 * part[CS_CRT_P].len);
    for (size_t i = 0; i < CS_CRT_PARTS; i++)
        if ((s->key[i] = load(part[i], s->words)) == NULL)
            return give_up(c, NULL);
    s->base = load(c->msg, 2 * s->words);
    s->room = cs_alloc((size_t)s->words * WORD * 7);
    if (s->base == NULL || s->room == NULL)
        return give_up(c, NULL);
    s->m1 = s->room;
    s->m2 = s->m1 + s->words; /* as long as a product: what follows it stays zero */
    s->wide = s->m2 + 2 * s->words;
    s->r = s->wide + 2 * s->words;
    if (!is_modulus(s->key[CS_CRT_P], s->words) || !is_modulus(s->key[CS_CRT_Q], s->words))
        return give_up(c, "a factor is even, or 1");
    s->p = Hacl_Bignum64_mont_ctx_init(s->words, s->key[CS_CRT_P]);
    s->q = Hacl_Bignum64_mont_ctx_init(s->words, s->key[CS_CRT_Q]);
    return s->p != NULL && s->q != NULL ? CS_OK : give_up(c, NULL);
}

typedef void power(monty *k, uint64_t *a, uint32_t bits, uint64_t *b, uint64_t *r);

/* Garner: r = m2 + q (qInv (m1 - m2) mod p), with m2 below q and q below p. */
static int call(struct crt *s, power *raise)
{
    Hacl_Bignum64_mod_precomp(s->p, s->base, s->wide);
    raise(s->p, s->wide, s->bits, s->key[CS_CRT_DP], s->m1);
    Hacl_Bignum64_mod_precomp(s->q, s->base, s->wide);
    raise(s->q, s->wide, s->bits, s->key[CS_CRT_DQ], s->m2);
    Hacl_Bignum64_sub_mod(s->words, s->key[CS_CRT_P], s->m1, s->m2, s->m1);
    Hacl_Bignum64_mul(s->words, s->m1, s->key[CS_CRT_QINV], s->wide);
    Hacl_Bignum64_mod_precomp(s->p, s->wide, s->m1);
    Hacl_Bignum64_mul(s->words, s->m1, s->key[CS_CRT_Q], s->wide);
    (void)Hacl_Bignum64_add(2 * s->words, s->wide, s->m2, s->r);
    return CS_OK;
}

static int call_crt_vartime(cs_case *c)
{
    return call(c->state, Hacl_Bignum64_mod_exp_vartime_precomp);
}

static int call_crt_consttime(cs_case *c)
{
    return call(c->state, Hacl_Bignum64_mod_exp_consttime_precomp);
}

static int finish_crt(cs_case *c)
{
    struct crt *s = c->state;

    c->out_len = 0;
    return give(c, s->r, 2 * s->words, c->msg.len);
}

/* clang-format off */
#define CRT(IMPL, NAME, CALL) \
    {.id = "modexp/private", .impl = IMPL, .name = NAME ", twice", .setup = setup_crt, .call = CALL, .teardown = teardown_crt, .finish = finish_crt, .params = "crt=yes"}

static const cs_op rows[] = {
    CRT("default", "Hacl_Bignum64_mod_exp_vartime_precomp", call_crt_vartime),
    CRT("mod_exp_consttime", "Hacl_Bignum64_mod_exp_consttime_precomp", call_crt_consttime),
};
const cs_table hacl_crt = CS_TABLE(rows);
/* clang-format on */
