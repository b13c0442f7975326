/* SPDX-License-Identifier: Apache-2.0
 *
 * Nettle with Hogweed: DSA.
 *
 * Entry points: dsa_sign, dsa_verify, dsa_generate_keypair, dsa_generate_params.
 */
#include <string.h>

#include <nettle/bignum.h>
#include <nettle/dsa.h>
#include <nettle/sha2.h>

#include "dsa.h"
#include "adapter.h"

struct dsa {
    struct dsa_params domain;
    mpz_t x;
    mpz_t y;
    struct dsa_signature signature;
    cs_span seed;
    cs_stream stream; /* of `seed`, from its beginning in each call */
    int exhausted;
};

static void dsa_teardown(cs_case *c)
{
    struct dsa *s = c->state;

    dsa_signature_clear(&s->signature);
    mpz_clear(s->y);
    mpz_clear(s->x);
    dsa_params_clear(&s->domain);
    cs_teardown_state(c);
}

static void take(mpz_t number, cs_span from)
{
    nettle_mpz_set_str_256_u(number, from.len, from.data);
}

static int open_domain(cs_case *c, const cs_dsa_key *of)
{
    struct dsa *s = cs_new_state(c, sizeof *s);

    if (s == NULL)
        return CS_ERROR;
    dsa_params_init(&s->domain);
    mpz_init(s->x);
    mpz_init(s->y);
    dsa_signature_init(&s->signature);
    take(s->domain.p, of->p);
    take(s->domain.q, of->q);
    take(s->domain.g, of->g);
    return CS_OK;
}

static int dsa_setup(cs_case *c)
{
    const cs_dsa_key of = cs_dsa_numbers(c);
    struct dsa *s;

    if (open_domain(c, &of) != CS_OK)
        return CS_ERROR;
    s = c->state;
    take(s->y, of.y);
    if (of.x.data != NULL) {
        take(s->x, of.x);
        c->out_len = CS_DSA_SIGNATURE;
    }
    return CS_OK;
}

static void digest(cs_span msg, uint8_t hash[SHA256_DIGEST_SIZE])
{
    struct sha256_ctx ctx;

    sha256_init(&ctx);
    sha256_update(&ctx, msg.len, msg.data);
    sha256_digest(&ctx, SHA256_DIGEST_SIZE, hash);
}

static int dsa_sign_call(cs_case *c)
{
    struct dsa *s = c->state;
    uint8_t hash[SHA256_DIGEST_SIZE];

    digest(c->msg, hash);
    if (!dsa_sign(&s->domain, s->x, &random_state, draw_random, sizeof hash, hash, &s->signature))
        return cs_fail("dsa_sign");
    nettle_mpz_get_str_256(CS_DSA_Q, c->out, s->signature.r);
    nettle_mpz_get_str_256(CS_DSA_Q, c->out + CS_DSA_Q, s->signature.s);
    return CS_OK;
}

/* The library takes two numbers. The signature is split here, so only one length is possible. */
static int dsa_verify_call(cs_case *c)
{
    struct dsa *s = c->state;
    uint8_t hash[SHA256_DIGEST_SIZE];

    if (c->sig.len != CS_DSA_SIGNATURE)
        return CS_REJECTED;
    nettle_mpz_set_str_256_u(s->signature.r, CS_DSA_Q, c->sig.data);
    nettle_mpz_set_str_256_u(s->signature.s, CS_DSA_Q, c->sig.data + CS_DSA_Q);
    digest(c->msg, hash);
    return dsa_verify(&s->domain, s->y, sizeof hash, hash, &s->signature) ? CS_OK : CS_REJECTED;
}

static int dsa_generate_setup(cs_case *c)
{
    if (open_domain(c, &cs_dsa_rfc5114) != CS_OK)
        return CS_ERROR;
    ((struct dsa *)c->state)->seed = cs_input(c, "seed");
    return CS_OK;
}

/* A generator cannot report the end of the seed to the library: then the library gets bytes that let it end. */
static void draw(void *state, size_t length, uint8_t *dst)
{
    struct dsa *s = state;

    if (s->seed.data == NULL)
        draw_random(&random_state, length, dst);
    else if (cs_draw(&s->stream, dst, length) != CS_OK) {
        s->exhausted = 1;
        memset(dst, 1, length);
    }
}

static int dsa_keygen_call(cs_case *c)
{
    struct dsa *s = c->state;
    const cs_dsa_pair pair = cs_dsa_new_pair(c);

    s->stream.left = s->seed;
    s->exhausted = 0;
    dsa_generate_keypair(&s->domain, s->y, s->x, s, draw);
    nettle_mpz_get_str_256(CS_DSA_Q, pair.x, s->x);
    nettle_mpz_get_str_256(CS_DSA_P, pair.y, s->y);
    return s->exhausted ? CS_ERROR : CS_OK;
}

static int dsa_paramgen_call(cs_case *c)
{
    struct dsa *s = c->state;

    if (!dsa_generate_params(&s->domain, &random_state, draw_random, NULL, NULL, CS_DSA_P_BITS, CS_DSA_Q_BITS))
        return cs_fail("dsa_generate_params");
    nettle_mpz_get_str_256(CS_DSA_P, c->out, s->domain.p);
    nettle_mpz_get_str_256(CS_DSA_Q, c->out + CS_DSA_AT_Q, s->domain.q);
    nettle_mpz_get_str_256(CS_DSA_P, c->out + CS_DSA_AT_G, s->domain.g);
    c->out_len = CS_DSA_DOMAIN;
    return CS_OK;
}

#define DSA_ROW(VERB, NAME, SETUP, ...)                                                                                \
    {.id = "dsa-2048-sha256/" #VERB,                                                                                   \
     .impl = "default",                                                                                                \
     .name = NAME,                                                                                                     \
     .setup = SETUP,                                                                                                   \
     .call = dsa_##VERB##_call,                                                                                        \
     .teardown = dsa_teardown,                                                                                         \
     __VA_ARGS__}
#define DSA_DRAWING .seed = seed_random, .counts_random = 1

static const cs_op rows[] = {
    DSA_ROW(sign, "dsa_sign", dsa_setup, .rekey = cs_setup_again, .form = "p1363", DSA_DRAWING),
    DSA_ROW(verify, "dsa_verify", dsa_setup, .rekey = cs_setup_again, .form = "p1363"),
    DSA_ROW(keygen, "dsa_generate_keypair", dsa_generate_setup, .seeded = 1, DSA_DRAWING),
    DSA_ROW(paramgen, "dsa_generate_params", dsa_generate_setup, DSA_DRAWING),
};
const cs_table nettle_dsa = CS_TABLE(rows);
