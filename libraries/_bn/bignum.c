/* SPDX-License-Identifier: Apache-2.0
 *
 * OpenSSL, BoringSSL and AWS-LC: modular arithmetic on BIGNUM.
 */
#include <string.h>

#include "bignum.h"

enum { WORD_BITS = 32 };

const struct bignum_kept bignum_nothing = {.mont = false};
const struct bignum_kept bignum_mont = {.mont = true};
const struct bignum_kept bignum_first = {.mont = true, .first = true};
#ifdef BIGNUM_RECIPROCAL
const struct bignum_kept bignum_recp = {.recp = true};
#endif

void bignum_teardown(cs_case *c)
{
    struct bignum *s = c->state;

    BN_free(s->a);
    BN_free(s->b);
    BN_clear_free(s->e);
    BN_free(s->m);
    BN_free(s->r);
    BN_free(s->q);
    BN_MONT_CTX_free(s->mont);
#ifdef BIGNUM_RECIPROCAL
    BN_RECP_CTX_free(s->recp);
#endif
    BN_CTX_free(s->ctx);
    cs_free(s);
    c->state = NULL;
}

BN_MONT_CTX *bignum_constants(const BIGNUM *modulus, bool secret, BN_CTX *ctx)
{
#ifdef BIGNUM_FORK
    return secret ? BN_MONT_CTX_new_consttime(modulus, ctx) : BN_MONT_CTX_new_for_modulus(modulus, ctx);
#else
    BN_MONT_CTX *made = BN_MONT_CTX_new();

    (void)secret; /* one function for both */
    if (made != NULL && BN_MONT_CTX_set(made, modulus, ctx) != 1) {
        BN_MONT_CTX_free(made);
        return NULL;
    }
    return made;
#endif
}

bool bignum_encode(const BIGNUM *number, uint8_t *out, size_t len)
{
#ifdef BIGNUM_FORK
    return BN_bn2bin_padded(out, len, number) == 1;
#else
    return BN_bn2binpad(number, out, (int)len) == (int)len;
#endif
}

static int give_up(cs_case *c, const char *what)
{
    bignum_teardown(c);
    return session_fail(what);
}

/* Two factors come as one `msg` of twice the modulus' length; a dividend of the same length is also kept in `a`, whole,
 * by the rows whose `finish` is bignum_finish_division. */
static bool parse(struct bignum *s, const cs_case *c)
{
    bool two = c->msg.len == 2 * c->pub.len && c->op->finish != bignum_finish_division;
    int len = (int)(two ? c->pub.len : c->msg.len);

    s->ctx = BN_CTX_new();
    s->m = BN_bin2bn(c->pub.data, (int)c->pub.len, NULL);
    s->a = BN_bin2bn(c->msg.data, len, NULL);
    s->b = two ? BN_bin2bn(c->msg.data + len, len, NULL) : BN_new();
    s->e = c->key.data != NULL ? BN_bin2bn(c->key.data, (int)c->key.len, NULL) : BN_new();
    s->r = BN_new();
    s->q = BN_new();
    return s->ctx != NULL && s->m != NULL && s->a != NULL && s->b != NULL && s->e != NULL && s->r != NULL &&
           s->q != NULL;
}

int bignum_setup(cs_case *c)
{
    const struct bignum_kept *kept = c->op->param;
    struct bignum *s = cs_alloc(sizeof *s);

    c->state = s;
    if (s == NULL)
        return CS_ERROR;
    if (c->msg.len != c->pub.len && c->msg.len != 2 * c->pub.len)
        return give_up(c, "msg is neither as long as pub nor twice as long");
    if (!parse(s, c))
        return give_up(c, "BN_bin2bn");
    if (BN_is_zero(s->m))
        return give_up(c, "pub is zero");
    if (kept->mont && (s->mont = bignum_constants(s->m, false, s->ctx)) == NULL)
        return give_up(c, "Montgomery's constants");
    if (kept->first && BN_to_montgomery(s->a, s->a, s->mont, s->ctx) != 1)
        return give_up(c, "BN_to_montgomery");
#ifdef BIGNUM_RECIPROCAL
    if (kept->recp && ((s->recp = BN_RECP_CTX_new()) == NULL || BN_RECP_CTX_set(s->recp, s->m, s->ctx) != 1))
        return give_up(c, "BN_RECP_CTX_set");
#endif
    return CS_OK;
}

/* ---- exponentiation ---- */

int bignum_exp(cs_case *c)
{
    struct bignum *s = c->state;

    return BN_mod_exp(s->r, s->a, s->e, s->m, s->ctx) == 1 ? CS_OK : session_fail("BN_mod_exp");
}

int bignum_exp_mont(cs_case *c)
{
    struct bignum *s = c->state;

    return BN_mod_exp_mont(s->r, s->a, s->e, s->m, s->ctx, s->mont) == 1 ? CS_OK : session_fail("BN_mod_exp_mont");
}

int bignum_exp_consttime(cs_case *c)
{
    struct bignum *s = c->state;

    return BN_mod_exp_mont_consttime(s->r, s->a, s->e, s->m, s->ctx, s->mont) == 1
               ? CS_OK
               : session_fail("BN_mod_exp_mont_consttime");
}

/* The base is a number of one word (BN_get_word), read when the numbers are parsed. */
int bignum_word_setup(cs_case *c)
{
    int status = bignum_setup(c);
    struct bignum *s = c->state;

    if (status != CS_OK)
        return status;
    s->word = BN_get_word(s->a);
    return BN_num_bits(s->a) <= WORD_BITS ? CS_OK : give_up(c, "msg is no word");
}

