/* SPDX-License-Identifier: Apache-2.0
 *
 * Nettle with Hogweed: X448 and Ed448.
 *
 * Entry points: curve448_mul, ed448_shake256_*.
 */
#include <nettle/curve448.h>
#include <nettle/eddsa.h>

#include "adapter_curve448.h"

int x448_setup(cs_case *c)
{
    c->out_len = CURVE448_SIZE;
    return CS_OK;
}

int x448_call(cs_case *c)
{
    curve448_mul(c->out, c->key.data, c->pub.data);
    return CS_OK;
}

int ed448_sign_setup(cs_case *c)
{
    c->out_len = ED448_SIGNATURE_SIZE;
    return CS_OK;
}

int ed448_sign_call(cs_case *c)
{
    ed448_shake256_sign(c->pub.data, c->key.data, c->msg.len, c->msg.data, c->out);
    return CS_OK;
}

/* ed448_shake256_verify reads 114 bytes whatever it is given, hence the length check. */
int ed448_verify_call(cs_case *c)
{
    if (c->sig.len != ED448_SIGNATURE_SIZE)
        return CS_REJECTED;
    return ed448_shake256_verify(c->pub.data, c->msg.len, c->msg.data, c->sig.data) ? CS_OK : CS_REJECTED;
}
