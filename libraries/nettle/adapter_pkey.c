/* SPDX-License-Identifier: Apache-2.0
 *
 * Nettle with Hogweed: key agreement and signatures.
 *
 * Entry points: curve25519_mul, ed25519_sha512_*, ecdsa_*, yarrow256_*.
 */
#include <stdio.h>

#include <nettle/bignum.h>
#include <nettle/curve25519.h>
#include <nettle/ecc-curve.h>
#include <nettle/ecc.h>
#include <nettle/ecdsa.h>
#include <nettle/eddsa.h>
#include <nettle/sha2.h>
#include <nettle/yarrow.h>

#include "adapter.h"

/* ---- dh ---- */

int x25519_setup(cs_case *c)
{
    c->out_len = CURVE25519_SIZE;
    return CS_OK;
}

static int x25519_call(cs_case *c)
{
    curve25519_mul(c->out, c->key.data, c->pub.data);
    return CS_OK;
}

/* ---- sig ---- */

static int ed25519_sign_setup(cs_case *c)
{
    c->out_len = ED25519_SIGNATURE_SIZE;
    return CS_OK;
}

static int ed25519_sign_call(cs_case *c)
{
    ed25519_sha512_sign(c->pub.data, c->key.data, c->msg.len, c->msg.data, c->out);
    return CS_OK;
}

/* ed25519_sha512_verify reads 64 bytes whatever it is given, hence the length check. */
static int ed25519_verify_call(cs_case *c)
{
    if (c->sig.len != ED25519_SIGNATURE_SIZE)
        return CS_REJECTED;
    return ed25519_sha512_verify(c->pub.data, c->msg.len, c->msg.data, c->sig.data) ? CS_OK : CS_REJECTED;
}

struct ecdsa_state {
    struct ecc_scalar key;
    struct ecc_point pub;
    struct dsa_signature signature;
    struct sha256_ctx sha256;
    struct sha512_ctx sha512; /* SHA-384 too */
};

const struct nettle_curve p256 = {nettle_get_secp_256r1, CS_P256_BYTES, SHA256_DIGEST_SIZE};
const struct nettle_curve p384 = {nettle_get_secp_384r1, CS_P384_BYTES, SHA384_DIGEST_SIZE};
const struct nettle_curve p521 = {nettle_get_secp_521r1, CS_P521_BYTES, SHA512_DIGEST_SIZE};

const struct nettle_curve *curve_of(const cs_case *c)
{
    return c->op->param != NULL ? c->op->param : &p256;
}

static void hash_message(struct ecdsa_state *s, const struct nettle_curve *curve, cs_span msg, uint8_t *digest)
{
    switch (curve->digest_bytes) {
    case SHA384_DIGEST_SIZE:
        sha384_update(&s->sha512, msg.len, msg.data);
        sha384_digest(&s->sha512, SHA384_DIGEST_SIZE, digest);
        break;
    case SHA512_DIGEST_SIZE:
        sha512_update(&s->sha512, msg.len, msg.data);
        sha512_digest(&s->sha512, SHA512_DIGEST_SIZE, digest);
        break;
    default:
        sha256_update(&s->sha256, msg.len, msg.data);
        sha256_digest(&s->sha256, SHA256_DIGEST_SIZE, digest);
    }
}

static void ecdsa_teardown(cs_case *c)
{
    struct ecdsa_state *s = c->state;

    dsa_signature_clear(&s->signature);
    ecc_point_clear(&s->pub);
    ecc_scalar_clear(&s->key);
    cs_teardown_state(c);
}

static int ecdsa_give_up(cs_case *c, const char *what)
{
    ecdsa_teardown(c);
    return cs_fail(what);
}

static int ecdsa_open(cs_case *c)
{
    struct ecdsa_state *s = cs_new_state(c, sizeof *s);

    if (s == NULL)
        return CS_ERROR;
    ecc_scalar_init(&s->key, curve_of(c)->get());
    ecc_point_init(&s->pub, curve_of(c)->get());
    dsa_signature_init(&s->signature);
    sha256_init(&s->sha256);
    if (curve_of(c)->digest_bytes == SHA384_DIGEST_SIZE)
        sha384_init(&s->sha512);
    else
        sha512_init(&s->sha512);
    return CS_OK;
}