int bignum_exp_word(cs_case *c)
{
    struct bignum *s = c->state;

    return BN_mod_exp_mont_word(s->r, s->word, s->e, s->m, s->ctx, s->mont) == 1 ? CS_OK
                                                                                 : session_fail("BN_mod_exp_mont_word");
}

/* ---- the family ---- */

int bignum_montmul(cs_case *c)
{
    struct bignum *s = c->state;

    return BN_mod_mul_montgomery(s->r, s->a, s->b, s->mont, s->ctx) == 1 ? CS_OK
                                                                         : session_fail("BN_mod_mul_montgomery");
}

int bignum_add(cs_case *c)
{
    struct bignum *s = c->state;

    return BN_mod_add(s->r, s->a, s->b, s->m, s->ctx) == 1 ? CS_OK : session_fail("BN_mod_add");
}

int bignum_add_quick(cs_case *c)
{
    struct bignum *s = c->state;

    return BN_mod_add_quick(s->r, s->a, s->b, s->m) == 1 ? CS_OK : session_fail("BN_mod_add_quick");
}

/* Both numbers are reduced, so that one subtraction is enough. */
int bignum_add_sub(cs_case *c)
{
    struct bignum *s = c->state;

    if (BN_uadd(s->r, s->a, s->b) != 1)
        return session_fail("BN_uadd");
    if (BN_ucmp(s->r, s->m) >= 0 && BN_usub(s->r, s->r, s->m) != 1)
        return session_fail("BN_usub");
    return CS_OK;
}

int bignum_mul(cs_case *c)
{
    struct bignum *s = c->state;

    return BN_mod_mul(s->r, s->a, s->b, s->m, s->ctx) == 1 ? CS_OK : session_fail("BN_mod_mul");
}

int bignum_sqr(cs_case *c)
{
    struct bignum *s = c->state;

    return BN_mod_sqr(s->r, s->a, s->m, s->ctx) == 1 ? CS_OK : session_fail("BN_mod_sqr");
}

int bignum_inv(cs_case *c)
{
    struct bignum *s = c->state;

    return BN_mod_inverse(s->r, s->a, s->m, s->ctx) != NULL ? CS_OK : session_fail("BN_mod_inverse");
}

int bignum_sqrt(cs_case *c)
{
    struct bignum *s = c->state;

    return BN_mod_sqrt(s->r, s->a, s->m, s->ctx) != NULL ? CS_OK : session_fail("BN_mod_sqrt");
}

int bignum_div(cs_case *c)
{
    struct bignum *s = c->state;

    return BN_div(s->q, s->r, s->a, s->m, s->ctx) == 1 ? CS_OK : session_fail("BN_div");
}

#ifdef BIGNUM_RECIPROCAL
/* ---- what OpenSSL alone has ---- */

int bignum_exp_recp(cs_case *c)
{
    struct bignum *s = c->state;

    return BN_mod_exp_recp(s->r, s->a, s->e, s->m, s->ctx) == 1 ? CS_OK : session_fail("BN_mod_exp_recp");
}

int bignum_exp_simple(cs_case *c)
{
    struct bignum *s = c->state;

    return BN_mod_exp_simple(s->r, s->a, s->e, s->m, s->ctx) == 1 ? CS_OK : session_fail("BN_mod_exp_simple");
}

int bignum_mul_recp(cs_case *c)
{
    struct bignum *s = c->state;

    return BN_mod_mul_reciprocal(s->r, s->a, s->b, s->recp, s->ctx) == 1 ? CS_OK
                                                                         : session_fail("BN_mod_mul_reciprocal");
}

int bignum_sqr_recp(cs_case *c)
{
    struct bignum *s = c->state;

    return BN_mod_mul_reciprocal(s->r, s->a, s->a, s->recp, s->ctx) == 1 ? CS_OK
                                                                         : session_fail("BN_mod_mul_reciprocal");
}

int bignum_div_recp(cs_case *c)
{
    struct bignum *s = c->state;

    return BN_div_recp(s->q, s->r, s->a, s->recp, s->ctx) == 1 ? CS_OK : session_fail("BN_div_recp");
}

#endif

/* ---- results ---- */

/* Writes `number` as `len` bytes after what is at `out`, and sets it to zero: a call that does nothing shows. */
static int take(cs_case *c, BIGNUM *number, size_t len)
{
    if (!bignum_encode(number, c->out + c->out_len, len))
        return session_fail("the result is longer than the modulus");
    BN_zero(number);
    c->out_len += len;
    return CS_OK;
}

int bignum_finish(cs_case *c)
{
    struct bignum *s = c->state;

    c->out_len = 0;
    return take(c, s->r, c->pub.len);
}

/* Both roots are right, and a library may give either; the operation's output is the even one. */
int bignum_finish_even_root(cs_case *c)
{
    struct bignum *s = c->state;

    if (BN_is_odd(s->r) && BN_sub(s->r, s->m, s->r) != 1)
        return session_fail("BN_sub");
    return bignum_finish(c);
}

int bignum_finish_division(cs_case *c)
{
    struct bignum *s = c->state;
    int status;

    c->out_len = 0;
    status = take(c, s->q, c->pub.len + 8);
    return status == CS_OK ? take(c, s->r, c->pub.len) : status;
}
