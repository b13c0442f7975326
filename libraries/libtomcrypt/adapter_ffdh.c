/* SPDX-License-Identifier: Apache-2.0
 *
 * LibTomCrypt: key agreement in finite fields.
 *
 * Entry points: dh_set_pg, dh_set_key, dh_shared_secret, dh_generate_key, dh_export_key.
 */
#include "adapter.h"
#include "ffdhe.h"

struct agreement {
    dh_key key;
    dh_key peer;
};

static int set_group(const struct cs_ffdhe *of, dh_key *key)
{
    static const unsigned char generator[] = {CS_FFDHE_GENERATOR};

    return dh_set_pg(of->p, of->bytes, generator, sizeof generator, key);
}

/* A key of the row's group with a number of `type`; freed if it is refused. */
static int read_key(const cs_case *c, cs_span number, int type, dh_key *key)
{
    int error = set_group(c->op->param, key);

    if (error != CRYPT_OK)
        return error;
    error = dh_set_key(number.data, number.len, type, key);
    if (error != CRYPT_OK)
        dh_free(key);
    return error;
}

static void ffdh_teardown(cs_case *c)
{
    struct agreement *s = c->state;

    dh_free(&s->peer);
    dh_free(&s->key);
    cs_teardown_state(c);
}

/* To read a private key is to compute its public value. */
static int ffdh_setup(cs_case *c)
{
    struct agreement *s = cs_new_state(c, sizeof *s);
    int error;

    if (s == NULL)
        return CS_ERROR;
    c->out_len = c->pub.len;
    error = read_key(c, c->key, PK_PRIVATE, &s->key);
    if (error != CRYPT_OK) {
        cs_teardown_state(c);
        return from_ltc(error);
    }
    error = read_key(c, c->pub, PK_PUBLIC, &s->peer);
    if (error == CRYPT_OK)
        return CS_OK;
    dh_free(&s->key);
    cs_teardown_state(c);
    return error == CRYPT_INVALID_ARG ? CS_BAD_KEY : from_ltc(error);
}

/* The public value is checked in every call too. The secret comes without leading zeros. */
static int ffdh_call(cs_case *c)
{
    struct agreement *s = c->state;
    unsigned char secret[CS_FFDHE_MAX];
    unsigned long len = sizeof secret;
    int error = dh_shared_secret(&s->key, &s->peer, secret, &len);

    if (error == CRYPT_INVALID_ARG)
        return CS_BAD_KEY;
    return error == CRYPT_OK ? cs_put_number(c->out, c->out_len, (cs_span){secret, len}) : from_ltc(error);
}

static int ffdh_keygen_setup(cs_case *c)
{
    c->out_len = 2 * ((const struct cs_ffdhe *)c->op->param)->bytes;
    return CS_OK;
}

static int put(dh_key *key, int type, uint8_t *out, size_t bytes)
{
    unsigned char number[CS_FFDHE_MAX];
    unsigned long len = sizeof number;
    int error = dh_export_key(number, &len, type, key);

    return error == CRYPT_OK ? cs_put_number(out, bytes, (cs_span){number, len}) : from_ltc(error);
}

/* A key is filled once: setting the group is part of the call. */
static int ffdh_keygen_call(cs_case *c)
{
    const size_t bytes = c->out_len / 2;
    dh_key key;
    int error = set_group(c->op->param, &key);
    int status;

    if (error != CRYPT_OK)
        return from_ltc(error);
    error = dh_generate_key(&random_state, random_prng, &key);
    status = error == CRYPT_OK ? put(&key, PK_PRIVATE, c->out, bytes) | put(&key, PK_PUBLIC, c->out + bytes, bytes)
                               : from_ltc(error);
    dh_free(&key);
    return status;
}

/* ---- rows ---- */

/* clang-format off */
#define FFDH_ROWS(ALGORITHM, GROUP)                                                                                    \
    {.id = ALGORITHM "/derive", .impl = "default", .name = "dh_shared_secret", .setup = ffdh_setup, .call = ffdh_call, .rekey = cs_setup_again, .teardown = ffdh_teardown, .param = &(GROUP)}, \
    {.id = ALGORITHM "/keygen", .impl = "default", .name = "dh_generate_key", .setup = ffdh_keygen_setup, .call = ffdh_keygen_call, .param = &(GROUP), .seed = seed_random, .counts_random = 1}

static const cs_op rows[] = {
    FFDH_ROWS("dh-2048", cs_ffdhe_2048),
    FFDH_ROWS("dh-3072", cs_ffdhe_3072),
};
/* clang-format on */

const cs_table libtomcrypt_ffdh = CS_TABLE(rows);
