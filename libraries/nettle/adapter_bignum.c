/* SPDX-License-Identifier: Apache-2.0
 *
 * Nettle with Hogweed: exponentiation by the Chinese remainder theorem, as RSA has it.
 *
 * Entry points: rsa_compute_root, rsa_compute_root_tr.
 */
#include <string.h>

#include <nettle/bignum.h>
#include <nettle/rsa.h>

#include "adapter.h"

struct root {
    struct rsa_public_key pub; /* of the blinded operation only */
    struct rsa_private_key key;
    mpz_t m, x;
};

static void root_teardown(cs_case *c)
{
    struct root *s = c->state;

    rsa_public_key_clear(&s->pub);
    rsa_private_key_clear(&s->key);
    mpz_clear(s->m);
    mpz_clear(s->x);
    cs_teardown_state(c);
}

static int give_up(cs_case *c, const char *what)
{
    root_teardown(c);
    return cs_fail(what);
}

/* Nettle calls dP, dQ and qInv of RFC 8017 a, b and c. */
static int root_setup(cs_case *c)
{
    cs_span part[CS_CRT_PARTS];
    struct root *s;

    if (cs_crt_split(c->key, part) != CS_OK)
        return CS_ERROR;
    s = cs_new_state(c, sizeof *s);
    if (s == NULL)
        return CS_ERROR;
    rsa_public_key_init(&s->pub);
    rsa_private_key_init(&s->key);
    nettle_mpz_set_str_256_u(s->key.p, part[CS_CRT_P].len, part[CS_CRT_P].data);
    nettle_mpz_set_str_256_u(s->key.q, part[CS_CRT_Q].len, part[CS_CRT_Q].data);
    nettle_mpz_set_str_256_u(s->key.a, part[CS_CRT_DP].len, part[CS_CRT_DP].data);
    nettle_mpz_set_str_256_u(s->key.b, part[CS_CRT_DQ].len, part[CS_CRT_DQ].data);
    nettle_mpz_set_str_256_u(s->key.c, part[CS_CRT_QINV].len, part[CS_CRT_QINV].data);
    nettle_mpz_init_set_str_256_u(s->m, c->msg.len, c->msg.data);
    mpz_init(s->x);
    if (!rsa_private_key_prepare(&s->key) || s->key.size != c->msg.len)
        return give_up(c, "rsa_private_key_prepare refuses the key, or msg is not as long as the modulus");
    return CS_OK;
}

static int root_call(cs_case *c)
{
    struct root *s = c->state;

    rsa_compute_root(&s->key, s->x, s->m);
    return CS_OK;
}

/* Blinding needs the public exponent, which is the inverse of dP modulo p - 1 and of dQ modulo q - 1. */
static int blinded_root_setup(cs_case *c)
{
    struct root *s;
    int inverse;

    if (root_setup(c) != CS_OK)
        return CS_ERROR;
    s = c->state;
    mpz_sub_ui(s->x, s->key.p, 1);
    inverse = mpz_invert(s->pub.e, s->key.a, s->x) != 0;
    mpz_sub_ui(s->x, s->key.q, 1);
    mpz_mul(s->pub.n, s->pub.e, s->key.b);
    if (!inverse || mpz_sgn(s->x) <= 0)
        return give_up(c, "dP has no inverse modulo p - 1");
    mpz_mod(s->pub.n, s->pub.n, s->x);
    if (mpz_cmp_ui(s->pub.n, 1) != 0)
        return give_up(c, "dP and dQ are not of one public exponent below p");
    mpz_mul(s->pub.n, s->key.p, s->key.q);
    if (!rsa_public_key_prepare(&s->pub))
        return give_up(c, "rsa_public_key_prepare refuses the key");
    return CS_OK;
}

static int blinded_root_call(cs_case *c)
{
    struct root *s = c->state;

    if (!rsa_compute_root_tr(&s->pub, &s->key, &random_state, draw_random, s->x, s->m))
        return cs_fail("rsa_compute_root_tr finds its own result wrong");
    return CS_OK;
}

/* Sets the result to zero: a call that does nothing shows. */
static int root_finish(cs_case *c)
{
    struct root *s = c->state;

    if (mpz_sgn(s->x) < 0 || nettle_mpz_sizeinbase_256_u(s->x) > c->msg.len)
        return cs_fail("the result is not below the modulus");
    nettle_mpz_get_str_256(c->msg.len, c->out, s->x);
    mpz_set_ui(s->x, 0);
    c->out_len = c->msg.len;
    return CS_OK;
}

static const cs_op rows[] = {
    {.id = "modexp/private",
     .impl = "default",
     .name = "rsa_compute_root",
     .setup = root_setup,
     .call = root_call,
     .teardown = root_teardown,
     .finish = root_finish,
     .params = "crt=yes"},
    {.id = "modexp/private",
     .impl = "rsa_compute_root_tr",
     .name = "rsa_compute_root_tr",
     .setup = blinded_root_setup,
     .call = blinded_root_call,
     .teardown = root_teardown,
     .finish = root_finish,
     .params = "crt=yes",
     .seed = seed_random,
     .counts_random = 1},
};
const cs_table nettle_root = CS_TABLE(rows);
