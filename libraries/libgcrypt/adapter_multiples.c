/* SPDX-License-Identifier: Apache-2.0
 *
 * Libgcrypt: multiples of the generator of a curve, by the functions for points.
 *
 * Entry points: gcry_mpi_ec_new, gcry_mpi_ec_get_point, gcry_mpi_ec_mul, gcry_mpi_ec_get_affine.
 */
#include "adapter.h"

struct base {
    gcry_ctx_t curve;
    gcry_mpi_point_t generator;
    gcry_mpi_point_t product;
    gcry_mpi_t scalar;
    gcry_mpi_t x;
    gcry_mpi_t y;
};

static void base_teardown(cs_case *c)
{
    struct base *s = c->state;

    gcry_mpi_release(s->y);
    gcry_mpi_release(s->x);
    gcry_mpi_release(s->scalar);
    gcry_mpi_point_release(s->product);
    gcry_mpi_point_release(s->generator);
    gcry_ctx_release(s->curve);
    cs_free(s);
    c->state = NULL;
}

static int base_setup(cs_case *c)
{
    struct base *s = cs_alloc(sizeof *s);
    gcry_error_t error;

    if (s == NULL)
        return CS_ERROR;
    c->state = s;
    c->out_len = 2 * c->key.len + 1;
    error = gcry_mpi_ec_new(&s->curve, NULL, c->op->param);
    if (error == 0)
        error = gcry_mpi_scan(&s->scalar, GCRYMPI_FMT_USG, c->key.data, c->key.len, NULL);
    if (error != 0) {
        base_teardown(c);
        return fail("gcry_mpi_ec_new", error);
    }
    gcry_mpi_set_flag(s->scalar, GCRYMPI_FLAG_SECURE); /* as a private key's is */
    s->generator = gcry_mpi_ec_get_point("g", s->curve, 1);
    s->product = gcry_mpi_point_new(0);
    s->x = gcry_mpi_new(0);
    s->y = gcry_mpi_new(0);
    return CS_OK;
}

static int put_number(uint8_t *out, size_t bytes, gcry_mpi_t number)
{
    uint8_t text[CS_P521_BYTES];
    size_t len = 0;
    gcry_error_t error = gcry_mpi_print(GCRYMPI_FMT_USG, text, sizeof text, &len, number);

    return error == 0 ? cs_put_number(out, bytes, (cs_span){text, len}) : fail("gcry_mpi_print", error);
}

static int base_call(cs_case *c)
{
    const struct base *s = c->state;
    const size_t bytes = c->key.len;

    gcry_mpi_ec_mul(s->product, s->scalar, s->generator, s->curve);
    if (gcry_mpi_ec_get_affine(s->x, s->y, s->product, s->curve) != 0)
        return cs_fail("gcry_mpi_ec_get_affine");
    c->out[0] = 4;
    if (put_number(c->out + 1, bytes, s->x) != CS_OK)
        return CS_ERROR;
    return put_number(c->out + 1 + bytes, bytes, s->y);
}

/* clang-format off */
#define BASE_ROW(CURVE, NAME)                                                                                          \
    {.id = CURVE "/multiply-base", .impl = "default", .name = "gcry_mpi_ec_mul " NAME, .setup = base_setup, .call = base_call, .teardown = base_teardown, .param = NAME}

static const cs_op rows[] = {
    BASE_ROW("p-256", "NIST P-256"), BASE_ROW("p-384", "NIST P-384"), BASE_ROW("p-521", "NIST P-521"), BASE_ROW("secp256k1", "secp256k1"),
};
/* clang-format on */

const cs_table libgcrypt_multiples = CS_TABLE(rows);
