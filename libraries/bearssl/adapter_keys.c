/* SPDX-License-Identifier: Apache-2.0
 *
 * BearSSL adapter: key generation, and agreement with ephemeral keys. The caller supplies the generator: the library's
 * HMAC_DRBG, seeded by the system, or a seed.
 */
#include "adapter.h"

#include <string.h>

enum { X25519_LEN = 32, RSA_MOST_BITS = 4096, RSA_PUBLIC_EXPONENT = 65537 };

/* A generator with the library's interface that returns the bytes of a seed. It cannot report the end of the seed: then
 * its callers get bytes that let them end, and the call fails. */
struct seed_prng {
    const br_prng_class *vtable;
    cs_stream stream;
    int exhausted;
};

static void seed_init(const br_prng_class **ctx, const void *params, const void *seed, size_t len)
{
    (void)ctx;
    (void)params;
    (void)seed;
    (void)len;
}

static void seed_generate(const br_prng_class **ctx, void *out, size_t len)
{
    struct seed_prng *prng = (struct seed_prng *)(void *)ctx;

    if (cs_draw(&prng->stream, out, len) != CS_OK) {
        prng->exhausted = 1;
        memset(out, 1, len);
    }
}

static void seed_update(const br_prng_class **ctx, const void *seed, size_t len)
{
    (void)ctx;
    (void)seed;
    (void)len;
}

static const br_prng_class seed_class = {
    .context_size = sizeof(struct seed_prng), .init = seed_init, .generate = seed_generate, .update = seed_update};

/* The library's generator, of which a process has one. */
static br_hmac_drbg_context drbg;

static void counted_generate(const br_prng_class **ctx, void *out, size_t len)
{
    (void)ctx;
    cs_random_drawn(len);
    br_hmac_drbg_generate(&drbg, out, len);
}

static const br_prng_class counted_class = {
    .context_size = sizeof(br_prng_class *), .init = seed_init, .generate = counted_generate, .update = seed_update};
static const br_prng_class *counted = &counted_class;

const char *bear_seed(void)
{
    br_prng_seeder seeder = br_prng_seeder_system(NULL);

    br_hmac_drbg_init(&drbg, &br_sha256_vtable, NULL, 0);
    return seeder != 0 && seeder(&drbg.vtable) ? NULL : "br_prng_seeder_system fails";
}

struct keygen_state {
    struct seed_prng prng;
    cs_span seed;
    const br_ec_impl *ec;
    br_rsa_keygen generate;
    uint8_t key[BR_RSA_KBUF_PRIV_SIZE(RSA_MOST_BITS)];
    uint8_t pub[BR_RSA_KBUF_PUB_SIZE(RSA_MOST_BITS)];
};

static struct keygen_state *new_keygen(cs_case *c)
{
    struct keygen_state *s = cs_alloc(sizeof *s);

    if (s == NULL) {
        return NULL;
    }
    s->seed = cs_input(c, "seed");
    c->state = s;
    return s;
}

const br_prng_class **bear_generator(void)
{
    return cs_counts_random() ? &counted : &drbg.vtable;
}

static const br_prng_class **generator(struct keygen_state *s)
{
    s->prng.vtable = &seed_class;
    s->prng.stream.left = s->seed;
    s->prng.exhausted = 0;
    if (s->seed.data != NULL) {
        return &s->prng.vtable;
    }
    return bear_generator();
}

/* -- curves -- */

static int bear_ec_keygen_setup(cs_case *c)
{
    struct keygen_state *s = new_keygen(c);

    if (s == NULL) {
        return CS_ERROR;
    }
    s->ec = br_ec_get_default();
    return CS_OK;
}

/* Writes the pair at the output, and its length. */
static int ec_pair(cs_case *c, int curve, size_t key_len, size_t pub_len)
{
    struct keygen_state *s = c->state;
    br_ec_private_key key;

    if (br_ec_keygen(generator(s), s->ec, &key, c->out, curve) != key_len ||
        br_ec_compute_pub(s->ec, NULL, c->out + key_len, &key) != pub_len || s->prng.exhausted) {
        return CS_ERROR;
    }
    c->out_len = key_len + pub_len;
    return CS_OK;
}

