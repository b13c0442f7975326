/* SPDX-License-Identifier: Apache-2.0
 *
 * Monocypher: HKDF with SHA-512, and Argon2id in memory that the caller brings.
 */
#include <monocypher-ed25519.h>
#include <monocypher.h>

#include "cipherstone.h"

struct kdf_state {
    cs_span salt, info;
    crypto_argon2_config config;
    void *blocks;
};

static struct kdf_state *new_kdf(cs_case *c, size_t out_len)
{
    struct kdf_state *s = cs_alloc(sizeof *s);

    if (s == NULL)
        return NULL;
    s->salt = cs_input(c, "salt");
    s->info = cs_input(c, "info");
    c->state = s;
    c->out_len = out_len;
    return s;
}

static void teardown_kdf(cs_case *c)
{
    struct kdf_state *s = c->state;

    cs_free(s->blocks);
    cs_free(s);
    c->state = NULL;
}

static int setup_hkdf(cs_case *c)
{
    return new_kdf(c, 64) != NULL ? CS_OK : CS_ERROR;
}

static int call_hkdf(cs_case *c)
{
    const struct kdf_state *s = c->state;

    crypto_sha512_hkdf(c->out, c->out_len, c->key.data, c->key.len, s->salt.data, s->salt.len, s->info.data,
                       s->info.len);
    return CS_OK;
}

static int setup_argon2id(cs_case *c)
{
    const uint64_t m = cs_param_number(c, "m", 0);
    struct kdf_state *s = new_kdf(c, 32);

    if (s == NULL)
        return CS_ERROR;
    s->config = (crypto_argon2_config){.algorithm = CRYPTO_ARGON2_ID,
                                       .nb_blocks = (uint32_t)m,
                                       .nb_passes = (uint32_t)cs_param_number(c, "t", 0),
                                       .nb_lanes = (uint32_t)cs_param_number(c, "p", 0)};
    s->blocks = cs_memory_there(1024 * m) == CS_OK ? cs_alloc((size_t)(1024 * m)) : NULL;
    if (s->blocks != NULL)
        return CS_OK;
    teardown_kdf(c);
    return CS_ERROR;
}

static int call_argon2id(cs_case *c)
{
    const struct kdf_state *s = c->state;
    const crypto_argon2_inputs inputs = {.pass = c->key.data,
                                         .salt = s->salt.data,
                                         .pass_size = (uint32_t)c->key.len,
                                         .salt_size = (uint32_t)s->salt.len};

    crypto_argon2(c->out, (uint32_t)c->out_len, s->blocks, s->config, inputs, crypto_argon2_no_extras);
    return CS_OK;
}

#define KDF_ROW(ALGORITHM, NAME, FUNCTIONS)                                                                            \
    {.id = ALGORITHM "/derive",                                                                                        \
     .impl = "default",                                                                                                \
     .name = NAME,                                                                                                     \
     .setup = setup_##FUNCTIONS,                                                                                       \
     .call = call_##FUNCTIONS,                                                                                         \
     .rekey = cs_key_in_call,                                                                                          \
     .teardown = teardown_kdf}

static const cs_op rows[] = {
    KDF_ROW("hkdf-sha-512", "crypto_sha512_hkdf", hkdf),
    KDF_ROW("argon2id", "crypto_argon2", argon2id),
};
const cs_table monocypher_kdf = CS_TABLE(rows);
