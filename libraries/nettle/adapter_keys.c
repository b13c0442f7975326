/* SPDX-License-Identifier: Apache-2.0
 *
 * Nettle with Hogweed: key generation, and agreement with ephemeral keys. The caller supplies the randomness: Yarrow,
 * the library's own generator, or a seed.
 *
 * Entry points: curve25519_mul_g, ed25519_sha512_public_key, ecdsa_generate_keypair, rsa_generate_keypair, yarrow256_*.
 */
#include <string.h>

#include <nettle/bignum.h>
#include <nettle/curve25519.h>
#include <nettle/curve448.h>
#include <nettle/ecc-curve.h>
#include <nettle/ecdsa.h>
#include <nettle/eddsa.h>
#include <nettle/rsa.h>

#include "adapter.h"

enum { RSA_PUBLIC_EXPONENT = 65537 };

struct keygen_state {
    cs_span seed;
    cs_stream stream; /* of `seed`, from its beginning in each call */
    int exhausted;
    struct ecc_scalar scalar;
    struct ecc_point point;
    mpz_t x;
    mpz_t y;
    struct rsa_public_key pub;
    struct rsa_private_key key;
};

static int rsa_keygen_call(cs_case *c);

/* An RSA row's `param` is its length in bits, and no curve is used. */
static const struct ecc_curve *keygen_curve(const cs_case *c)
{
    return c->op->call == rsa_keygen_call ? nettle_get_secp_256r1() : curve_of(c)->get();
}

static int keygen_setup(cs_case *c)
{
    struct keygen_state *s = cs_new_state(c, sizeof *s);

    if (s == NULL)
        return CS_ERROR;
    s->seed = cs_input(c, "seed");
    ecc_scalar_init(&s->scalar, keygen_curve(c));
    ecc_point_init(&s->point, keygen_curve(c));
    mpz_init(s->x);
    mpz_init(s->y);
    rsa_public_key_init(&s->pub);
    rsa_private_key_init(&s->key);
    return CS_OK;
}

static void keygen_teardown(cs_case *c)
{
    struct keygen_state *s = c->state;

    rsa_private_key_clear(&s->key);
    rsa_public_key_clear(&s->pub);
    mpz_clear(s->y);
    mpz_clear(s->x);
    ecc_point_clear(&s->point);
    ecc_scalar_clear(&s->scalar);
    cs_teardown_state(c);
}

static struct keygen_state *begin(cs_case *c)
{
    struct keygen_state *s = c->state;

    s->stream.left = s->seed;
    s->exhausted = 0;
    return s;
}

/* A generator cannot report the end of the seed to the library: then the library gets bytes that let it end. */
static void draw(void *state, size_t length, uint8_t *dst)
{
    struct keygen_state *s = state;

    if (s->seed.data == NULL)
        draw_random(&random_state, length, dst);
    else if (cs_draw(&s->stream, dst, length) != CS_OK) {
        s->exhausted = 1;
        memset(dst, 1, length);
    }
}

static int end(const struct keygen_state *s, cs_case *c, size_t len)
{
    c->out_len = len;
    return s->exhausted ? CS_ERROR : CS_OK;
}

static int x25519_keygen_call(cs_case *c)
{
    struct keygen_state *s = begin(c);

    draw(s, CURVE25519_SIZE, c->out);
    curve25519_mul_g(c->out + CURVE25519_SIZE, c->out);
    return end(s, c, 2 * CURVE25519_SIZE);
}

static int ed25519_keygen_call(cs_case *c)
{
    struct keygen_state *s = begin(c);

    draw(s, ED25519_KEY_SIZE, c->out);
    ed25519_sha512_public_key(c->out + ED25519_KEY_SIZE, c->out);
    return end(s, c, 2 * ED25519_KEY_SIZE);
}

static int x448_keygen_call(cs_case *c)
{
    struct keygen_state *s = begin(c);

    draw(s, CURVE448_SIZE, c->out);
    curve448_mul_g(c->out + CURVE448_SIZE, c->out);
    return end(s, c, 2 * CURVE448_SIZE);
}