static int bear_x25519_keygen(cs_case *c)
{
    int status = ec_pair(c, BR_EC_curve25519, X25519_LEN, X25519_LEN);

    for (size_t i = 0; i < X25519_LEN / 2 && SCALAR_IS_REVERSED; i++) {
        uint8_t byte = c->out[i];
        c->out[i] = c->out[X25519_LEN - 1 - i];
        c->out[X25519_LEN - 1 - i] = byte;
    }
    return status;
}

static int bear_p256_keygen(cs_case *c)
{
    return ec_pair(c, BR_EC_secp256r1, CS_P256_BYTES, CS_P256_POINT);
}

static int bear_p384_keygen(cs_case *c)
{
    return ec_pair(c, BR_EC_secp384r1, CS_P384_BYTES, CS_P384_POINT);
}

static int bear_p521_keygen(cs_case *c)
{
    return ec_pair(c, BR_EC_secp521r1, CS_P521_BYTES, CS_P521_POINT);
}

/* -- agreement with an ephemeral key, by the functions that the library's handshake takes -- */

/* The `param` of an agreement. `key_len`: of a scalar and of the secret. */
struct curve {
    int id;
    size_t key_len;
    size_t pub_len;
};

static int bear_agree_setup(cs_case *c)
{
    const struct curve *of = c->op->param;

    if (bear_ec_keygen_setup(c) != CS_OK) {
        return CS_ERROR;
    }
    c->out_len = of->pub_len + of->key_len;
    return CS_OK;
}

/* The peer's point is multiplied in place; the multiplication refuses an invalid point. */
static int bear_agree(cs_case *c)
{
    const struct curve *of = c->op->param;
    struct keygen_state *s = c->state;
    br_ec_private_key key;
    size_t x_len;

    if (br_ec_keygen(generator(s), s->ec, &key, s->key, of->id) != of->key_len ||
        br_ec_compute_pub(s->ec, NULL, c->out, &key) != of->pub_len) {
        return CS_ERROR;
    }
    memcpy(s->pub, c->pub.data, of->pub_len);
    if (s->ec->mul(s->pub, of->pub_len, key.x, key.xlen, of->id) != 1) {
        return CS_BAD_KEY;
    }
    memcpy(c->out + of->pub_len, s->pub + s->ec->xoff(of->id, &x_len), of->key_len);
    return CS_OK;
}

static const struct curve bear_agree_x25519 = {BR_EC_curve25519, X25519_LEN, X25519_LEN};
static const struct curve bear_agree_p256 = {BR_EC_secp256r1, CS_P256_BYTES, CS_P256_POINT};
static const struct curve bear_agree_p384 = {BR_EC_secp384r1, CS_P384_BYTES, CS_P384_POINT};

/* -- RSA -- */

struct keygen_lane {
    br_rsa_keygen generate;
    br_rsa_keygen (*get)(void);
    const char *missing;
};

/* `bits`: of the modulus. */
struct keygen_param {
    const struct keygen_lane *lane;
    unsigned bits;
};

static const struct keygen_lane bear_keygen_default = {.get = br_rsa_keygen_get_default,
                                                       .missing = "br_rsa_keygen_get_default returns NULL"};
static const struct keygen_lane bear_keygen_i15 = {.generate = br_rsa_i15_keygen};
static const struct keygen_lane bear_keygen_i31 = {.generate = br_rsa_i31_keygen};
static const struct keygen_lane bear_keygen_i62 = {
    .get = br_rsa_i62_keygen_get, .missing = "br_rsa_i62_keygen_get returns NULL: no 64x64 bit multiplication"};

static br_rsa_keygen lane_keygen(const struct keygen_lane *lane)
{
    return lane->get != NULL ? lane->get() : lane->generate;
}

static const char *bear_rsa_keygen_unavailable(const cs_op *op)
{
    const struct keygen_param *of = op->param;

    return lane_keygen(of->lane) != 0 ? NULL : of->lane->missing;
}

