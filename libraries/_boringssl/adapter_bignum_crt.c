/* SPDX-License-Identifier: Apache-2.0
 *
 * BoringSSL and AWS-LC adapter: exponentiation by the Chinese remainder theorem, as in RFC 8017, 5.1.2, from BIGNUM
 * functions.
 */
#include "adapter_bignum.h"

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
        s->key[i] = BN_bin2bn(part[i].data, part[i].len, NULL);
        if (s->key[i] == NULL)
            return give_up(c, "BN_bin2bn");
    }
    s->ctx = BN_CTX_new();
    s->base = BN_bin2bn(c->msg.data, c->msg.len, NULL);
    s->base_p = BN_new();
    s->base_q = BN_new();
    s->m1 = BN_new();
    s->m2 = BN_new();
    s->r = BN_new();
    if (s->ctx == NULL || s->base == NULL || s->base_p == NULL || s->base_q == NULL || s->m1 == NULL || s->m2 == NULL ||
        s->r == NULL)
        return give_up(c, "BN_new");
    s->mont_p = BN_MONT_CTX_new_consttime(s->key[CS_CRT_P], s->ctx);
    s->mont_q = BN_MONT_CTX_new_consttime(s->key[CS_CRT_Q], s->ctx);
    return s->mont_p != NULL && s->mont_q != NULL ? CS_OK : give_up(c, "BN_MONT_CTX_new_consttime");
}

bool bignum_crt_reduce(struct crt *s)
{
    return BN_mod(s->base_p, s->base, s->key[CS_CRT_P], s->ctx) == 1 &&
           BN_mod(s->base_q, s->base, s->key[CS_CRT_Q], s->ctx) == 1;
}

/* Garner: r = m2 + q (qInv (m1 - m2) mod p). */
bool bignum_crt_combine(struct crt *s)
{
    return BN_mod_sub(s->m1, s->m1, s->m2, s->key[CS_CRT_P], s->ctx) == 1 &&
           BN_mod_mul(s->m1, s->m1, s->key[CS_CRT_QINV], s->key[CS_CRT_P], s->ctx) == 1 &&
           BN_mul(s->r, s->m1, s->key[CS_CRT_Q], s->ctx) == 1 && BN_add(s->r, s->r, s->m2) == 1;
}

int bignum_crt(cs_case *c)
{
    struct crt *s = c->state;

    if (!bignum_crt_reduce(s) ||
        BN_mod_exp_mont(s->m1, s->base_p, s->key[CS_CRT_DP], s->key[CS_CRT_P], s->ctx, s->mont_p) != 1 ||
        BN_mod_exp_mont(s->m2, s->base_q, s->key[CS_CRT_DQ], s->key[CS_CRT_Q], s->ctx, s->mont_q) != 1 ||
        !bignum_crt_combine(s))
        return session_fail("BN_mod_exp_mont");
    return CS_OK;
}

int bignum_crt_consttime(cs_case *c)
{
    struct crt *s = c->state;

    if (!bignum_crt_reduce(s) ||
        BN_mod_exp_mont_consttime(s->m1, s->base_p, s->key[CS_CRT_DP], s->key[CS_CRT_P], s->ctx, s->mont_p) != 1 ||
        BN_mod_exp_mont_consttime(s->m2, s->base_q, s->key[CS_CRT_DQ], s->key[CS_CRT_Q], s->ctx, s->mont_q) != 1 ||
        !bignum_crt_combine(s))
        return session_fail("BN_mod_exp_mont_consttime");
    return CS_OK;
}

int bignum_crt_finish(cs_case *c)
{
    struct crt *s = c->state;

    if (BN_bn2bin_padded(c->out, c->msg.len, s->r) != 1)
        return session_fail("the result is longer than the modulus");
    BN_zero(s->r);
    c->out_len = c->msg.len;
    return CS_OK;
}
