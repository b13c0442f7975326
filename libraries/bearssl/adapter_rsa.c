/* SPDX-License-Identifier: Apache-2.0
 *
 * BearSSL adapter: exponentiation by the RSA functions. The public one takes an exponent of any length, so it is also
 * what raises to a private exponent without the primes; the private one works with the primes.
 */
#include "adapter.h"

#include <string.h>

const struct bear_rsa_lane bear_rsa_default = {
    .get_public = br_rsa_public_get_default,
    .get_private = br_rsa_private_get_default,
    .missing = "br_rsa_public_get_default or br_rsa_private_get_default returns NULL",
};
const struct bear_rsa_lane bear_rsa_i15 = {.public_power = br_rsa_i15_public, .private_power = br_rsa_i15_private};
const struct bear_rsa_lane bear_rsa_i31 = {.public_power = br_rsa_i31_public, .private_power = br_rsa_i31_private};
const struct bear_rsa_lane bear_rsa_i32 = {.public_power = br_rsa_i32_public, .private_power = br_rsa_i32_private};
const struct bear_rsa_lane bear_rsa_i62 = {
    .get_public = br_rsa_i62_public_get,
    .get_private = br_rsa_i62_private_get,
    .missing = "br_rsa_i62_public_get or br_rsa_i62_private_get returns NULL: no 64x64 bit multiplication",
};

static br_rsa_public public_power(const struct bear_rsa_lane *lane)
{
    return lane->get_public != NULL ? lane->get_public() : lane->public_power;
}

static br_rsa_private private_power(const struct bear_rsa_lane *lane)
{
    return lane->get_private != NULL ? lane->get_private() : lane->private_power;
}

const char *bear_rsa_unavailable(const cs_op *op)
{
    const struct bear_rsa_lane *lane = op->param;

    return public_power(lane) != 0 && private_power(lane) != 0 ? NULL : lane->missing;
}

struct public_state {
    br_rsa_public run;
    br_rsa_public_key key;
};

struct private_state {
    br_rsa_private run;
    br_rsa_private_key key;
};

/* The library's key structs hold pointers to bytes that it only reads. */
static unsigned char *readable(const uint8_t *bytes)
{
    return (unsigned char *)bytes;
}

int bear_rsa_public_setup(cs_case *c)
{
    struct public_state *s;

    if (cs_expect_length("msg", c->msg, c->pub.len) != CS_OK)
        return CS_ERROR;
    s = cs_alloc(sizeof *s);
    if (s == NULL)
        return CS_ERROR;
    s->run = public_power(c->op->param);
    s->key.n = readable(c->pub.data);
    s->key.nlen = c->pub.len;
    s->key.e = readable(c->key.data);
    s->key.elen = c->key.len;
    c->state = s;
    c->out_len = c->msg.len;
    return CS_OK;
}

int bear_rsa_public(cs_case *c)
{
    const struct public_state *s = c->state;

    memcpy(c->out, c->msg.data, c->msg.len);
    return s->run(c->out, c->msg.len, &s->key) ? CS_OK : cs_fail("br_rsa_public refuses the modulus or the base");
}

int bear_rsa_private_setup(cs_case *c)
{
    cs_span part[CS_CRT_PARTS];
    struct private_state *s;

    if (cs_crt_split(c->key, part) != CS_OK)
        return CS_ERROR;
    if (cs_expect_length("msg", c->msg, 2 * part[CS_CRT_P].len) != CS_OK)
        return CS_ERROR;
    s = cs_alloc(sizeof *s);
    if (s == NULL)
        return CS_ERROR;
    s->run = private_power(c->op->param);
    s->key.n_bitlen = 8 * (uint32_t)c->msg.len;
    s->key.p = readable(part[CS_CRT_P].data);
    s->key.q = readable(part[CS_CRT_Q].data);
    s->key.dp = readable(part[CS_CRT_DP].data);
    s->key.dq = readable(part[CS_CRT_DQ].data);
    s->key.iq = readable(part[CS_CRT_QINV].data);
    s->key.plen = s->key.qlen = s->key.dplen = s->key.dqlen = s->key.iqlen = part[CS_CRT_P].len;
    c->state = s;
    c->out_len = c->msg.len;
    return CS_OK;
}

int bear_rsa_private(cs_case *c)
{
    const struct private_state *s = c->state;

    memcpy(c->out, c->msg.data, c->msg.len);
    return s->run(c->out, &s->key) ? CS_OK : cs_fail("br_rsa_private refuses the key or the base");
}
