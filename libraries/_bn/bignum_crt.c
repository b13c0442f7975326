/* SPDX-License-Identifier: Apache-2.0
 *
 * OpenSSL, BoringSSL and AWS-LC: exponentiation by the Chinese remainder theorem, as in RFC 8017, 5.1.2, from BIGNUM
 * functions.
 */
#include "bignum.h"

struct crt {
    BN_CTX *ctx;
    BIGNUM *base;
    BIGNUM *key[CS_CRT_PARTS];
    BIGNUM *base_p, *base_q, *m1, *m2;
    BIGNUM *r;
    BN_MONT_CTX *mont_p, *mont_q;
};

void bignum_crt_teardown(cs_case *c)
{
    struct crt *s = c->state;

    for (int i = 0; i < CS_CRT_PARTS; i++)
        BN_clear_free(s->key[i]);
    BN_free(s->base);
    BN_free(s->base_p);
    BN_free(s->base_q);
    BN_free(s->m1);
    BN_free(s->m2);
    BN_free(s->r);
    BN_MONT_CTX_free(s->mont_p);
    BN_MONT_CTX_free(s->mont_q);
    BN_CTX_free(s->ctx);
    cs_free(s);
    c->state = NULL;
}

static int give_up(cs_case *c, const char *what)
{
    bignum_crt_teardown(c);
    return session_fail(what);
}

int bignum_crt_setup(cs_case *c)
{
    struct crt *s;
    cs_span part[CS_CRT_PARTS];

    if (cs_crt_split(c->key, part) != CS_OK)
        return CS_ERROR;
    s = cs_alloc(sizeof *s);
    c->state = s;
    if (s == NULL)
        return CS_ERROR;
    for (int i = 0; i < CS_CRT_PARTS; i++) {
        s->key[i] = BN_bin2bn(part[i].data, (int)part[i].len, NULL);
        if (s->key[i] == NULL)
            return give_up(c, "BN_bin2bn");
    }
    s->ctx = BN_CTX_new();
    s->base = BN_bin2bn(c->msg.data, (int)c->msg.len, NULL);
    s->base_p = BN_new();
    s->base_q = BN_new();
    s->m1 = BN_new();
    s->m2 = BN_new();
    s->r = BN_new();
    if (s->ctx == NULL || s->base == NULL || s->base_p == NULL || s->base_q == NULL || s->m1 == NULL || s->m2 == NULL ||
        s->r == NULL)
        return give_up(c, "BN_new");
    s->mont_p = bignum_constants(s->key[CS_CRT_P], true, s->ctx);
    s->mont_q = bignum_constants(s->key[CS_CRT_Q], true, s->ctx);
    return s->mont_p != NULL && s->mont_q != NULL ? CS_OK : give_up(c, "Montgomery's constants");
}

static bool reduce(struct crt *s)
{
    return BN_mod(s->base_p, s->base, s->key[CS_CRT_P], s->ctx) == 1 &&
           BN_mod(s->base_q, s->base, s->key[CS_CRT_Q], s->ctx) == 1;
}

/* Garner: r = m2 + q (qInv (m1 - m2) mod p). */
static bool combine(struct crt *s)
{
    return BN_mod_sub(s->m1, s->m1, s->m2, s->key[CS_CRT_P], s->ctx) == 1 &&
           BN_mod_mul(s->m1, s->m1, s->key[CS_CRT_QINV], s->key[CS_CRT_P], s->ctx) == 1 &&
           BN_mul(s->r, s->m1, s->key[CS_CRT_Q], s->ctx) == 1 && BN_add(s->r, s->r, s->m2) == 1;
}

int bignum_crt(cs_case *c)
{
    struct crt *s = c->state;

    if (!reduce(s) || BN_mod_exp_mont(s->m1, s->base_p, s->key[CS_CRT_DP], s->key[CS_CRT_P], s->ctx, s->mont_p) != 1 ||
        BN_mod_exp_mont(s->m2, s->base_q, s->key[CS_CRT_DQ], s->key[CS_CRT_Q], s->ctx, s->mont_q) != 1 || !combine(s))
        return session_fail("BN_mod_exp_mont");
    return CS_OK;
}

int bignum_crt_consttime(cs_case *c)
{
    struct crt *s = c->state;

    if (!reduce(s) ||
        BN_mod_exp_mont_consttime(s->m1, s->base_p, s->key[CS_CRT_DP], s->key[CS_CRT_P], s->ctx, s->mont_p) != 1 ||
        BN_mod_exp_mont_consttime(s->m2, s->base_q, s->key[CS_CRT_DQ], s->key[CS_CRT_Q], s->ctx, s->mont_q) != 1 ||
        !combine(s))
        return session_fail("BN_mod_exp_mont_consttime");
    return CS_OK;
}

#ifdef BIGNUM_X2
int bignum_crt_x2(cs_case *c)
{
    struct crt *s = c->state;

    if (!reduce(s) ||
        BN_mod_exp_mont_consttime_x2(s->m1, s->base_p, s->key[CS_CRT_DP], s->key[CS_CRT_P], s->mont_p, s->m2, s->base_q,
                                     s->key[CS_CRT_DQ], s->key[CS_CRT_Q], s->mont_q, s->ctx) != 1 ||
        !combine(s))
        return session_fail("BN_mod_exp_mont_consttime_x2");
    return CS_OK;
}
#endif

int bignum_crt_finish(cs_case *c)
{
    struct crt *s = c->state;

    if (!bignum_encode(s->r, c->out, c->msg.len))
        return session_fail("the result is longer than the modulus");
    BN_zero(s->r);
    c->out_len = c->msg.len;
    return CS_OK;
}
