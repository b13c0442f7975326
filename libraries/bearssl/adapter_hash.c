/* SPDX-License-Identifier: Apache-2.0
 *
 * BearSSL adapter: hash functions and HMAC (bearssl_hash.h, bearssl_hmac.h).
 */
#include "adapter.h"

static size_t digest_size(const br_hash_class *hash)
{
    return (hash->desc >> BR_HASHDESC_OUT_OFF) & BR_HASHDESC_OUT_MASK;
}

static int bear_hash_setup(cs_case *c)
{
    c->state = cs_alloc(sizeof(br_hash_compat_context));
    if (c->state == NULL) {
        return CS_ERROR;
    }
    c->out_len = digest_size(c->op->param);
    return CS_OK;
}

static int bear_hash(cs_case *c)
{
    const br_hash_class *hash = c->op->param;
    br_hash_compat_context *context = c->state;

    hash->init(&context->vtable);
    hash->update(&context->vtable, c->msg.data, c->msg.len);
    hash->out(&context->vtable, c->out);
    return CS_OK;
}

struct hmac_state {
    br_hmac_key_context key; /* the two padded key blocks, already hashed */
    br_hmac_context context;
};

static int bear_hmac_setup(cs_case *c)
{
    struct hmac_state *state = cs_alloc(sizeof *state);

    if (state == NULL) {
        return CS_ERROR;
    }
    br_hmac_key_init(&state->key, c->op->param, c->key.data, c->key.len);
    c->state = state;
    c->out_len = digest_size(c->op->param);
    return CS_OK;
}

static int bear_hmac_rekey(cs_case *c)
{
    struct hmac_state *state = c->state;

    br_hmac_key_init(&state->key, c->op->param, c->key.data, c->key.len);
    return CS_OK;
}

static int bear_hmac(cs_case *c)
{
    struct hmac_state *state = c->state;

    br_hmac_init(&state->context, &state->key, 0);
    br_hmac_update(&state->context, c->msg.data, c->msg.len);
    return br_hmac_out(&state->context, c->out) == c->out_len ? CS_OK : CS_ERROR;
}

/* -- rows -- */

/* clang-format off */
#define HASH(ID, NAME)                                                                                                 \
    {.id = ID "/hash", .impl = "default", .name = "br_" #NAME, .setup = bear_hash_setup, .call = bear_hash, .teardown = cs_teardown_state, .param = &br_##NAME##_vtable}
#define HMAC(ALGORITHM, HASH)                                                                                          \
    {.id = ALGORITHM "/mac", .impl = "default", .name = "br_hmac br_" #HASH "_vtable", .setup = bear_hmac_setup, .call = bear_hmac, .rekey = bear_hmac_rekey, .teardown = cs_teardown_state, .param = &br_##HASH##_vtable}

static const cs_op rows[] = {
    HASH("md5", md5),
    HASH("sha-1", sha1),
    HASH("sha-256", sha256),
    HASH("sha-512", sha512),
    HASH("sha-224", sha224),
    HASH("sha-384", sha384),
    HMAC("hmac-sha-1", sha1),
    HMAC("hmac-sha-256", sha256),
    HMAC("hmac-sha-384", sha384),
    HMAC("hmac-sha-512", sha512),
};
/* clang-format on */

const cs_table bearssl_hashes = CS_TABLE(rows);