static int ed448_keygen_call(cs_case *c)
{
    struct keygen_state *s = begin(c);

    draw(s, ED448_KEY_SIZE, c->out);
    ed448_shake256_public_key(c->out + ED448_KEY_SIZE, c->out);
    return end(s, c, 2 * ED448_KEY_SIZE);
}

static void put_point(struct keygen_state *s, uint8_t *at, size_t bytes)
{
    ecc_point_get(&s->point, s->x, s->y);
    at[0] = 4;
    nettle_mpz_get_str_256(bytes, at + 1, s->x);
    nettle_mpz_get_str_256(bytes, at + 1 + bytes, s->y);
}

static int ec_keygen_call(cs_case *c)
{
    struct keygen_state *s = begin(c);
    const size_t bytes = curve_of(c)->bytes;

    ecdsa_generate_keypair(&s->point, &s->scalar, s, draw);
    ecc_scalar_get(&s->scalar, s->x);
    nettle_mpz_get_str_256(bytes, c->out, s->x);
    put_point(s, c->out + bytes, bytes);
    return end(s, c, 3 * bytes + 1);
}

/* ---- multiples of the generator ---- */

static int x25519_base_call(cs_case *c)
{
    curve25519_mul_g(c->out, c->key.data);
    return CS_OK;
}

static int ec_base_setup(cs_case *c)
{
    struct keygen_state *s;

    if (keygen_setup(c) != CS_OK)
        return CS_ERROR;
    s = c->state;
    nettle_mpz_set_str_256_u(s->x, c->key.len, c->key.data);
    c->out_len = 2 * curve_of(c)->bytes + 1;
    if (ecc_scalar_set(&s->scalar, s->x))
        return CS_OK;
    keygen_teardown(c);
    return cs_fail("the private key is not from 1 to the order less 1");
}

static int ec_base_call(cs_case *c)
{
    struct keygen_state *s = c->state;

    ecc_point_mul_g(&s->point, &s->scalar);
    put_point(s, c->out, curve_of(c)->bytes);
    return CS_OK;
}

/* ---- agreement with an ephemeral key ---- */

static int x25519_agree_setup(cs_case *c)
{
    c->out_len = 2 * CURVE25519_SIZE;
    return CS_OK;
}

static int x25519_agree_call(cs_case *c)
{
    uint8_t key[CURVE25519_SIZE];

    draw_random(&random_state, sizeof key, key);
    curve25519_mul_g(c->out, key);
    curve25519_mul(c->out + CURVE25519_SIZE, key, c->pub.data);
    return CS_OK;
}

/* Setting a point checks that it is on the curve. */
static int ec_agree_call(cs_case *c)
{
    struct keygen_state *s = c->state;
    const size_t bytes = curve_of(c)->bytes;

    ecdsa_generate_keypair(&s->point, &s->scalar, &random_state, draw_random);
    put_point(s, c->out, bytes);
    nettle_mpz_set_str_256_u(s->x, bytes, c->pub.data + 1);
    nettle_mpz_set_str_256_u(s->y, bytes, c->pub.data + 1 + bytes);
    if (!ecc_point_set(&s->point, s->x, s->y))
        return CS_BAD_KEY;
    ecc_point_mul(&s->point, &s->scalar, &s->point);
    ecc_point_get(&s->point, s->x, NULL);
    nettle_mpz_get_str_256(bytes, c->out + c->pub.len, s->x);
    c->out_len = c->pub.len + bytes;
    return CS_OK;
}

/* ---- RSA ---- */

static int rsa_keygen_call(cs_case *c)
{
    struct keygen_state *s = begin(c);
    const mpz_srcptr part[CS_CRT_PARTS] = {
        [CS_CRT_P] = s->key.p,  [CS_CRT_Q] = s->key.q,    [CS_CRT_DP] = s->key.a,
        [CS_CRT_DQ] = s->key.b, [CS_CRT_QINV] = s->key.c,
    };
    const unsigned *bits = c->op->param;
    size_t half = CS_RSA_PART_OF(*bits);
    uint8_t *at = c->out;

    mpz_set_ui(s->pub.e, RSA_PUBLIC_EXPONENT);
    if (!rsa_generate_keypair(&s->pub, &s->key, s, draw, NULL, NULL, *bits, 0))
        return cs_fail("rsa_generate_keypair");
    for (int i = 0; i < CS_CRT_PARTS; i++, at += half)
        nettle_mpz_get_str_256(half, at, part[i]);
    nettle_mpz_get_str_256(2 * half, at, s->pub.n);
    nettle_mpz_get_str_256(CS_RSA_EXPONENT, at + 2 * half, s->pub.e);
    return end(s, c, CS_RSA_PAIR_OF(*bits));
}

