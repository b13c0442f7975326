/* SPDX-License-Identifier: Apache-2.0
 *
 * wolfSSL: exponentiation by the Chinese remainder theorem, as in RFC 8017, 5.1.2, of the application's own making;
 * and RSA's function for both exponents, which the library's own padding calls.
 *
 * Entry points: mp_exptmod, mp_exptmod_nct, mp_submod, mp_mulmod, mp_mul, mp_add; wc_RsaFunction.
 */
#include "adapter.h"

#include <wolfssl/wolfcrypt/integer.h>
#include <wolfssl/wolfcrypt/rsa.h>

static int read_number(mp_int *number, cs_span bytes)
{
    return mp_read_unsigned_bin(number, bytes.data, (word32)bytes.len);
}

/* ---- of numbers ---- */

struct crt {
    mp_int key[CS_CRT_PARTS];
    mp_int base, m1, m2, r;
};

static void crt_teardown(cs_case *c)
{
    struct crt *s = c->state;

    for (int i = 0; i < CS_CRT_PARTS; i++)
        mp_clear(&s->key[i]);
    mp_clear(&s->base);
    mp_clear(&s->m1);
    mp_clear(&s->m2);
    mp_clear(&s->r);
    cs_teardown_state(c);
}

static int crt_setup(cs_case *c)
{
    cs_span part[CS_CRT_PARTS];
    struct crt *s;
    int error;

    if (cs_crt_split(c->key, part) != CS_OK)
        return CS_ERROR;
    s = cs_new_state(c, sizeof *s);
    if (s == NULL)
        return CS_ERROR;
    error = mp_init_multi(&s->base, &s->m1, &s->m2, &s->r, NULL, NULL);
    for (int i = 0; i < CS_CRT_PARTS && error == 0; i++)
        error = mp_init(&s->key[i]);
    if (error == 0)
        error = read_number(&s->base, c->msg);
    for (int i = 0; i < CS_CRT_PARTS && error == 0; i++)
        error = read_number(&s->key[i], part[i]);
    if (error != 0)
        crt_teardown(c);
    return from_wc(error);
}

/* Garner: r = m2 + q (qInv (m1 - m2) mod p). */
static int recombine(struct crt *s)
{
    int error = mp_submod(&s->m1, &s->m2, &s->key[CS_CRT_P], &s->m1);

    if (error == 0)
        error = mp_mulmod(&s->m1, &s->key[CS_CRT_QINV], &s->key[CS_CRT_P], &s->m1);
    if (error == 0)
        error = mp_mul(&s->m1, &s->key[CS_CRT_Q], &s->r);
    return error == 0 ? mp_add(&s->r, &s->m2, &s->r) : error;
}

static int crt_call(cs_case *c)
{
    struct crt *s = c->state;
    int error = mp_exptmod(&s->base, &s->key[CS_CRT_DP], &s->key[CS_CRT_P], &s->m1);

    if (error == 0)
        error = mp_exptmod(&s->base, &s->key[CS_CRT_DQ], &s->key[CS_CRT_Q], &s->m2);
    return from_wc(error == 0 ? recombine(s) : error);
}

static int crt_nct_call(cs_case *c)
{
    struct crt *s = c->state;
    int error = mp_exptmod_nct(&s->base, &s->key[CS_CRT_DP], &s->key[CS_CRT_P], &s->m1);

    if (error == 0)
        error = mp_exptmod_nct(&s->base, &s->key[CS_CRT_DQ], &s->key[CS_CRT_Q], &s->m2);
    return from_wc(error == 0 ? recombine(s) : error);
}

static int crt_finish(cs_case *c)
{
    struct crt *s = c->state;
    size_t bytes = (size_t)mp_unsigned_bin_size(&s->r);
    uint8_t *room;
    int error;

    c->out_len = 0;
    room = cs_number_room(c, bytes, c->msg.len);
    if (room == NULL)
        return CS_ERROR;
    error = mp_to_unsigned_bin(&s->r, room);
    mp_zero(&s->r);
    return from_wc(error);
}

/* ---- RSA ---- */

static void rsa_teardown(cs_case *c)
{
    wc_FreeRsaKey(c->state);
    cs_teardown_state(c);
}