struct yarrow256_ctx random_state;

static void draw(void *random, size_t length, uint8_t *dst)
{
    yarrow256_random(random, length, dst);
}

static void counted_draw(void *random, size_t length, uint8_t *dst)
{
    cs_random_drawn(length);
    yarrow256_random(random, length, dst);
}

nettle_random_func *draw_random = draw;

const char *seed_random(void)
{
    uint8_t seed[YARROW256_SEED_FILE_SIZE];
    FILE *source = fopen("/dev/urandom", "rb");
    size_t got = 0;

    if (source != NULL) {
        got = fread(seed, 1, sizeof seed, source);
        (void)fclose(source);
    }
    if (got != sizeof seed)
        return "no seed from /dev/urandom";
    if (cs_counts_random())
        draw_random = counted_draw;
    yarrow256_init(&random_state, 0, NULL);
    yarrow256_seed(&random_state, sizeof seed, seed);
    return NULL;
}

static int ecdsa_sign_setup(cs_case *c)
{
    struct ecdsa_state *s;
    mpz_t scalar;
    int in_range;

    if (ecdsa_open(c) != CS_OK)
        return CS_ERROR;
    s = c->state;
    nettle_mpz_init_set_str_256_u(scalar, c->key.len, c->key.data);
    in_range = ecc_scalar_set(&s->key, scalar);
    mpz_clear(scalar);
    if (!in_range)
        return ecdsa_give_up(c, "private key is not in the range of the curve");
    c->out_len = 2 * curve_of(c)->bytes;
    return CS_OK;
}

static int ecdsa_sign_call(cs_case *c)
{
    struct ecdsa_state *s = c->state;
    const struct nettle_curve *curve = curve_of(c);
    uint8_t digest[SHA512_DIGEST_SIZE];

    hash_message(s, curve, c->msg, digest);
    ecdsa_sign(&s->key, &random_state, draw_random, curve->digest_bytes, digest, &s->signature);
    nettle_mpz_get_str_256(curve->bytes, c->out, s->signature.r);
    nettle_mpz_get_str_256(curve->bytes, c->out + curve->bytes, s->signature.s);
    return CS_OK;
}

static int ecdsa_verify_setup(cs_case *c)
{
    const size_t bytes = curve_of(c)->bytes;
    struct ecdsa_state *s;
    mpz_t x;
    mpz_t y;
    int on_curve;

    if (cs_point(c->pub, bytes) != CS_OK || ecdsa_open(c) != CS_OK)
        return CS_ERROR;
    s = c->state;
    nettle_mpz_init_set_str_256_u(x, bytes, c->pub.data + 1);
    nettle_mpz_init_set_str_256_u(y, bytes, c->pub.data + 1 + bytes);
    on_curve = ecc_point_set(&s->pub, x, y);
    mpz_clear(x);
    mpz_clear(y);
    return on_curve ? CS_OK : ecdsa_give_up(c, "pub is not on the curve");
}

/* The library takes two numbers: the signature is cut in two here, which only one length allows. */
static int ecdsa_verify_call(cs_case *c)
{
    struct ecdsa_state *s = c->state;
    const struct nettle_curve *curve = curve_of(c);
    uint8_t digest[SHA512_DIGEST_SIZE];

    if (c->sig.len != 2 * curve->bytes)
        return CS_REJECTED;
    nettle_mpz_set_str_256_u(s->signature.r, curve->bytes, c->sig.data);
    nettle_mpz_set_str_256_u(s->signature.s, curve->bytes, c->sig.data + curve->bytes);
    hash_message(s, curve, c->msg, digest);
    return ecdsa_verify(&s->pub, curve->digest_bytes, digest, &s->signature) ? CS_OK : CS_REJECTED;
}

/* ---- ECDH ---- */

struct ecdh_state {
    struct ecc_scalar key;
    struct ecc_point peer;
    struct ecc_point shared;
    mpz_t x;
};

static void ecdh_teardown(cs_case *c)
{
    struct ecdh_state *s = c->state;

    mpz_clear(s->x);
    ecc_point_clear(&s->shared);
    ecc_point_clear(&s->peer);
    ecc_scalar_clear(&s->key);
    cs_teardown_state(c);
}

