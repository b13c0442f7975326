/* SPDX-License-Identifier: Apache-2.0
 *
 * BearSSL adapter: exponentiation by the RSA functions. The public one takes an exponent of any length, so it is also
 * what raises to a private exponent without the primes; the private one works with the primes.
 */
#include "adapter.h"

#include <string.h>

struct rsa_lane {
    br_rsa_public public_power;
    br_rsa_private private_power;
    br_rsa_public (*get_public)(void);
    br_rsa_private (*get_private)(void);
    const char *missing;
};

static const struct rsa_lane bear_rsa_default = {
    .get_public = br_rsa_public_get_default,
    .get_private = br_rsa_private_get_default,
    .missing = "br_rsa_public_get_default or br_rsa_private_get_default returns NULL",
};
static const struct rsa_lane bear_rsa_i15 = {.public_power = br_rsa_i15_public, .private_power = br_rsa_i15_private};
static const struct rsa_lane bear_rsa_i31 = {.public_power = br_rsa_i31_public, .private_power = br_rsa_i31_private};
static const struct rsa_lane bear_rsa_i32 = {.public_power = br_rsa_i32_public, .private_power = br_rsa_i32_private};
static const struct rsa_lane bear_rsa_i62 = {
    .get_public = br_rsa_i62_public_get,
    .get_private = br_rsa_i62_private_get,
    .missing = "br_rsa_i62_public_get or br_rsa_i62_private_get returns NULL: no 64x64 bit multiplication",
};

static br_rsa_public public_power(const struct rsa_lane *lane)
{
    return lane->get_public != NULL ? lane->get_public() : lane->public_power;
}

static br_rsa_private private_power(const struct rsa_lane *lane)
{
    return lane->get_private != NULL ? lane->get_private() : lane->private_power;
}

static const char *bear_rsa_unavailable(const cs_op *op)
{
    const struct rsa_lane *lane = op->param;

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

static int bear_rsa_public_setup(cs_case *c)
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

static int bear_rsa_public(cs_case *c)
{
    const struct public_state *s = c->state;

    memcpy(c->out, c->msg.data, c->msg.len);
    return s->run(c->out, c->msg.len, &s->key) ? CS_OK : cs_fail("br_rsa_public refuses the modulus or the base");
}

static int bear_rsa_private_setup(cs_case *c)
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

static int bear_rsa_private(cs_case *c)
{
    const struct private_state *s = c->state;

    memcpy(c->out, c->msg.data, c->msg.len);
    return s->run(c->out, &s->key) ? CS_OK : cs_fail("br_rsa_private refuses the key or the base");
}

/* -- rows -- */

/* clang-format off */
/* BR_MAX_RSA_SIZE. */
#define RSA_BITS "bits=512|1024|2048|3072|4096"
#define RSA_ROW(ID, PARAMS, IMPL, NAME, KIND, LANE)                                                                    \
    {.id = ID, .impl = IMPL, .name = NAME, .setup = bear_rsa_##KIND##_setup, .call = bear_rsa_##KIND, .teardown = cs_teardown_state, .param = &bear_rsa_##LANE, .unavailable = bear_rsa_unavailable, .params = PARAMS}
#define RSA_PUBLIC(IMPL, NAME, LANE)                                                                                   \
    RSA_ROW("modexp/private", "crt=no," RSA_BITS, IMPL, NAME, public, LANE), RSA_ROW("modexp/public", RSA_BITS, IMPL, NAME, public, LANE)
#define RSA_PRIVATE(IMPL, NAME, LANE) RSA_ROW("modexp/private", "crt=yes," RSA_BITS, IMPL, NAME, private, LANE)

static const cs_op rows[] = {
    RSA_PUBLIC("default", "br_rsa_public_get_default", default),
    RSA_PUBLIC("i15", "br_rsa_i15_public", i15),
    RSA_PUBLIC("i31", "br_rsa_i31_public", i31),
    RSA_PUBLIC("i32", "br_rsa_i32_public", i32),
    RSA_PUBLIC("i62", "br_rsa_i62_public", i62),
    RSA_PRIVATE("default", "br_rsa_private_get_default", default),
    RSA_PRIVATE("i15", "br_rsa_i15_private", i15),
    RSA_PRIVATE("i31", "br_rsa_i31_private", i31),
    RSA_PRIVATE("i32", "br_rsa_i32_private", i32),
    RSA_PRIVATE("i62", "br_rsa_i62_private", i62),
};
/* clang-format on */

const cs_table bearssl_rsa = CS_TABLE(rows);
