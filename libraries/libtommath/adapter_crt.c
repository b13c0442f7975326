/* SPDX-License-Identifier: Apache-2.0
 *
 * LibTomMath: exponentiation by the Chinese remainder theorem, as in RFC 8017, 5.1.2.
 *
 * Entry points: mp_exptmod, mp_submod, mp_mulmod, mp_mul, mp_add.
 */
#include "adapter.h"

struct crt {
    mp_int key[CS_CRT_PARTS];
    mp_int base, m1, m2, r;
};

static mp_err init(struct crt *s)
{
    mp_err error = mp_init_multi(&s->base, &s->m1, &s->m2, &s->r, NULL);

    if (error != MP_OKAY)
        return error;
    error = mp_init_multi(&s->key[CS_CRT_P], &s->key[CS_CRT_Q], &s->key[CS_CRT_DP], &s->key[CS_CRT_DQ],
                          &s->key[CS_CRT_QINV], NULL);
    if (error != MP_OKAY)
        mp_clear_multi(&s->base, &s->m1, &s->m2, &s->r, NULL);
    return error;
}

static void crt_teardown(cs_case *c)
{
    struct crt *s = c->state;

    mp_clear_multi(&s->key[CS_CRT_P], &s->key[CS_CRT_Q], &s->key[CS_CRT_DP], &s->key[CS_CRT_DQ], &s->key[CS_CRT_QINV],
                   NULL);
    mp_clear_multi(&s->base, &s->m1, &s->m2, &s->r, NULL);
    cs_free(s);
    c->state = NULL;
}

static int crt_setup(cs_case *c)
{
    cs_span part[CS_CRT_PARTS];
    struct crt *s;
    mp_err error;

    if (cs_crt_split(c->key, part) != CS_OK)
        return CS_ERROR;
    s = cs_alloc(sizeof *s);
    if (s == NULL)
        return CS_ERROR;
    error = init(s);
    if (error != MP_OKAY) {
        cs_free(s);
        return from_mp(error);
    }
    c->state = s;
    error = mp_from_ubin(&s->base, c->msg.data, c->msg.len);
    for (size_t i = 0; i < CS_CRT_PARTS && error == MP_OKAY; i++)
        error = mp_from_ubin(&s->key[i], part[i].data, part[i].len);
    if (error != MP_OKAY)
        crt_teardown(c);
    return from_mp(error);
}

/* Garner: r = m2 + q (qInv (m1 - m2) mod p). */
static int crt_call(cs_case *c)
{
    struct crt *s = c->state;
    mp_err error = mp_exptmod(&s->base, &s->key[CS_CRT_DP], &s->key[CS_CRT_P], &s->m1);

    if (error == MP_OKAY)
        error = mp_exptmod(&s->base, &s->key[CS_CRT_DQ], &s->key[CS_CRT_Q], &s->m2);
    if (error == MP_OKAY)
        error = mp_submod(&s->m1, &s->m2, &s->key[CS_CRT_P], &s->m1);
    if (error == MP_OKAY)
        error = mp_mulmod(&s->m1, &s->key[CS_CRT_QINV], &s->key[CS_CRT_P], &s->m1);
    if (error == MP_OKAY)
        error = mp_mul(&s->m1, &s->key[CS_CRT_Q], &s->r);
    if (error == MP_OKAY)
        error = mp_add(&s->r, &s->m2, &s->r);
    return from_mp(error);
}

static int crt_finish(cs_case *c)
{
    struct crt *s = c->state;

    c->out_len = 0;
    return take(c, &s->r, c->msg.len);
}

static const cs_op rows[] = {{.id = "modexp/private",
                              .impl = "default",
                              .name = "mp_exptmod, twice",
                              .setup = crt_setup,
                              .call = crt_call,
                              .teardown = crt_teardown,
                              .finish = crt_finish,
                              .params = "crt=yes"}};

const cs_table libtommath_crt = CS_TABLE(rows);