static int ecdh_setup(cs_case *c)
{
    const struct nettle_curve *curve = curve_of(c);
    struct ecdh_state *s = cs_new_state(c, sizeof *s);
    mpz_t y;
    int in_range, on_curve;

    if (s == NULL)
        return CS_ERROR;
    ecc_scalar_init(&s->key, curve->get());
    ecc_point_init(&s->peer, curve->get());
    ecc_point_init(&s->shared, curve->get());
    nettle_mpz_init_set_str_256_u(s->x, c->key.len, c->key.data);
    in_range = ecc_scalar_set(&s->key, s->x);
    nettle_mpz_set_str_256_u(s->x, curve->bytes, c->pub.data + 1);
    nettle_mpz_init_set_str_256_u(y, curve->bytes, c->pub.data + 1 + curve->bytes);
    on_curve = ecc_point_set(&s->peer, s->x, y);
    mpz_clear(y);
    c->out_len = curve->bytes;
    if (in_range && on_curve)
        return CS_OK;
    ecdh_teardown(c);
    return CS_BAD_KEY;
}

static int ecdh_call(cs_case *c)
{
    struct ecdh_state *s = c->state;

    ecc_point_mul(&s->shared, &s->key, &s->peer);
    ecc_point_get(&s->shared, s->x, NULL);
    nettle_mpz_get_str_256(c->out_len, c->out, s->x);
    return CS_OK;
}

/* clang-format off */
#define ECDH_ROW(CURVE, PARAM)                                                                                         \
    {.id = CURVE "/derive", .impl = "default", .name = "ecc_point_mul", .setup = ecdh_setup, .call = ecdh_call, .rekey = cs_setup_again, .teardown = ecdh_teardown, .param = &(PARAM)}
#define ECDSA_ROWS(ALGORITHM, NAME, PARAM)                                                                                \
    {.id = ALGORITHM "/sign", .impl = "default", .name = "ecdsa_sign " NAME, .setup = ecdsa_sign_setup, .call = ecdsa_sign_call, .rekey = cs_setup_again, .teardown = ecdsa_teardown, .param = &(PARAM), .form = "p1363", .seed = seed_random, .counts_random = 1}, \
    {.id = ALGORITHM "/verify", .impl = "default", .name = "ecdsa_verify " NAME, .setup = ecdsa_verify_setup, .call = ecdsa_verify_call, .rekey = cs_setup_again, .teardown = ecdsa_teardown, .param = &(PARAM), .form = "p1363"}

static const cs_op rows[] = {
    {.id = "x25519/derive", .impl = "default", .name = "curve25519_mul", .setup = x25519_setup, .call = x25519_call, .rekey = cs_key_in_call},
    {.id = "ed25519/sign", .impl = "default", .name = "ed25519_sha512_sign", .setup = ed25519_sign_setup, .call = ed25519_sign_call, .rekey = cs_key_in_call},
    {.id = "ed25519/verify", .impl = "default", .name = "ed25519_sha512_verify", .call = ed25519_verify_call, .rekey = cs_key_in_call},
    {.id = "ecdsa-p256-sha256/sign", .impl = "default", .name = "ecdsa_sign secp256r1", .setup = ecdsa_sign_setup, .call = ecdsa_sign_call, .rekey = cs_setup_again, .teardown = ecdsa_teardown, .form = "p1363", .seed = seed_random, .counts_random = 1},
    {.id = "ecdsa-p256-sha256/verify", .impl = "default", .name = "ecdsa_verify secp256r1", .setup = ecdsa_verify_setup, .call = ecdsa_verify_call, .rekey = cs_setup_again, .teardown = ecdsa_teardown, .form = "p1363"},
    ECDSA_ROWS("ecdsa-p384-sha384", "secp384r1", p384),
    ECDSA_ROWS("ecdsa-p521-sha512", "secp521r1", p521),
    ECDH_ROW("p-256", p256),
    ECDH_ROW("p-384", p384),
    ECDH_ROW("p-521", p521),
};
const cs_table nettle_pkey = CS_TABLE(rows);
/* clang-format on */
