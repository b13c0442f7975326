/* SPDX-License-Identifier: Apache-2.0
 *
 * GMP: exponentiation by the Chinese remainder theorem, as in RFC 8017, 5.1.2.
 *
 * Entry points: mpz_powm, mpz_powm_sec, mpz_sub, mpz_mul, mpz_mod, mpz_add.
 */
#include "adapter.h"

/* The row's `param` for exponentiations by CRT: which of GMP's functions. */
struct power {
    void (*compute)(mpz_ptr, mpz_srcptr, mpz_srcptr, mpz_srcptr);
};
static const struct power plain_power = {mpz_powm};
static const struct power secure_power = {mpz_powm_sec};

struct crt {
    mpz_t key[CS_CRT_PARTS];
    mpz_t base, m1, m2, r;
};

static void crt_teardown(cs_case *c)
{
    struct crt *s = c->state;

    for (size_t i = 0; i < CS_CRT_PARTS; i++)
        mpz_clear(s->key[i]);
    mpz_clears(s->base, s->m1, s->m2, s->r, NULL);
    cs_free(s);
    c->state = NULL;
}

static int crt_setup(cs_case *c)
{
    cs_span part[CS_CRT_PARTS];
    struct crt *s;

    if (cs_crt_split(c->key, part) != CS_OK)
        return CS_ERROR;
    s = cs_alloc(sizeof *s);
    if (s == NULL)
        return CS_ERROR;
    for (size_t i = 0; i < CS_CRT_PARTS; i++) {
        mpz_init(s->key[i]);
        number_from(s->key[i], part[i].data, part[i].len);
    }
    mpz_inits(s->base, s->m1, s->m2, s->r, NULL);
    number_from(s->base, c->msg.data, c->msg.len);
    c->state = s;
    if (mpz_even_p(s->key[CS_CRT_P]) || mpz_even_p(s->key[CS_CRT_Q])) {
        crt_teardown(c);
        return cs_fail("a factor of the modulus is even");
    }
    return CS_OK;
}

/* Garner: r = m2 + q (qInv (m1 - m2) mod p). mpz_mod gives no negative numbers. */
static int crt_call(cs_case *c)
{
    const struct power *power = c->op->param;
    struct crt *s = c->state;

    power->compute(s->m1, s->base, s->key[CS_CRT_DP], s->key[CS_CRT_P]);
    power->compute(s->m2, s->base, s->key[CS_CRT_DQ], s->key[CS_CRT_Q]);
    mpz_sub(s->m1, s->m1, s->m2);
    mpz_mul(s->m1, s->m1, s->key[CS_CRT_QINV]);
    mpz_mod(s->m1, s->m1, s->key[CS_CRT_P]);
    mpz_mul(s->r, s->m1, s->key[CS_CRT_Q]);
    mpz_add(s->r, s->r, s->m2);
    return CS_OK;
}

static int crt_finish(cs_case *c)
{
    struct crt *s = c->state;

    c->out_len = 0;
    return take(c, s->r, c->msg.len);
}

#define CRT_ROW(IMPL, NAME, PARAM)                                                                                     \
    {.id = "modexp/private",                                                                                           \
     .impl = IMPL,                                                                                                     \
     .name = NAME,                                                                                                     \
     .setup = crt_setup,                                                                                               \
     .call = crt_call,                                                                                                 \
     .teardown = crt_teardown,                                                                                         \
     .param = PARAM,                                                                                                   \
     .finish = crt_finish,                                                                                             \
     .params = "crt=yes"}

static const cs_op rows[] = {
    CRT_ROW("default", "mpz_powm, twice", &plain_power),
    CRT_ROW("mpz_powm_sec", "mpz_powm_sec, twice", &secure_power),
};

const cs_table gmp_crt = CS_TABLE(rows);
