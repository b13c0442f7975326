/* SPDX-License-Identifier: Apache-2.0
 *
 * Mbed TLS: exponentiation by the Chinese remainder theorem, as in RFC 8017, 5.1.2, on mbedtls_mpi.
 */
#include "adapter.h"

/* `rr_p`, `rr_q`: the Montgomery constants that mbedtls_mpi_exp_mod leaves for its caller to keep. */
struct crt {
    mbedtls_mpi key[CS_CRT_PARTS];
    mbedtls_mpi base, m1, m2, r, rr_p, rr_q;
};

static void teardown_bignum_crt(cs_case *c)
{
    struct crt *s = c->state;

    for (int i = 0; i < CS_CRT_PARTS; i++)
        mbedtls_mpi_free(&s->key[i]);
    mbedtls_mpi_free(&s->base);
    mbedtls_mpi_free(&s->m1);
    mbedtls_mpi_free(&s->m2);
    mbedtls_mpi_free(&s->r);
    mbedtls_mpi_free(&s->rr_p);
    mbedtls_mpi_free(&s->rr_q);
    cs_free(s);
}

static int setup_bignum_crt(cs_case *c)
{
    cs_span part[CS_CRT_PARTS];
    struct crt *s;
    int ret;

    if (cs_crt_split(c->key, part) != CS_OK)
        return CS_ERROR;
    s = cs_alloc(sizeof *s);
    if (s == NULL)
        return CS_ERROR;
    c->state = s;
    for (int i = 0; i < CS_CRT_PARTS; i++)
        mbedtls_mpi_init(&s->key[i]);
    mbedtls_mpi_init(&s->base);
    mbedtls_mpi_init(&s->m1);
    mbedtls_mpi_init(&s->m2);
    mbedtls_mpi_init(&s->r);
    mbedtls_mpi_init(&s->rr_p);
    mbedtls_mpi_init(&s->rr_q);
    ret = mbedtls_mpi_read_binary(&s->base, c->msg.data, c->msg.len);
    for (size_t i = 0; i < CS_CRT_PARTS && ret == 0; i++)
        ret = mbedtls_mpi_read_binary(&s->key[i], part[i].data, part[i].len);
    return ret == 0 ? CS_OK : give_up(c, "mbedtls_mpi_read_binary", ret);
}

/* Garner: r = m2 + q (qInv (m1 - m2) mod p). mbedtls_mpi_mod_mpi gives no negative numbers. */
static int combine(struct crt *s)
{
    int ret = mbedtls_mpi_sub_mpi(&s->m1, &s->m1, &s->m2);

    if (ret == 0)
        ret = mbedtls_mpi_mul_mpi(&s->r, &s->m1, &s->key[CS_CRT_QINV]);
    if (ret == 0)
        ret = mbedtls_mpi_mod_mpi(&s->m1, &s->r, &s->key[CS_CRT_P]);
    if (ret == 0)
        ret = mbedtls_mpi_mul_mpi(&s->r, &s->m1, &s->key[CS_CRT_Q]);
    return ret == 0 ? mbedtls_mpi_add_mpi(&s->r, &s->r, &s->m2) : ret;
}

static int call_bignum_crt(cs_case *c)
{
    struct crt *s = c->state;
    int ret = mbedtls_mpi_exp_mod(&s->m1, &s->base, &s->key[CS_CRT_DP], &s->key[CS_CRT_P], &s->rr_p);

    if (ret == 0)
        ret = mbedtls_mpi_exp_mod(&s->m2, &s->base, &s->key[CS_CRT_DQ], &s->key[CS_CRT_Q], &s->rr_q);
    return from_mbedtls(ret == 0 ? combine(s) : ret);
}

static int finish_bignum_crt(cs_case *c)
{
    struct crt *s = c->state;

    c->out_len = 0;
    return take_bignum(c, &s->r, c->msg.len);
}

static const cs_op rows[] = {
    {.id = "modexp/private",
     .impl = "default",
     .name = "mbedtls_mpi_exp_mod, twice",
     .setup = setup_bignum_crt,
     .call = call_bignum_crt,
     .teardown = teardown_bignum_crt,
     .finish = finish_bignum_crt,
     .params = "crt=yes"},
};
const cs_table mbedtls_crt = CS_TABLE(rows);