static int rsa_setup(cs_case *c, int (*take_key)(const cs_case *, RsaKey *))
{
    RsaKey *key = cs_new_state(c, sizeof *key);
    int error;

    if (key == NULL)
        return CS_ERROR;
    error = wc_InitRsaKey(key, NULL);
    if (error == 0)
        error = take_key(c, key);
#ifdef WC_RSA_BLINDING
    if (error == 0)
        error = wc_RsaSetRNG(key, &random_state);
#endif
    c->out_len = c->msg.len;
    if (error != 0)
        rsa_teardown(c);
    return from_wc(error);
}

/* What the five numbers leave out: n, and the exponents. e is 1/dP modulo p - 1, and d is 1/e modulo (p - 1)(q - 1). */
static int complete(RsaKey *key)
{
    mp_int p1, q1;
    int error = mp_init_multi(&p1, &q1, NULL, NULL, NULL, NULL);

    if (error == 0)
        error = mp_mul(&key->p, &key->q, &key->n);
    if (error == 0)
        error = mp_sub_d(&key->p, 1, &p1);
    if (error == 0)
        error = mp_sub_d(&key->q, 1, &q1);
    if (error == 0)
        error = mp_invmod(&key->dP, &p1, &key->e);
    if (error == 0)
        error = mp_mul(&p1, &q1, &p1);
    if (error == 0)
        error = mp_invmod(&key->e, &p1, &key->d);
    mp_clear(&p1);
    mp_clear(&q1);
    return error;
}

static int take_private(const cs_case *c, RsaKey *key)
{
    cs_span part[CS_CRT_PARTS];
    mp_int *const number[CS_CRT_PARTS] = {
        [CS_CRT_P] = &key->p,   [CS_CRT_Q] = &key->q,    [CS_CRT_DP] = &key->dP,
        [CS_CRT_DQ] = &key->dQ, [CS_CRT_QINV] = &key->u,
    };
    int error = cs_crt_split(c->key, part) == CS_OK ? 0 : BAD_FUNC_ARG;

    for (int i = 0; i < CS_CRT_PARTS && error == 0; i++)
        error = read_number(number[i], part[i]);
    key->type = RSA_PRIVATE;
    return error == 0 ? complete(key) : error;
}

static int rsa_private_setup(cs_case *c)
{
    return rsa_setup(c, take_private);
}

static int rsa_private_call(cs_case *c)
{
    word32 len = (word32)c->msg.len;

    return from_wc(wc_RsaFunction(c->msg.data, len, c->out, &len, RSA_PRIVATE_DECRYPT, c->state, &random_state));
}

static int take_public(const cs_case *c, RsaKey *key)
{
    int error = read_number(&key->n, c->pub);

    key->type = RSA_PUBLIC;
    return error == 0 ? read_number(&key->e, c->key) : error;
}

static int rsa_public_setup(cs_case *c)
{
    return rsa_setup(c, take_public);
}

static int rsa_public_call(cs_case *c)
{
    word32 len = (word32)c->msg.len;

    return from_wc(wc_RsaFunction(c->msg.data, len, c->out, &len, RSA_PUBLIC_ENCRYPT, c->state, &random_state));
}

/* clang-format off */
static const cs_op rows[] = {
    {.id = "modexp/private", .impl = "default", .name = "mp_exptmod, twice", .setup = crt_setup, .call = crt_call, .teardown = crt_teardown, .finish = crt_finish, .params = "crt=yes"},
    {.id = "modexp/private", .impl = "mp_exptmod_nct", .name = "mp_exptmod_nct, twice", .setup = crt_setup, .call = crt_nct_call, .teardown = crt_teardown, .finish = crt_finish, .params = "crt=yes"},
    {.id = "modexp/private", .impl = "wc_RsaFunction", .name = "wc_RsaFunction", .setup = rsa_private_setup, .call = rsa_private_call, .teardown = rsa_teardown, .params = "crt=yes,bits=1024|2048|3072|4096", .seed = seed_random, .counts_random = 1},
    {.id = "modexp/public", .impl = "wc_RsaFunction", .name = "wc_RsaFunction", .setup = rsa_public_setup, .call = rsa_public_call, .teardown = rsa_teardown, .params = "bits=1024|2048|3072|4096", .seed = seed_random, .counts_random = 1},
};
/* clang-format on */

const cs_table wolfssl_bignum_crt = CS_TABLE(rows);
