/* SPDX-License-Identifier: Apache-2.0
 *
 * LibTomCrypt: DSA.
 *
 * Entry points: dsa_set_pqg, dsa_set_key, dsa_sign_hash, dsa_verify_hash, dsa_generate_key, dsa_generate_pqg.
 */
#include "adapter.h"
#include "dsa.h"

#include <string.h>

struct dsa {
    dsa_key key;
    hash_state hash;
};

/* A key without its own numbers; nothing to free if that fails. */
static int set_domain(const cs_dsa_key *of, dsa_key *key)
{
    return dsa_set_pqg(of->p.data, of->p.len, of->q.data, of->q.len, of->g.data, of->g.len, key);
}

static void dsa_teardown(cs_case *c)
{
    struct dsa *s = c->state;

    dsa_free(&s->key);
    cs_teardown_state(c);
}

/* To read a private key is to compute its public value. */
static int dsa_setup(cs_case *c)
{
    const cs_dsa_key of = cs_dsa_numbers(c);
    const int type = of.x.data != NULL ? PK_PRIVATE : PK_PUBLIC;
    const cs_span number = of.x.data != NULL ? of.x : of.y;
    struct dsa *s = cs_new_state(c, sizeof *s);
    int error;

    if (s == NULL)
        return CS_ERROR;
    error = set_domain(&of, &s->key);
    if (error != CRYPT_OK) {
        cs_teardown_state(c);
        return from_ltc(error);
    }
    error = dsa_set_key(number.data, number.len, type, &s->key);
    if (error != CRYPT_OK)
        dsa_teardown(c);
    return from_ltc(error);
}

static int digest(const cs_case *c, unsigned char out[MAXBLOCKSIZE])
{
    struct dsa *s = c->state;
    int error = sha256_init(&s->hash);

    if (error == CRYPT_OK)
        error = sha256_process(&s->hash, c->msg.data, c->msg.len);
    return error == CRYPT_OK ? sha256_done(&s->hash, out) : error;
}

static int dsa_sign_call(cs_case *c)
{
    struct dsa *s = c->state;
    unsigned char hash[MAXBLOCKSIZE];
    unsigned long len = c->out_cap;
    int error = digest(c, hash);

    if (error == CRYPT_OK)
        error = dsa_sign_hash(hash, sha256_desc.hashsize, c->out, &len, &random_state, random_prng, &s->key);
    c->out_len = len;
    return from_ltc(error);
}

/* A signature that cannot be read is an error to the library; so is memory that is not there. */
static int dsa_verify_call(cs_case *c)
{
    struct dsa *s = c->state;
    unsigned char hash[MAXBLOCKSIZE];
    int good = 0;
    int error = digest(c, hash);

    if (error != CRYPT_OK)
        return from_ltc(error);
    error = dsa_verify_hash(c->sig.data, c->sig.len, hash, sha256_desc.hashsize, &good, &s->key);
    if (error == CRYPT_MEM)
        return from_ltc(error);
    return error == CRYPT_OK && good ? CS_OK : CS_REJECTED;
}

/* ---- keys and domain parameters ---- */

static int dsa_generate_setup(cs_case *c)
{
    (void)c;
    return CS_OK;
}

/* A number as exactly `len` bytes. */
static int put(void *number, uint8_t *out, size_t len)
{
    size_t bytes = ltc_mp.unsigned_size(number);

    if (bytes > len)
        return CRYPT_BUFFER_OVERFLOW;
    memset(out, 0, len - bytes);
    return ltc_mp.unsigned_write(number, out + len - bytes);
}

/* A key is filled once: setting the domain parameters is part of the call. */
static int dsa_keygen_call(cs_case *c)
{
    const cs_dsa_pair pair = cs_dsa_new_pair(c);
    dsa_key key;
    int error = set_domain(&cs_dsa_rfc5114, &key);

    if (error != CRYPT_OK)
        return from_ltc(error);
    error = dsa_generate_key(&random_state, random_prng, &key);
    if (error == CRYPT_OK)
        error = put(key.x, pair.x, CS_DSA_Q);
    if (error == CRYPT_OK)
        error = put(key.y, pair.y, CS_DSA_P);
    dsa_free(&key);
    return from_ltc(error);
}

static int dsa_paramgen_call(cs_case *c)
{
    dsa_key made;
    int error = dsa_generate_pqg(&random_state, random_prng, CS_DSA_Q, CS_DSA_P, &made);

    if (error != CRYPT_OK)
        return from_ltc(error);
    c->out_len = CS_DSA_DOMAIN;
    error = put(made.p, c->out, CS_DSA_P);
    if (error == CRYPT_OK)
        error = put(made.q, c->out + CS_DSA_AT_Q, CS_DSA_Q);
    if (error == CRYPT_OK)
        error = put(made.g, c->out + CS_DSA_AT_G, CS_DSA_P);
    dsa_free(&made);
    return from_ltc(error);
}

/* ---- rows ---- */

/* clang-format off */
static const cs_op rows[] = {
    {.id = "dsa-2048-sha256/sign", .impl = "default", .name = "dsa_sign_hash", .setup = dsa_setup, .call = dsa_sign_call, .rekey = cs_setup_again, .teardown = dsa_teardown, .form = "der", .seed = seed_random, .counts_random = 1},
    {.id = "dsa-2048-sha256/verify", .impl = "default", .name = "dsa_verify_hash", .setup = dsa_setup, .call = dsa_verify_call, .rekey = cs_setup_again, .teardown = dsa_teardown, .form = "der"},
    {.id = "dsa-2048-sha256/keygen", .impl = "default", .name = "dsa_generate_key", .setup = dsa_generate_setup, .call = dsa_keygen_call, .seed = seed_random, .counts_random = 1},
    {.id = "dsa-2048-sha256/paramgen", .impl = "default", .name = "dsa_generate_pqg", .setup = dsa_generate_setup, .call = dsa_paramgen_call, .seed = seed_random, .counts_random = 1},
};
/* clang-format on */

const cs_table libtomcrypt_dsa = CS_TABLE(rows);
