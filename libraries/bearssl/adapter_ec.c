/* SPDX-License-Identifier: Apache-2.0
 *
 * BearSSL adapter: X25519, ECDSA, ECDH and multiples of the generator (bearssl_ec.h).
 */
#include "adapter.h"

#include <string.h>

enum { X25519_LEN = 32 };

/* -- lanes -- */

const struct bear_ec_lane bear_ec_default = {.get = br_ec_get_default};
const struct bear_ec_lane bear_c25519_i15 = {.impl = &br_ec_c25519_i15};
const struct bear_ec_lane bear_c25519_i31 = {.impl = &br_ec_c25519_i31};
const struct bear_ec_lane bear_c25519_m15 = {.impl = &br_ec_c25519_m15};
const struct bear_ec_lane bear_c25519_m31 = {.impl = &br_ec_c25519_m31};
const struct bear_ec_lane bear_prime_i15 = {.impl = &br_ec_prime_i15};
const struct bear_ec_lane bear_prime_i31 = {.impl = &br_ec_prime_i31};
const struct bear_ec_lane bear_p256_m15 = {.impl = &br_ec_p256_m15};
const struct bear_ec_lane bear_p256_m31 = {.impl = &br_ec_p256_m31};
const struct bear_ec_lane bear_all_m15 = {.impl = &br_ec_all_m15};
const struct bear_ec_lane bear_all_m31 = {.impl = &br_ec_all_m31};

/*
 * The 64-bit curves came after release 0.6. BearSSL has no version macro; this feature macro, from bearssl.h, is
 * younger than they are and absent from 0.6.
 */
#ifdef BR_FEATURE_X509_TIME_CALLBACK
static const char missing_64[] =
    "its get function returned NULL: this build of BearSSL has no 64x64->128 multiplication";

const struct bear_ec_lane bear_c25519_m62 = {.get = br_ec_c25519_m62_get, .missing = missing_64};
const struct bear_ec_lane bear_c25519_m64 = {.get = br_ec_c25519_m64_get, .missing = missing_64};
const struct bear_ec_lane bear_p256_m62 = {.get = br_ec_p256_m62_get, .missing = missing_64};
const struct bear_ec_lane bear_p256_m64 = {.get = br_ec_p256_m64_get, .missing = missing_64};
#else
static const char missing_64[] = "not in this version of BearSSL: it came after release 0.6";

const struct bear_ec_lane bear_c25519_m62 = {.impl = NULL, .missing = missing_64};
const struct bear_ec_lane bear_c25519_m64 = {.impl = NULL, .missing = missing_64};
const struct bear_ec_lane bear_p256_m62 = {.impl = NULL, .missing = missing_64};
const struct bear_ec_lane bear_p256_m64 = {.impl = NULL, .missing = missing_64};
#endif

const struct bear_ecdsa_lane bear_ecdsa_default = {
    .get_sign = br_ecdsa_sign_raw_get_default,
    .get_verify = br_ecdsa_vrfy_raw_get_default,
};
const struct bear_ecdsa_lane bear_ecdsa_i15 = {.sign = br_ecdsa_i15_sign_raw, .verify = br_ecdsa_i15_vrfy_raw};
const struct bear_ecdsa_lane bear_ecdsa_i31 = {.sign = br_ecdsa_i31_sign_raw, .verify = br_ecdsa_i31_vrfy_raw};

static const br_ec_impl *lane_ec(const struct bear_ec_lane *lane)
{
    return lane->get != NULL ? lane->get() : lane->impl;
}

/* -- X25519 -- */

struct x25519_state {
    const br_ec_impl *ec;
    uint8_t scalar[X25519_LEN]; /* in this version's byte order; BearSSL clamps it in each call */
};

const char *bear_x25519_unavailable(const cs_op *op)
{
    const struct bear_ec_lane *lane = op->param;

    return lane_ec(lane) != NULL ? NULL : lane->missing;
}

int bear_x25519_setup(cs_case *c)
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

int bear_x25519(cs_case *c)
{
    const struct x25519_state *state = c->state;

    memcpy(c->out, c->pub.data, X25519_LEN);
    if (state->ec->mul(c->out, X25519_LEN, state->scalar, X25519_LEN, BR_EC_curve25519) != 1) {
        return CS_REJECTED;
    }
    return CS_OK;
}

/* -- ECDSA: P-256 with SHA-256, P-384 with SHA-384, P-521 with SHA-512 -- */

const struct bear_ecdsa_curve bear_p256 = {BR_EC_secp256r1, CS_P256_BYTES, &br_sha256_vtable};
const struct bear_ecdsa_curve bear_p384 = {BR_EC_secp384r1, CS_P384_BYTES, &br_sha384_vtable};
const struct bear_ecdsa_curve bear_p521 = {BR_EC_secp521r1, CS_P521_BYTES, &br_sha512_vtable};

struct ecdsa_state {
    const br_ec_impl *ec;
    br_ecdsa_sign sign;
    br_ecdsa_vrfy verify;
    const struct bear_ecdsa_curve *curve;
    br_hash_compat_context hash;
    br_ec_private_key private_key; /* points at scalar */
    br_ec_public_key public_key;   /* points at point */
    uint8_t scalar[CS_P521_BYTES];
    uint8_t point[CS_P521_POINT];
};

const char *bear_ecdsa_unavailable(const cs_op *op)
{
    const struct bear_ecdsa_param *param = op->param;

    return lane_ec(param->ec) != NULL ? NULL : param->ec->missing;
}

static struct ecdsa_state *new_ecdsa_state(const struct bear_ecdsa_param *param)
{
    const struct bear_ecdsa_lane *ecdsa = param->ecdsa;
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

int bear_ecdsa_sign_setup(cs_case *c)
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

int bear_ecdsa_sign(cs_case *c)
{
    struct ecdsa_state *state = c->state;
    uint8_t digest[br_sha512_SIZE];

    (void)hash_message(state, c->msg, digest);
    c->out_len = state->sign(state->ec, state->curve->hash, digest, &state->private_key, c->out);
    return c->out_len == 2 * state->curve->bytes ? CS_OK : CS_ERROR;
}

int bear_ecdsa_verify_setup(cs_case *c)
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
int bear_ecdsa_verify(cs_case *c)
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
    const struct bear_ecdsa_curve *curve;
    size_t x_offset;
    uint8_t point[CS_P521_POINT];
};

int bear_ecdh_setup(cs_case *c)
{
    const struct bear_ecdsa_param *param = c->op->param;
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
int bear_ecdh(cs_case *c)
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

struct base_state {
    const br_ec_impl *ec;
    size_t len;
    uint8_t scalar[CS_P521_BYTES]; /* in this version's byte order */
};

const char *bear_base_unavailable(const cs_op *op)
{
    const struct bear_base_param *param = op->param;

    return lane_ec(param->ec) != NULL ? NULL : param->ec->missing;
}

int bear_base_setup(cs_case *c)
{
    const struct bear_base_param *param = c->op->param;
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

int bear_base(cs_case *c)
{
    const struct bear_base_param *param = c->op->param;
    const struct base_state *state = c->state;

    return state->ec->mulgen(c->out, state->scalar, state->len, param->curve) == param->pub_len ? CS_OK : CS_ERROR;
}
