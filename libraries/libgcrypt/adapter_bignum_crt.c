/* SPDX-License-Identifier: Apache-2.0
 *
 * Libgcrypt: exponentiation by the Chinese remainder theorem, as in RFC 8017, 5.1.2, on gcry_mpi_t.
 *
 * Entry points: gcry_mpi_powm, _subm, _mulm, _mul, _add.
 */
#include "adapter.h"

struct crt {
    gcry_mpi_t key[CS_CRT_PARTS];
    gcry_mpi_t base, m1, m2, r;
};

static void bignum_crt_teardown(cs_case *c)
{
    struct crt *s = c->state;

    for (int i = 0; i < CS_CRT_PARTS; i++)
        gcry_mpi_release(s->key[i]);
    gcry_mpi_release(s->base);
    gcry_mpi_release(s->m1);
    gcry_mpi_release(s->m2);
    gcry_mpi_release(s->r);
    cs_free(s);
    c->state = NULL;
}

static int bignum_crt_setup(cs_case *c)
{
    cs_span part[CS_CRT_PARTS];
    unsigned bits;
    struct crt *s;
    int read = 1;

    if (cs_crt_split(c->key, part) != CS_OK)
        return CS_ERROR;
    bits = 8 * (unsigned)part[CS_CRT_P].len;
    s = cs_alloc(sizeof *s);
    if (s == NULL)
        return CS_ERROR;
    c->state = s;
    for (size_t i = 0; i < CS_CRT_PARTS; i++) {
        s->key[i] = bignum_new(part[i].data, part[i].len);
        read &= s->key[i] != NULL;
    }
    s->base = bignum_new(c->msg.data, c->msg.len);
    s->m1 = gcry_mpi_new(bits);
    s->m2 = gcry_mpi_new(bits);
    s->r = gcry_mpi_new(2 * bits);
    if (read && s->base != NULL && gcry_mpi_cmp_ui(s->key[CS_CRT_P], 0) > 0 && gcry_mpi_cmp_ui(s->key[CS_CRT_Q], 0) > 0)
        return CS_OK;
    bignum_crt_teardown(c);
    return cs_fail("gcry_mpi_scan refuses a number, or a factor is zero");
}

/* Garner: r = m2 + q (qInv (m1 - m2) mod p). */
static int bignum_crt(cs_case *c)
{
    struct crt *s = c->state;

    gcry_mpi_powm(s->m1, s->base, s->key[CS_CRT_DP], s->key[CS_CRT_P]);
    gcry_mpi_powm(s->m2, s->base, s->key[CS_CRT_DQ], s->key[CS_CRT_Q]);
    gcry_mpi_subm(s->m1, s->m1, s->m2, s->key[CS_CRT_P]);
    gcry_mpi_mulm(s->m1, s->m1, s->key[CS_CRT_QINV], s->key[CS_CRT_P]);
    gcry_mpi_mul(s->r, s->m1, s->key[CS_CRT_Q]);
    gcry_mpi_add(s->r, s->r, s->m2);
    return CS_OK;
}

static int bignum_crt_finish(cs_case *c)
{
    struct crt *s = c->state;

    c->out_len = 0;
    return bignum_take(c, s->r, c->msg.len);
}

static const cs_op rows[] = {{.id = "modexp/private",
                              .impl = "default",
                              .name = "gcry_mpi_powm, twice",
                              .setup = bignum_crt_setup,
                              .call = bignum_crt,
                              .teardown = bignum_crt_teardown,
                              .finish = bignum_crt_finish,
                              .params = "crt=yes"}};

const cs_table libgcrypt_bignum_crt = CS_TABLE(rows);
