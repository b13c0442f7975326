/* SPDX-License-Identifier: Apache-2.0
 *
 * OpenSSL adapter: multiples of the generator of a curve, by the functions under EVP (openssl/ec.h).
 */
#include <openssl/bn.h>
#include <openssl/ec.h>
#include <openssl/obj_mac.h>

#include "session.h"

struct base {
    EC_GROUP *group;
    EC_POINT *point;
    BIGNUM *scalar;
    BN_CTX *ctx;
};

static const char *base_unavailable(const struct cs_op *op)
{
    const int *curve = op->param;
    EC_GROUP *group = EC_GROUP_new_by_curve_name(*curve);
    const char *missing = group == NULL ? "EC_GROUP_new_by_curve_name: this build does not have the curve" : NULL;

    EC_GROUP_free(group);
    return missing;
}

static void base_teardown(cs_case *c)
{
    struct base *s = c->state;

    BN_CTX_free(s->ctx);
    BN_clear_free(s->scalar);
    EC_POINT_free(s->point);
    EC_GROUP_free(s->group);
    cs_free(s);
    c->state = NULL;
}

static int base_setup(cs_case *c)
{
    const int *curve = c->op->param;
    struct base *s = cs_alloc(sizeof *s);

    if (s == NULL)
        return CS_ERROR;
    c->state = s;
    s->group = EC_GROUP_new_by_curve_name(*curve);
    s->point = s->group != NULL ? EC_POINT_new(s->group) : NULL;
    s->scalar = BN_bin2bn(c->key.data, (int)c->key.len, NULL);
    s->ctx = BN_CTX_new();
    if (s->point == NULL || s->scalar == NULL || s->ctx == NULL) {
        base_teardown(c);
        return cs_fail("EC_GROUP_new_by_curve_name");
    }
    BN_set_flags(s->scalar, BN_FLG_CONSTTIME); /* as a private key's are */
    c->out_len = 2 * c->key.len + 1;
    return CS_OK;
}

static int base_call(cs_case *c)
{
    const struct base *s = c->state;

    if (EC_POINT_mul(s->group, s->point, s->scalar, NULL, NULL, s->ctx) != 1)
        return cs_fail("EC_POINT_mul");
    return EC_POINT_point2oct(s->group, s->point, POINT_CONVERSION_UNCOMPRESSED, c->out, c->out_len, s->ctx) ==
                   c->out_len
               ? CS_OK
               : cs_fail("EC_POINT_point2oct");
}

/* ---- rows ---- */

/* clang-format off */
#define BASE_ROW(CURVE, NID)                                                                                           \
    {.id = CURVE "/multiply-base", .impl = "default", .name = "EC_POINT_mul", .setup = base_setup, .call = base_call, .teardown = base_teardown, .param = &(const int){NID}, .unavailable = base_unavailable}
/* clang-format on */

static const cs_op rows[] = {
    BASE_ROW("p-256", NID_X9_62_prime256v1),
    BASE_ROW("p-384", NID_secp384r1),
    BASE_ROW("p-521", NID_secp521r1),
    BASE_ROW("secp256k1", NID_secp256k1),
};
const cs_table openssl_multiples = CS_TABLE(rows);