static int bear_rsa_keygen_setup(cs_case *c)
{
    const struct keygen_param *of = c->op->param;
    struct keygen_state *s = new_keygen(c);

    if (s == NULL) {
        return CS_ERROR;
    }
    s->generate = lane_keygen(of->lane);
    c->out_len = CS_RSA_PAIR_OF(of->bits);
    return CS_OK;
}

static int bear_rsa_keygen(cs_case *c)
{
    const struct keygen_param *of = c->op->param;
    size_t half = CS_RSA_PART_OF(of->bits);
    struct keygen_state *s = c->state;
    br_rsa_private_key key;
    br_rsa_public_key pub;
    uint8_t *at = c->out;

    if (s->generate(generator(s), &key, s->key, &pub, s->pub, of->bits, RSA_PUBLIC_EXPONENT) != 1) {
        return CS_ERROR;
    }
    const cs_span part[CS_CRT_PARTS] = {
        [CS_CRT_P] = {key.p, key.plen},    [CS_CRT_Q] = {key.q, key.qlen},      [CS_CRT_DP] = {key.dp, key.dplen},
        [CS_CRT_DQ] = {key.dq, key.dqlen}, [CS_CRT_QINV] = {key.iq, key.iqlen},
    };
    for (int i = 0; i < CS_CRT_PARTS; i++, at += half) {
        if (cs_put_number(at, half, part[i]) != CS_OK) {
            return CS_ERROR;
        }
    }
    if (cs_put_number(at, 2 * half, (cs_span){pub.n, pub.nlen}) != CS_OK) {
        return CS_ERROR;
    }
    return cs_put_number(at + 2 * half, CS_RSA_EXPONENT, (cs_span){pub.e, pub.elen});
}

/* -- rows -- */

/* clang-format off */
#define AGREE(ALGORITHM, CURVE)                                                                                        \
    {.id = ALGORITHM "/agree", .impl = "default", .name = "br_ec_keygen, br_ec_compute_pub, br_ec_get_default mul", .setup = bear_agree_setup, .call = bear_agree, .rekey = cs_key_in_call, .teardown = cs_teardown_state, .param = &bear_agree_##CURVE, .seed = bear_seed, .counts_random = 1}
#define EC_KEYGEN(ALGORITHM, CURVE)                                                                                    \
    {.id = ALGORITHM "/keygen", .impl = "default", .name = "br_ec_keygen, br_ec_compute_pub", .setup = bear_ec_keygen_setup, .call = bear_##CURVE##_keygen, .teardown = cs_teardown_state, .seed = bear_seed, .counts_random = 1, .seeded = 1}
#define RSA_KEYGEN(BITS, IMPL, NAME, LANE)                                                                             \
    {.id = "rsa-" #BITS "/keygen", .impl = IMPL, .name = NAME, .setup = bear_rsa_keygen_setup, .call = bear_rsa_keygen, .teardown = cs_teardown_state, .param = &(const struct keygen_param){&bear_keygen_##LANE, BITS}, .unavailable = bear_rsa_keygen_unavailable, .seed = bear_seed, .counts_random = 1}

static const cs_op rows[] = {
    AGREE("x25519", x25519),
    AGREE("p-256", p256),
    AGREE("p-384", p384),
    EC_KEYGEN("x25519", x25519),
    EC_KEYGEN("p-256", p256),
    EC_KEYGEN("p-384", p384),
    EC_KEYGEN("p-521", p521),
    /* A search for large primes takes minutes: 3072 bits by words of 62 bits alone, 4096 by none. */
    RSA_KEYGEN(2048, "default", "br_rsa_keygen_get_default", default),
    RSA_KEYGEN(3072, "default", "br_rsa_keygen_get_default", default),
    RSA_KEYGEN(2048, "i15", "br_rsa_i15_keygen", i15),
    RSA_KEYGEN(2048, "i31", "br_rsa_i31_keygen", i31),
    RSA_KEYGEN(2048, "i62", "br_rsa_i62_keygen", i62),
    RSA_KEYGEN(3072, "i62", "br_rsa_i62_keygen", i62),
};
/* clang-format on */

const cs_table bearssl_keys = CS_TABLE(rows);
