/* SPDX-License-Identifier: Apache-2.0
 *
 * LibTomCrypt: RSA without padding, for both exponents.
 *
 * Entry points: rsa_set_key, rsa_set_factors, rsa_set_crt_params, rsa_exptmod.
 */
#include "adapter.h"

enum { MAX_BYTES = 1024 };

void rsa_teardown(cs_case *c)
{
    rsa_free(c->state);
    cs_teardown_state(c);
}

/* The modulus and both exponents, which the five numbers of a case leave out. */
struct rest {
    unsigned char n[MAX_BYTES], e[MAX_BYTES], d[MAX_BYTES];
    unsigned long n_len, e_len, d_len;
};

static int put(void *number, unsigned char *out, unsigned long *len)
{
    *len = ltc_mp.unsigned_size(number);
    return *len <= MAX_BYTES ? ltc_mp.unsigned_write(number, out) : CRYPT_BUFFER_OVERFLOW;
}

static int take(void *number, cs_span bytes)
{
    return ltc_mp.unsigned_read(number, (unsigned char *)bytes.data, bytes.len);
}

/* n = p q; e = 1/dP modulo p - 1; d = 1/e modulo (p - 1)(q - 1). `p` and `q` are spoilt. */
static int complete(void *p, void *q, void *dp, void *t, struct rest *rest)
{
    int error = ltc_mp.mul(p, q, t);

    if (error == CRYPT_OK)
        error = put(t, rest->n, &rest->n_len);
    if (error == CRYPT_OK)
        error = ltc_mp.subi(p, 1, p);
    if (error == CRYPT_OK)
        error = ltc_mp.subi(q, 1, q);
    if (error == CRYPT_OK)
        error = ltc_mp.invmod(dp, p, t);
    if (error == CRYPT_OK)
        error = put(t, rest->e, &rest->e_len);
    if (error == CRYPT_OK)
        error = ltc_mp.mul(p, q, p);
    if (error == CRYPT_OK)
        error = ltc_mp.invmod(t, p, t);
    return error == CRYPT_OK ? put(t, rest->d, &rest->d_len) : error;
}

static int find_rest(const cs_span part[CS_CRT_PARTS], struct rest *rest)
{
    void *p, *q, *dp, *t;
    int error = ltc_init_multi(&p, &q, &dp, &t, NULL);

    if (error != CRYPT_OK)
        return error;
    error = take(p, part[CS_CRT_P]);
    if (error == CRYPT_OK)
        error = take(q, part[CS_CRT_Q]);
    if (error == CRYPT_OK)
        error = take(dp, part[CS_CRT_DP]);
    if (error == CRYPT_OK)
        error = complete(p, q, dp, t, rest);
    ltc_deinit_multi(p, q, dp, t, NULL);
    return error;
}

/* Functions that fail free the key. */
static int rsa_private_setup(cs_case *c)
{
    cs_span part[CS_CRT_PARTS];
    struct rest rest;
    rsa_key *key;
    int error;

    if (cs_crt_split(c->key, part) != CS_OK)
        return CS_ERROR;
    key = cs_new_state(c, sizeof *key);
    if (key == NULL)
        return CS_ERROR;
    c->out_len = c->msg.len;
    error = find_rest(part, &rest);
    if (error == CRYPT_OK)
        error = rsa_set_key(rest.n, rest.n_len, rest.e, rest.e_len, rest.d, rest.d_len, key);
    if (error == CRYPT_OK)
        error = rsa_set_factors(part[CS_CRT_P].data, part[CS_CRT_P].len, part[CS_CRT_Q].data, part[CS_CRT_Q].len, key);
    if (error == CRYPT_OK)
        error = rsa_set_crt_params(part[CS_CRT_DP].data, part[CS_CRT_DP].len, part[CS_CRT_DQ].data, part[CS_CRT_DQ].len,
                                   part[CS_CRT_QINV].data, part[CS_CRT_QINV].len, key);
    if (error != CRYPT_OK)
        cs_teardown_state(c);
    return from_ltc(error);
}

static int rsa_public_setup(cs_case *c)
{
    int error;

    c->out_len = c->msg.len;
    if (cs_new_state(c, sizeof(rsa_key)) == NULL)
        return CS_ERROR;
    error = rsa_set_key(c->pub.data, c->pub.len, c->key.data, c->key.len, NULL, 0, c->state);
    if (error != CRYPT_OK)
        cs_teardown_state(c);
    return from_ltc(error);
}

static int exptmod(cs_case *c, int which)
{
    unsigned long len = c->out_cap;
    int error = rsa_exptmod(c->msg.data, c->msg.len, c->out, &len, which, c->state);

    c->out_len = len;
    return from_ltc(error);
}

static int rsa_private_call(cs_case *c)
{
    return exptmod(c, PK_PRIVATE);
}

static int rsa_public_call(cs_case *c)
{
    return exptmod(c, PK_PUBLIC);
}

/* ---- rows ---- */

/* clang-format off */
static const cs_op rows[] = {
    {.id = "modexp/private", .impl = "default", .name = "rsa_exptmod", .setup = rsa_private_setup, .call = rsa_private_call, .teardown = rsa_teardown, .params = "crt=yes"},
    {.id = "modexp/public", .impl = "default", .name = "rsa_exptmod", .setup = rsa_public_setup, .call = rsa_public_call, .teardown = rsa_teardown},
};
/* clang-format on */

const cs_table libtomcrypt_rsa = CS_TABLE(rows);
