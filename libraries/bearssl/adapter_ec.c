/* SPDX-License-Identifier: Apache-2.0
 *
 * BearSSL adapter: X25519, ECDSA, ECDH and multiples of the generator (bearssl_ec.h).
 */
#include "adapter.h"

#include <string.h>

enum { X25519_LEN = 32 };

/* -- lanes -- */

struct ec_lane {
    const br_ec_impl *impl;
    const br_ec_impl *(*get)(void);
    const char *missing;
};
struct ecdsa_lane {
    br_ecdsa_sign sign;
    br_ecdsa_vrfy verify;
    br_ecdsa_sign (*get_sign)(void);
    br_ecdsa_vrfy (*get_verify)(void);
};

static const struct ec_lane bear_ec_default = {.get = br_ec_get_default};
static const struct ec_lane bear_c25519_i15 = {.impl = &br_ec_c25519_i15};
static const struct ec_lane bear_c25519_i31 = {.impl = &br_ec_c25519_i31};
static const struct ec_lane bear_c25519_m15 = {.impl = &br_ec_c25519_m15};
static const struct ec_lane bear_c25519_m31 = {.impl = &br_ec_c25519_m31};
static const struct ec_lane bear_prime_i15 = {.impl = &br_ec_prime_i15};
static const struct ec_lane bear_prime_i31 = {.impl = &br_ec_prime_i31};
static const struct ec_lane bear_p256_m15 = {.impl = &br_ec_p256_m15};
static const struct ec_lane bear_p256_m31 = {.impl = &br_ec_p256_m31};
static const struct ec_lane bear_all_m15 = {.impl = &br_ec_all_m15};
static const struct ec_lane bear_all_m31 = {.impl = &br_ec_all_m31};

/*
 * The 64-bit curves came after release 0.6. BearSSL has no version macro; this feature macro, from bearssl.h, is
 * younger than they are and absent from 0.6.
 */
#ifdef BR_FEATURE_X509_TIME_CALLBACK
static const char missing_64[] =
    "its get function returned NULL: this build of BearSSL has no 64x64->128 multiplication";

static const struct ec_lane bear_c25519_m62 = {.get = br_ec_c25519_m62_get, .missing = missing_64};
static const struct ec_lane bear_c25519_m64 = {.get = br_ec_c25519_m64_get, .missing = missing_64};
static const struct ec_lane bear_p256_m62 = {.get = br_ec_p256_m62_get, .missing = missing_64};
static const struct ec_lane bear_p256_m64 = {.get = br_ec_p256_m64_get, .missing = missing_64};
#else
static const char missing_64[] = "not in this version of BearSSL: it came after release 0.6";

static const struct ec_lane bear_c25519_m62 = {.impl = NULL, .missing = missing_64};
static const struct ec_lane bear_c25519_m64 = {.impl = NULL, .missing = missing_64};
static const struct ec_lane bear_p256_m62 = {.impl = NULL, .missing = missing_64};
static const struct ec_lane bear_p256_m64 = {.impl = NULL, .missing = missing_64};
#endif

static const struct ecdsa_lane bear_ecdsa_default = {
    .get_sign = br_ecdsa_sign_raw_get_default,
    .get_verify = br_ecdsa_vrfy_raw_get_default,
};
static const struct ecdsa_lane bear_ecdsa_i15 = {.sign = br_ecdsa_i15_sign_raw, .verify = br_ecdsa_i15_vrfy_raw};
static const struct ecdsa_lane bear_ecdsa_i31 = {.sign = br_ecdsa_i31_sign_raw, .verify = br_ecdsa_i31_vrfy_raw};

static const br_ec_impl *lane_ec(const struct ec_lane *lane)
{
    return lane->get != NULL ? lane->get() : lane->impl;
}

/* -- X25519 -- */

struct x25519_state {
    const br_ec_impl *ec;
    uint8_t scalar[X25519_LEN]; /* in this version's byte order; BearSSL clamps it in each call */
};

