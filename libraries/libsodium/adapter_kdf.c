/* SPDX-License-Identifier: Apache-2.0
 *
 * libsodium: scrypt, Argon2id and (from 1.0.19) HKDF, each without a context.
 */
#include <sodium.h>

#include "adapter.h"

struct kdf_state {
    cs_span salt, info;
    uint64_t n, m_bytes;
    uint32_t r, p, t;
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

static int setup_scrypt(cs_case *c)
{
    struct kdf_state *s;

    if (cs_memory_there(128 * cs_param_number(c, "n", 0) * cs_param_number(c, "r", 0)) != CS_OK)
        return CS_ERROR;
    s = new_kdf(c, 64);
    if (s == NULL)
        return CS_ERROR;
    s->n = cs_param_number(c, "n", 0);
    s->r = (uint32_t)cs_param_number(c, "r", 0);
    s->p = (uint32_t)cs_param_number(c, "p", 0);
    return CS_OK;
}

static int call_scrypt(cs_case *c)
{
    const struct kdf_state *s = c->state;

    return crypto_pwhash_scryptsalsa208sha256_ll(c->key.data, c->key.len, s->salt.data, s->salt.len, s->n, s->r, s->p,
                                                 c->out, c->out_len) == 0
               ? CS_OK
               : CS_ERROR;
}

static int setup_argon2id(cs_case *c)
{
    struct kdf_state *s;

    if (cs_memory_there(1024 * cs_param_number(c, "m", 0)) != CS_OK)
        return CS_ERROR;
    s = new_kdf(c, 32);
    if (s == NULL)
        return CS_ERROR;
    s->m_bytes = 1024 * cs_param_number(c, "m", 0);
    s->t = (uint32_t)cs_param_number(c, "t", 0);
    return CS_OK;
}

static int call_argon2id(cs_case *c)
{
    const struct kdf_state *s = c->state;

    return crypto_pwhash(c->out, c->out_len, (const char *)c->key.data, c->key.len, s->salt.data, s->t,
                         (size_t)s->m_bytes, crypto_pwhash_ALG_ARGON2ID13) == 0
               ? CS_OK
               : CS_ERROR;
}

#ifdef crypto_kdf_hkdf_sha256_KEYBYTES
/* `param` is the bytes of output. */
static int setup_hkdf(cs_case *c)
{
    const size_t *bytes = c->op->param;

    return new_kdf(c, *bytes) != NULL ? CS_OK : CS_ERROR;
}

#define HKDF_CALL(BITS)                                                                                                \
    static int call_hkdf_sha##BITS(cs_case *c)                                                                         \
    {                                                                                                                  \
        const struct kdf_state *s = c->state;                                                                          \
        unsigned char prk[crypto_kdf_hkdf_sha##BITS##_KEYBYTES];                                                       \
                                                                                                                       \
        return crypto_kdf_hkdf_sha##BITS##_extract(prk, s->salt.data, s->salt.len, c->key.data, c->key.len) == 0 &&    \
                       crypto_kdf_hkdf_sha##BITS##_expand(c->out, c->out_len, (const char *)s->info.data, s->info.len, \
                                                          prk) == 0                                                    \
                   ? CS_OK                                                                                             \
                   : CS_ERROR;                                                                                         \
    }

HKDF_CALL(256)
HKDF_CALL(512)
#endif

#define KDF_ROW(ALGORITHM, NAME, FUNCTIONS, ...)                                                                       \
    {.id = ALGORITHM "/derive",                                                                                        \
     .impl = "default",                                                                                                \
     .name = NAME,                                                                                                     \
     .setup = setup_##FUNCTIONS,                                                                                       \
     .call = call_##FUNCTIONS,                                                                                         \
     .rekey = cs_key_in_call,                                                                                          \
     .teardown = cs_teardown_state,                                                                                    \
     __VA_ARGS__}
#define HKDF_ROW(BITS)                                                                                                 \
    {                                                                                                                  \
        .id = "hkdf-sha-" #BITS "/derive", .impl = "default", .name = "crypto_kdf_hkdf_sha" #BITS "_extract, _expand", \
        .setup = setup_hkdf, .call = call_hkdf_sha##BITS, .rekey = cs_key_in_call, .teardown = cs_teardown_state,      \
        .param = &(const size_t)                                                                                       \
        {                                                                                                              \
            crypto_kdf_hkdf_sha##BITS##_KEYBYTES                                                                       \
        }                                                                                                              \
    }

static const cs_op rows[] = {
    KDF_ROW("scrypt", "crypto_pwhash_scryptsalsa208sha256_ll", scrypt, .seeded = 0),
    /* The library's Argon2id has one lane and no more. */
    KDF_ROW("argon2id", "crypto_pwhash", argon2id, .params = "p=1"),
#ifdef crypto_kdf_hkdf_sha256_KEYBYTES
    HKDF_ROW(256),
    HKDF_ROW(512),
#endif
};
const cs_table libsodium_kdf = CS_TABLE(rows);
