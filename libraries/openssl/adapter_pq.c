/* SPDX-License-Identifier: Apache-2.0
 *
 * OpenSSL adapter: ML-DSA and SLH-DSA, of 3.5 and later.
 *
 * Entry points: EVP_PKEY_generate, EVP_PKEY_sign_message_init, EVP_PKEY_sign, EVP_PKEY_verify_message_init,
 * EVP_PKEY_verify. Names of parameters are written out: 3.0 has no macros for them.
 */
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/opensslv.h>
#include <openssl/params.h>

#include "session.h"

/* A parameter set, by the name to fetch. `seeded`: a private key is its seed. */
struct pq {
    const char *name;
    int seeded;
};

static const char *name_of(const cs_op *op)
{
    return ((const struct pq *)op->param)->name;
}

/* ---- key generation ---- */

static const char *pq_unavailable(const struct cs_op *op)
{
    EVP_SIGNATURE *signature = EVP_SIGNATURE_fetch(NULL, name_of(op), NULL);
    const char *reason =
        signature == NULL ? "no loaded provider has it: ML-DSA and SLH-DSA came with OpenSSL 3.5" : NULL;

    EVP_SIGNATURE_free(signature);
    ERR_clear_error();
    return reason;
}

static const char *pq_keygen_fetch(const struct cs_op *op, void **fetched)
{
    *fetched = EVP_KEYMGMT_fetch(NULL, name_of(op), NULL);
    return *fetched != NULL ? NULL : "EVP_KEYMGMT_fetch fails";
}

static int pq_keygen_setup(cs_case *c)
{
    struct session *s = session_new(c);

    if (s == NULL)
        return CS_ERROR;
    s->seed = cs_input(c, "seed");
    s->key_ctx = EVP_PKEY_CTX_new_from_name(NULL, name_of(c->op), NULL);
    if (s->key_ctx == NULL || EVP_PKEY_keygen_init(s->key_ctx) != 1)
        return session_give_up(c, "EVP_PKEY_keygen_init");
    return CS_OK;
}

/* A seed serves one key: it is given anew in each call. */
static int set_seed(EVP_PKEY_CTX *ctx, cs_span seed)
{
    const OSSL_PARAM params[] = {
        OSSL_PARAM_construct_octet_string("seed", (void *)seed.data, seed.len),
        OSSL_PARAM_construct_end(),
    };

    return seed.data == NULL || EVP_PKEY_CTX_set_params(ctx, params) == 1;
}

static int put_private(cs_case *c, const EVP_PKEY *key, size_t *len)
{
    *len = c->out_cap;
    return ((const struct pq *)c->op->param)->seeded
               ? EVP_PKEY_get_octet_string_param(key, "seed", c->out, c->out_cap, len) == 1
               : EVP_PKEY_get_raw_private_key(key, c->out, len) == 1;
}

static int pq_keygen_call(cs_case *c)
{
    struct session *s = c->state;
    EVP_PKEY *key = NULL;
    size_t private_len = 0, public_len = 0;
    int done;

    if (!set_seed(s->key_ctx, s->seed) || EVP_PKEY_generate(s->key_ctx, &key) != 1)
        return session_fail("EVP_PKEY_generate");
    done = put_private(c, key, &private_len);
    public_len = c->out_cap - private_len;
    done = done && EVP_PKEY_get_raw_public_key(key, c->out + private_len, &public_len) == 1;
    EVP_PKEY_free(key);
    c->out_len = private_len + public_len;
    return done ? CS_OK : session_fail("EVP_PKEY_get_raw_public_key");
}

/* ---- signatures ---- */

#if OPENSSL_VERSION_NUMBER >= 0x30500000L
static const char *pq_fetch(const struct cs_op *op, void **fetched)
{
    EVP_KEYMGMT *keys = EVP_KEYMGMT_fetch(NULL, name_of(op), NULL);

    *fetched = EVP_SIGNATURE_fetch(NULL, name_of(op), NULL);
    return keys != NULL && *fetched != NULL ? NULL : "EVP_SIGNATURE_fetch fails";
}

/* A private key that is its seed is made of it here. */
static EVP_PKEY *private_key(const cs_case *c)
{
    const struct pq *set = c->op->param;
    EVP_PKEY *key = NULL;
    EVP_PKEY_CTX *ctx;

    if (!set->seeded)
        return EVP_PKEY_new_raw_private_key_ex(NULL, set->name, NULL, c->key.data, c->key.len);
    ctx = EVP_PKEY_CTX_new_from_name(NULL, set->name, NULL);
    if (ctx != NULL && EVP_PKEY_keygen_init(ctx) == 1 && set_seed(ctx, c->key) && EVP_PKEY_generate(ctx, &key) != 1)
        key = NULL;
    EVP_PKEY_CTX_free(ctx);
    return key;
}

static int sign_setup(cs_case *c, const OSSL_PARAM *params)
{
    struct session *s = session_new(c);

    if (s == NULL)
        return CS_ERROR;
    s->key = private_key(c);
    if (s->key == NULL)
        return session_give_up(c, "EVP_PKEY_generate");
    s->key_ctx = EVP_PKEY_CTX_new_from_pkey(NULL, s->key, NULL);
    if (s->key_ctx == NULL || EVP_PKEY_sign_message_init(s->key_ctx, c->fetched, params) != 1)
        return session_give_up(c, "EVP_PKEY_sign_message_init");
    return CS_OK;
}