static const char *bear_x25519_unavailable(const cs_op *op)
{
    const struct ec_lane *lane = op->param;

    return lane_ec(lane) != NULL ? NULL : lane->missing;
}

static int bear_x25519_setup(cs_case *c)
{
    struct x25519_state *state;
    size_t i;

    state = cs_alloc(sizeof *state);
    if (state == NULL) {
        return CS_ERROR;
    }
    state->ec = lane_ec(c->op->param);
    for (i = 0; i < X25519_LEN; i++) {
        state->scalar[i] = c->key.data[SCALAR_IS_REVERSED ? X25519_LEN - 1 - i : i];
    }
    c->state = state;
    c->out_len = X25519_LEN;
    return CS_OK;
}

static int bear_x25519(cs_case *c)
{
    const struct x25519_state *state = c->state;

    memcpy(c->out, c->pub.data, X25519_LEN);
    if (state->ec->mul(c->out, X25519_LEN, state->scalar, X25519_LEN, BR_EC_curve25519) != 1) {
        return CS_REJECTED;
    }
    return CS_OK;
}

/* -- ECDSA: P-256 with SHA-256, P-384 with SHA-384, P-521 with SHA-512 -- */

struct ecdsa_curve {
    int id;
    size_t bytes;
    const br_hash_class *hash;
};
struct ecdsa_param {
    const struct ecdsa_lane *ecdsa;
    const struct ec_lane *ec;
    const struct ecdsa_curve *curve; /* P-256 with SHA-256 without it */
};

static const struct ecdsa_curve bear_p256 = {BR_EC_secp256r1, CS_P256_BYTES, &br_sha256_vtable};
static const struct ecdsa_curve bear_p384 = {BR_EC_secp384r1, CS_P384_BYTES, &br_sha384_vtable};
static const struct ecdsa_curve bear_p521 = {BR_EC_secp521r1, CS_P521_BYTES, &br_sha512_vtable};

struct ecdsa_state {
    const br_ec_impl *ec;
    br_ecdsa_sign sign;
    br_ecdsa_vrfy verify;
    const struct ecdsa_curve *curve;
    br_hash_compat_context hash;
    br_ec_private_key private_key; /* points at scalar */
    br_ec_public_key public_key;   /* points at point */
    uint8_t scalar[CS_P521_BYTES];
    uint8_t point[CS_P521_POINT];
};

static const char *bear_ecdsa_unavailable(const cs_op *op)
{
    const struct ecdsa_param *param = op->param;

    return lane_ec(param->ec) != NULL ? NULL : param->ec->missing;
}

static struct ecdsa_state *new_ecdsa_state(const struct ecdsa_param *param)
{
    const struct ecdsa_lane *ecdsa = param->ecdsa;
    struct ecdsa_state *state = cs_alloc(sizeof *state);

    if (state == NULL) {
        return NULL;
    }
    state->ec = lane_ec(param->ec);
    state->curve = param->curve != NULL ? param->curve : &bear_p256;
    state->sign = ecdsa->get_sign != NULL ? ecdsa->get_sign() : ecdsa->sign;
    state->verify = ecdsa->get_verify != NULL ? ecdsa->get_verify() : ecdsa->verify;
    return state;
}

static int bear_ecdsa_sign_setup(cs_case *c)
{
    struct ecdsa_state *state;

    state = new_ecdsa_state(c->op->param);
    if (state == NULL) {
        return CS_ERROR;
    }
    memcpy(state->scalar, c->key.data, c->key.len);
    state->private_key.curve = state->curve->id;
    state->private_key.x = state->scalar;
    state->private_key.xlen = c->key.len;
    c->state = state;
    return CS_OK;
}

/* Returns the digest's length. */
static size_t hash_message(struct ecdsa_state *state, cs_span msg, uint8_t digest[br_sha512_SIZE])
{
    const br_hash_class *hash = state->curve->hash;

    hash->init(&state->hash.vtable);
    hash->update(&state->hash.vtable, msg.data, msg.len);
    hash->out(&state->hash.vtable, digest);
    return (hash->desc >> BR_HASHDESC_OUT_OFF) & BR_HASHDESC_OUT_MASK;
}