#define KEYGEN_PARAM_ROW(ALGORITHM, NAME, CALL, SEEDED, PARAM)                                                         \
    {.id = ALGORITHM "/keygen",                                                                                        \
     .impl = "default",                                                                                                \
     .name = NAME,                                                                                                     \
     .setup = keygen_setup,                                                                                            \
     .call = CALL,                                                                                                     \
     .teardown = keygen_teardown,                                                                                      \
     .param = PARAM,                                                                                                   \
     .seed = seed_random,                                                                                              \
     .counts_random = 1,                                                                                               \
     .seeded = SEEDED}
#define KEYGEN_ROW(ALGORITHM, NAME, CALL, SEEDED) KEYGEN_PARAM_ROW(ALGORITHM, NAME, CALL, SEEDED, NULL)
/* `param` is the length of the modulus in bits. */
#define RSA_KEYGEN_ROW(ALGORITHM, BITS)                                                                                \
    KEYGEN_PARAM_ROW(ALGORITHM, "rsa_generate_keypair", rsa_keygen_call, 0, &(const unsigned){BITS})

/* clang-format off */
#define AGREE_ROW(CURVE, PARAM)                                                                                        \
    {.id = CURVE "/agree", .impl = "default", .name = "ecdsa_generate_keypair, ecc_point_mul", .setup = keygen_setup, .call = ec_agree_call, .rekey = cs_key_in_call, .teardown = keygen_teardown, .param = &(PARAM), .seed = seed_random, .counts_random = 1}
#define BASE_ROW(CURVE, PARAM)                                                                                         \
    {.id = CURVE "/multiply-base", .impl = "default", .name = "ecc_point_mul_g", .setup = ec_base_setup, .call = ec_base_call, .teardown = keygen_teardown, .param = &(PARAM)}

static const cs_op rows[] = {
    KEYGEN_ROW("x25519", "curve25519_mul_g", x25519_keygen_call, 1),
    KEYGEN_ROW("ed25519", "ed25519_sha512_public_key", ed25519_keygen_call, 1),
    KEYGEN_ROW("x448", "curve448_mul_g", x448_keygen_call, 1),
    KEYGEN_ROW("ed448", "ed448_shake256_public_key", ed448_keygen_call, 1),
    KEYGEN_ROW("p-256", "ecdsa_generate_keypair", ec_keygen_call, 1),
    KEYGEN_PARAM_ROW("p-384", "ecdsa_generate_keypair", ec_keygen_call, 1, &p384),
    KEYGEN_PARAM_ROW("p-521", "ecdsa_generate_keypair", ec_keygen_call, 1, &p521),
    RSA_KEYGEN_ROW("rsa-2048", 2048),
    RSA_KEYGEN_ROW("rsa-3072", 3072),
    RSA_KEYGEN_ROW("rsa-4096", 4096),
    {.id = "x25519/agree", .impl = "default", .name = "curve25519_mul_g, curve25519_mul", .setup = x25519_agree_setup, .call = x25519_agree_call, .rekey = cs_key_in_call, .seed = seed_random, .counts_random = 1},
    AGREE_ROW("p-256", p256),
    AGREE_ROW("p-384", p384),
    {.id = "x25519/multiply-base", .impl = "default", .name = "curve25519_mul_g", .setup = x25519_setup, .call = x25519_base_call},
    BASE_ROW("p-256", p256),
    BASE_ROW("p-384", p384),
    BASE_ROW("p-521", p521),
};
const cs_table nettle_keys = CS_TABLE(rows);
/* clang-format on */
