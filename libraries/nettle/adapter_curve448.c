/* SPDX-License-Identifier: Apache-2.0
 *
 * Nettle with Hogweed: X448 and Ed448.
 *
 * Entry points: curve448_mul, ed448_shake256_*.
 */
#include <nettle/curve448.h>
#include <nettle/eddsa.h>

#include "adapter.h"

static int x448_setup(cs_case *c)
{
    c->out_len = CURVE448_SIZE;
    return CS_OK;
}

static int x448_call(cs_case *c)
{
    curve448_mul(c->out, c->key.data, c->pub.data);
    return CS_OK;
}

static int ed448_sign_setup(cs_case *c)
{
    c->out_len = ED448_SIGNATURE_SIZE;
    return CS_OK;
}

static int ed448_sign_call(cs_case *c)
{
    ed448_shake256_sign(c->pub.data, c->key.data, c->msg.len, c->msg.data, c->out);
    return CS_OK;
}

/* ed448_shake256_verify reads 114 bytes whatever it is given, hence the length check. */
static int ed448_verify_call(cs_case *c)
{
    if (c->sig.len != ED448_SIGNATURE_SIZE)
        return CS_REJECTED;
    return ed448_shake256_verify(c->pub.data, c->msg.len, c->msg.data, c->sig.data) ? CS_OK : CS_REJECTED;
}

/* clang-format off */
static const cs_op rows[] = {
    {.id = "x448/derive", .impl = "default", .name = "curve448_mul", .setup = x448_setup, .call = x448_call, .rekey = cs_key_in_call},
    {.id = "ed448/sign", .impl = "default", .name = "ed448_shake256_sign", .setup = ed448_sign_setup, .call = ed448_sign_call, .rekey = cs_key_in_call},
    {.id = "ed448/verify", .impl = "default", .name = "ed448_shake256_verify", .call = ed448_verify_call, .rekey = cs_key_in_call},
};
const cs_table nettle_curve448 = CS_TABLE(rows);
/* clang-format on */