static int bear_ecdsa_sign(cs_case *c)
{
    struct ecdsa_state *state = c->state;
    uint8_t digest[br_sha512_SIZE];

    (void)hash_message(state, c->msg, digest);
    c->out_len = state->sign(state->ec, state->curve->hash, digest, &state->private_key, c->out);
    return c->out_len == 2 * state->curve->bytes ? CS_OK : CS_ERROR;
}

static int bear_ecdsa_verify_setup(cs_case *c)
{
    struct ecdsa_state *state;

    state = new_ecdsa_state(c->op->param);
    if (state == NULL) {
        return CS_ERROR;
    }
    memcpy(state->point, c->pub.data, c->pub.len);
    state->public_key.curve = state->curve->id;
    state->public_key.q = state->point;
    state->public_key.qlen = c->pub.len;
    c->state = state;
    return CS_OK;
}

/* BearSSL's "raw" format lets the two halves have any common length; P1363 is the one with as many bytes each as
 * the order has. */
static int bear_ecdsa_verify(cs_case *c)
{
    struct ecdsa_state *state = c->state;
    uint8_t digest[br_sha512_SIZE];
    size_t len;

    if (c->sig.len != 2 * state->curve->bytes) {
        return CS_REJECTED;
    }
    len = hash_message(state, c->msg, digest);
    if (state->verify(state->ec, digest, len, &state->public_key, c->sig.data, c->sig.len) != 1) {
        return CS_REJECTED;
    }
    return CS_OK;
}

/* -- ECDH -- */

struct ecdh_state {
    const br_ec_impl *ec;
    const struct ecdsa_curve *curve;
    size_t x_offset;
    uint8_t point[CS_P521_POINT];
};

static int bear_ecdh_setup(cs_case *c)
{
    const struct ecdsa_param *param = c->op->param;
    struct ecdh_state *state = cs_alloc(sizeof *state);
    size_t len;

    if (state == NULL) {
        return CS_ERROR;
    }
    state->ec = lane_ec(param->ec);
    state->curve = param->curve != NULL ? param->curve : &bear_p256;
    state->x_offset = state->ec->xoff(state->curve->id, &len);
    c->state = state;
    c->out_len = state->curve->bytes;
    return CS_OK;
}

/* The peer's point is multiplied in its place, and what is no point is found out there. */
static int bear_ecdh(cs_case *c)
{
    struct ecdh_state *state = c->state;

    memcpy(state->point, c->pub.data, c->pub.len);
    if (state->ec->mul(state->point, c->pub.len, c->key.data, c->key.len, state->curve->id) != 1) {
        return CS_BAD_KEY;
    }
    memcpy(c->out, state->point + state->x_offset, c->out_len);
    return CS_OK;
}

/* -- multiples of the generator -- */

struct base_param {
    const struct ec_lane *ec;
    int curve;
    size_t pub_len;
};

struct base_state {
    const br_ec_impl *ec;
    size_t len;
    uint8_t scalar[CS_P521_BYTES]; /* in this version's byte order */
};

static const char *bear_base_unavailable(const cs_op *op)
{
    const struct base_param *param = op->param;

    return lane_ec(param->ec) != NULL ? NULL : param->ec->missing;
}

static int bear_base_setup(cs_case *c)
{
    const struct base_param *param = c->op->param;
    const int reversed = SCALAR_IS_REVERSED && param->curve == BR_EC_curve25519;
    struct base_state *state = cs_alloc(sizeof *state);
    size_t i;

    if (state == NULL) {
        return CS_ERROR;
    }
    state->ec = lane_ec(param->ec);
    state->len = c->key.len;
    for (i = 0; i < state->len; i++) {
        state->scalar[i] = c->key.data[reversed ? state->len - 1 - i : i];
    }
    c->state = state;
    c->out_len = param->pub_len;
    return CS_OK;
}