static int pq_sign_setup(cs_case *c)
{
    return sign_setup(c, NULL);
}

static int pq_sign_deterministic_setup(cs_case *c)
{
    int deterministic = 1;
    const OSSL_PARAM params[] = {
        OSSL_PARAM_construct_int("deterministic", &deterministic),
        OSSL_PARAM_construct_end(),
    };

    return sign_setup(c, params);
}

static int pq_verify_setup(cs_case *c)
{
    struct session *s = session_new(c);

    if (s == NULL)
        return CS_ERROR;
    s->key = EVP_PKEY_new_raw_public_key_ex(NULL, name_of(c->op), NULL, c->pub.data, c->pub.len);
    if (s->key == NULL)
        return session_give_up(c, "EVP_PKEY_new_raw_public_key_ex");
    s->key_ctx = EVP_PKEY_CTX_new_from_pkey(NULL, s->key, NULL);
    if (s->key_ctx == NULL || EVP_PKEY_verify_message_init(s->key_ctx, c->fetched, NULL) != 1)
        return session_give_up(c, "EVP_PKEY_verify_message_init");
    return CS_OK;
}
#else
/* Never called: nothing is available. */
static const char *pq_fetch(const struct cs_op *op, void **fetched)
{
    (void)op;
    (void)fetched;
    return "signatures of messages came with OpenSSL 3.4";
}

static int pq_sign_setup(cs_case *c)
{
    (void)c;
    return cs_fail("signatures of messages came with OpenSSL 3.4");
}

static int pq_sign_deterministic_setup(cs_case *c)
{
    return pq_sign_setup(c);
}

static int pq_verify_setup(cs_case *c)
{
    return pq_sign_setup(c);
}
#endif

static int pq_sign_call(cs_case *c)
{
    struct session *s = c->state;

    c->out_len = c->out_cap;
    return EVP_PKEY_sign(s->key_ctx, c->out, &c->out_len, c->msg.data, c->msg.len) == 1 ? CS_OK
                                                                                        : session_fail("EVP_PKEY_sign");
}

static int pq_verify_call(cs_case *c)
{
    struct session *s = c->state;

    if (EVP_PKEY_verify(s->key_ctx, c->sig.data, c->sig.len, c->msg.data, c->msg.len) == 1)
        return CS_OK;
    if (ERR_GET_REASON(ERR_peek_error()) == ERR_R_MALLOC_FAILURE)
        return session_fail("EVP_PKEY_verify");
    ERR_clear_error();
    return CS_REJECTED;
}

/* ---- rows ---- */

#define PQ_ROW(ALGORITHM, VERB, IMPL, NAME, SETUP, CALL, FETCH, SET, ...)                                              \
    {.id = ALGORITHM "/" VERB,                                                                                         \
     .impl = IMPL,                                                                                                     \
     .name = NAME,                                                                                                     \
     .setup = SETUP##_setup,                                                                                           \
     .call = CALL##_call,                                                                                              \
     .teardown = session_free,                                                                                         \
     .param = &(const struct pq)SET,                                                                                   \
     .unavailable = pq_unavailable,                                                                                    \
     .open = evp_open,                                                                                                 \
     .fetch = FETCH,                                                                                                   \
     __VA_ARGS__}
#define PQ_SET(...) {__VA_ARGS__}
#define PQ_ROWS(ALGORITHM, SET)                                                                                        \
    PQ_ROW(ALGORITHM, "keygen", "default", "EVP_PKEY_generate", pq_keygen, pq_keygen, pq_keygen_fetch, PQ_SET(SET),    \
           .seed = ecdsa_seed, .seeded = 1),                                                                           \
        PQ_ROW(ALGORITHM, "sign", "default", "EVP_PKEY_sign", pq_sign, pq_sign, pq_fetch, PQ_SET(SET),                 \
               .rekey = cs_setup_again, .seed = ecdsa_seed),                                                           \
        PQ_ROW(ALGORITHM, "sign", "deterministic", "EVP_PKEY_sign, deterministic 1", pq_sign_deterministic, pq_sign,   \
               pq_fetch, PQ_SET(SET), .rekey = cs_setup_again),                                                        \
        PQ_ROW(ALGORITHM, "verify", "default", "EVP_PKEY_verify", pq_verify, pq_verify, pq_fetch, PQ_SET(SET),         \
               .rekey = cs_setup_again)
#define PQ_ML_DSA(NAME) .name = NAME, .seeded = 1

static const cs_op rows[] = {
    PQ_ROWS("ml-dsa-44", PQ_ML_DSA("ML-DSA-44")),
    PQ_ROWS("ml-dsa-65", PQ_ML_DSA("ML-DSA-65")),
    PQ_ROWS("ml-dsa-87", PQ_ML_DSA("ML-DSA-87")),
    PQ_ROWS("slh-dsa-sha2-128s", .name = "SLH-DSA-SHA2-128s"),
    PQ_ROWS("slh-dsa-sha2-128f", .name = "SLH-DSA-SHA2-128f"),
};
const cs_table openssl_pq = CS_TABLE(rows);