static int bear_base(cs_case *c)
{
    const struct base_param *param = c->op->param;
    const struct base_state *state = c->state;

    return state->ec->mulgen(c->out, state->scalar, state->len, param->curve) == param->pub_len ? CS_OK : CS_ERROR;
}

/* -- rows -- */

/* clang-format off */
#define X25519(IMPL, NAME, LANE)                                                                                       \
    {.id = "x25519/derive", .impl = IMPL, .name = NAME, .setup = bear_x25519_setup, .call = bear_x25519, .rekey = cs_setup_again, .teardown = cs_teardown_state, .param = &bear_##LANE, .unavailable = bear_x25519_unavailable}
#define X25519_LANE(EC) X25519("ec_" #EC, "br_ec_" #EC, EC)
#define ECDH_LANE(KEYS, IMPL, NAME, EC, CURVE)                                                                         \
    {.id = KEYS "/derive", .impl = IMPL, .name = NAME, .setup = bear_ecdh_setup, .call = bear_ecdh, .rekey = cs_key_in_call, .teardown = cs_teardown_state, .param = &(const struct ecdsa_param){&bear_ecdsa_default, &bear_##EC, &bear_##CURVE}, .unavailable = bear_ecdsa_unavailable}
#define ECDH_ROWS(KEYS, CURVE)                                                                                         \
    ECDH_LANE(KEYS, "default", "br_ec_get_default", ec_default, CURVE),                                                \
    ECDH_LANE(KEYS, "ec_prime_i15", "br_ec_prime_i15", prime_i15, CURVE),                                              \
    ECDH_LANE(KEYS, "ec_prime_i31", "br_ec_prime_i31", prime_i31, CURVE),                                              \
    ECDH_LANE(KEYS, "ec_all_m15", "br_ec_all_m15", all_m15, CURVE),                                                    \
    ECDH_LANE(KEYS, "ec_all_m31", "br_ec_all_m31", all_m31, CURVE)
#define ECDSA_ROW(ALGORITHM, VERB, IMPL, NAME, ECDSA, EC, CURVE)                                                       \
    {.id = ALGORITHM "/" #VERB, .impl = IMPL, .name = NAME, .setup = bear_ecdsa_##VERB##_setup, .call = bear_ecdsa_##VERB, .rekey = cs_setup_again, .teardown = cs_teardown_state, .param = &(const struct ecdsa_param){&bear_##ECDSA, &bear_##EC, CURVE}, .form = "p1363", .unavailable = bear_ecdsa_unavailable}
#define ECDSA_LANE(ALGORITHM, ECDSA, EC, CURVE)                                                                        \
    ECDSA_ROW(ALGORITHM, sign, #ECDSA "+ec_" #EC, "br_" #ECDSA "_sign_raw, br_ec_" #EC, ECDSA, EC, CURVE),             \
    ECDSA_ROW(ALGORITHM, verify, #ECDSA "+ec_" #EC, "br_" #ECDSA "_vrfy_raw, br_ec_" #EC, ECDSA, EC, CURVE)
#define ECDSA_ROWS(ALGORITHM, CURVE)                                                                                   \
    ECDSA_ROW(ALGORITHM, sign, "default", "br_ecdsa_sign_raw_get_default, br_ec_get_default", ecdsa_default, ec_default, CURVE), \
    ECDSA_ROW(ALGORITHM, verify, "default", "br_ecdsa_vrfy_raw_get_default, br_ec_get_default", ecdsa_default, ec_default, CURVE), \
    ECDSA_LANE(ALGORITHM, ecdsa_i15, prime_i15, CURVE),                                                                \
    ECDSA_LANE(ALGORITHM, ecdsa_i31, prime_i31, CURVE),                                                                \
    ECDSA_LANE(ALGORITHM, ecdsa_i15, all_m15, CURVE),                                                                  \
    ECDSA_LANE(ALGORITHM, ecdsa_i31, all_m31, CURVE)
#define BASE_ROW(KEYS, IMPL, NAME, EC, CURVE, BYTES)                                                                   \
    {.id = KEYS "/multiply-base", .impl = IMPL, .name = NAME " mulgen", .setup = bear_base_setup, .call = bear_base, .teardown = cs_teardown_state, .param = &(const struct base_param){&bear_##EC, BR_EC_##CURVE, BYTES}, .unavailable = bear_base_unavailable}
#define BASE_LANE(KEYS, EC, CURVE, BYTES) BASE_ROW(KEYS, "ec_" #EC, "br_ec_" #EC, EC, CURVE, BYTES)
#define BASE_ROWS(KEYS, CURVE, BYTES)                                                                                  \
    BASE_ROW(KEYS, "default", "br_ec_get_default", ec_default, CURVE, BYTES),                                          \
    BASE_LANE(KEYS, all_m15, CURVE, BYTES), BASE_LANE(KEYS, all_m31, CURVE, BYTES)
#define PRIME_BASE_ROWS(KEYS, CURVE, BYTES)                                                                            \
    BASE_ROWS(KEYS, CURVE, BYTES), BASE_LANE(KEYS, prime_i15, CURVE, BYTES), BASE_LANE(KEYS, prime_i31, CURVE, BYTES)

static const cs_op rows[] = {
    X25519("default", "br_ec_get_default", ec_default),
    X25519_LANE(c25519_i15),
    X25519_LANE(c25519_i31),
    X25519_LANE(c25519_m15),
    X25519_LANE(c25519_m31),
    X25519_LANE(c25519_m62),
    X25519_LANE(c25519_m64),
    X25519_LANE(all_m15),
    X25519_LANE(all_m31),
    ECDSA_ROWS("ecdsa-p256-sha256", NULL),
    ECDSA_LANE("ecdsa-p256-sha256", ecdsa_i15, p256_m15, NULL),
    ECDSA_LANE("ecdsa-p256-sha256", ecdsa_i31, p256_m31, NULL),
    ECDSA_LANE("ecdsa-p256-sha256", ecdsa_i31, p256_m62, NULL),
    ECDSA_LANE("ecdsa-p256-sha256", ecdsa_i31, p256_m64, NULL),
    ECDSA_ROWS("ecdsa-p384-sha384", &bear_p384),
    ECDSA_ROWS("ecdsa-p521-sha512", &bear_p521),
    BASE_ROWS("x25519", curve25519, 32),
    BASE_LANE("x25519", c25519_i15, curve25519, 32),
    BASE_LANE("x25519", c25519_i31, curve25519, 32),
    BASE_LANE("x25519", c25519_m15, curve25519, 32),
    BASE_LANE("x25519", c25519_m31, curve25519, 32),
    BASE_LANE("x25519", c25519_m62, curve25519, 32),
    BASE_LANE("x25519", c25519_m64, curve25519, 32),
    PRIME_BASE_ROWS("p-256", secp256r1, CS_P256_POINT),
    BASE_LANE("p-256", p256_m15, secp256r1, CS_P256_POINT),
    BASE_LANE("p-256", p256_m31, secp256r1, CS_P256_POINT),
    BASE_LANE("p-256", p256_m62, secp256r1, CS_P256_POINT),
    BASE_LANE("p-256", p256_m64, secp256r1, CS_P256_POINT),
    PRIME_BASE_ROWS("p-384", secp384r1, CS_P384_POINT),
    PRIME_BASE_ROWS("p-521", secp521r1, CS_P521_POINT),
    ECDH_ROWS("p-256", p256),
    ECDH_LANE("p-256", "ec_p256_m15", "br_ec_p256_m15", p256_m15, p256),
    ECDH_LANE("p-256", "ec_p256_m31", "br_ec_p256_m31", p256_m31, p256),
    ECDH_LANE("p-256", "ec_p256_m62", "br_ec_p256_m62", p256_m62, p256),
    ECDH_LANE("p-256", "ec_p256_m64", "br_ec_p256_m64", p256_m64, p256),
    ECDH_ROWS("p-384", p384),
    ECDH_ROWS("p-521", p521),
};
/* clang-format on */

const cs_table bearssl_ec = CS_TABLE(rows);
