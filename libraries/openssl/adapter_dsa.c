/* SPDX-License-Identifier: Apache-2.0
 *
 * OpenSSL adapter: DSA.
 *
 * Entry points: EVP_PKEY_fromdata, EVP_PKEY_sign, EVP_PKEY_verify, EVP_PKEY_generate.
 */
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/dsa.h>
#include <openssl/err.h>
#include <openssl/param_build.h>

#include "dsa.h"
#include "session.h"

enum { DIGEST = 32, NUMBERS = 5 };

static const char *dsa_unavailable(const struct cs_op *op)
{
    EVP_SIGNATURE *signature = EVP_SIGNATURE_fetch(NULL, "DSA", NULL);
    const char *reason = signature == NULL ? "no loaded provider has DSA" : NULL;

    (void)op;
    EVP_SIGNATURE_free(signature);
    ERR_clear_error();
    return reason;
}

/* EVP_PKEY takes no algorithm that was fetched: it fetches by name, and finds what is kept here. The digest is what a
 * case takes. */
static const char *dsa_fetch(const struct cs_op *op, void **fetched)
{
    EVP_KEYMGMT *keys = EVP_KEYMGMT_fetch(NULL, "DSA", NULL);
    EVP_SIGNATURE *signature = EVP_SIGNATURE_fetch(NULL, "DSA", NULL);

    (void)op;
    *fetched = EVP_MD_fetch(NULL, "SHA256", NULL);
    return keys != NULL && signature != NULL && *fetched != NULL ? NULL : "EVP_SIGNATURE_fetch fails";
}

/* The numbers that are there: of a private key, of a public one, or of domain parameters, as `selection` says. NULL if
 * refused. */
static EVP_PKEY *load(const cs_dsa_key *of, int selection)
{
    static const char *const names[NUMBERS] = {
        OSSL_PKEY_PARAM_FFC_P,   OSSL_PKEY_PARAM_FFC_Q,    OSSL_PKEY_PARAM_FFC_G,
        OSSL_PKEY_PARAM_PUB_KEY, OSSL_PKEY_PARAM_PRIV_KEY,
    };
    const cs_span spans[NUMBERS] = {of->p, of->q, of->g, of->y, of->x};
    OSSL_PARAM_BLD *build = OSSL_PARAM_BLD_new();
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(NULL, "DSA", NULL);
    BIGNUM *number[NUMBERS] = {NULL};
    OSSL_PARAM *params = NULL;
    EVP_PKEY *key = NULL;
    int done = build != NULL && ctx != NULL;

    for (int i = 0; done && i < NUMBERS && spans[i].data != NULL; i++) {
        number[i] = BN_bin2bn(spans[i].data, (int)spans[i].len, NULL);
        done = number[i] != NULL && OSSL_PARAM_BLD_push_BN(build, names[i], number[i]) == 1;
    }
    if (done)
        params = OSSL_PARAM_BLD_to_param(build);
    if (params != NULL && EVP_PKEY_fromdata_init(ctx) == 1)
        (void)EVP_PKEY_fromdata(ctx, &key, selection, params);
    OSSL_PARAM_free(params);
    OSSL_PARAM_BLD_free(build);
    EVP_PKEY_CTX_free(ctx);
    for (int i = 0; i < NUMBERS; i++)
        BN_clear_free(number[i]);
    return key;
}

/* The key, and a context that `init` made ready for one kind of calls. */
static int open_context(cs_case *c, int selection, int (*init)(EVP_PKEY_CTX *))
{
    const cs_dsa_key numbers = selection == EVP_PKEY_KEY_PARAMETERS ? cs_dsa_rfc5114 : cs_dsa_numbers(c);
    struct session *s = session_new(c);

    if (s == NULL)
        return CS_ERROR;
    s->key = load(&numbers, selection);
    if (s->key == NULL)
        return session_give_up(c, "EVP_PKEY_fromdata");
    s->key_ctx = EVP_PKEY_CTX_new_from_pkey(NULL, s->key, NULL);
    if (s->key_ctx == NULL || init(s->key_ctx) != 1 || !session_open_digest(s, c->fetched))
        return session_give_up(c, "EVP_PKEY_CTX_new_from_pkey");
    return CS_OK;
}

static int dsa_sign_setup(cs_case *c)
{
    return open_context(c, EVP_PKEY_KEYPAIR, EVP_PKEY_sign_init);
}

static int dsa_sign_call(cs_case *c)
{
    struct session *s = c->state;
    uint8_t hash[DIGEST];

    c->out_len = c->out_cap;
    if (!session_digest(s, c->msg, hash) || EVP_PKEY_sign(s->key_ctx, c->out, &c->out_len, hash, sizeof hash) != 1)
        return session_fail("EVP_PKEY_sign");
    return CS_OK;
}

static int dsa_verify_setup(cs_case *c)
{
    return open_context(c, EVP_PKEY_PUBLIC_KEY, EVP_PKEY_verify_init);
}

/* A signature that cannot be read, or whose numbers are out of range, is an error to the library: everything but a lack
 * of memory is the signature's fault. */
static int dsa_verify_call(cs_case *c)
{
    struct session *s = c->state;
    uint8_t hash[DIGEST];

    if (!session_digest(s, c->msg, hash))
        return session_fail("EVP_Digest");
    if (EVP_PKEY_verify(s->key_ctx, c->sig.data, c->sig.len, hash, sizeof hash) == 1)
        return CS_OK;
    if (ERR_GET_REASON(ERR_peek_error()) == ERR_R_MALLOC_FAILURE)
        return session_fail("EVP_PKEY_verify");
    ERR_clear_error();
    return CS_REJECTED;
}

static int dsa_keygen_setup(cs_case *c)
{
    return open_context(c, EVP_PKEY_KEY_PARAMETERS, EVP_PKEY_keygen_init);
}

static int dsa_keygen_call(cs_case *c)
{
    const struct session *s = c->state;
    const cs_dsa_pair pair = cs_dsa_new_pair(c);
    EVP_PKEY *key = NULL;
    int done = EVP_PKEY_generate(s->key_ctx, &key) == 1 &&
               put_number(key, OSSL_PKEY_PARAM_PRIV_KEY, pair.x, CS_DSA_Q) &&
               put_number(key, OSSL_PKEY_PARAM_PUB_KEY, pair.y, CS_DSA_P);

    EVP_PKEY_free(key);
    return done ? CS_OK : session_fail("EVP_PKEY_generate");
}

static int dsa_paramgen_setup(cs_case *c)
{
    struct session *s = session_new(c);

    if (s == NULL)
        return CS_ERROR;
    s->key_ctx = EVP_PKEY_CTX_new_from_name(NULL, "DSA", NULL);
    if (s->key_ctx == NULL || EVP_PKEY_paramgen_init(s->key_ctx) != 1 ||
        EVP_PKEY_CTX_set_dsa_paramgen_bits(s->key_ctx, CS_DSA_P_BITS) != 1 ||
        EVP_PKEY_CTX_set_dsa_paramgen_q_bits(s->key_ctx, CS_DSA_Q_BITS) != 1)
        return session_give_up(c, "EVP_PKEY_paramgen_init");
    return CS_OK;
}

static int dsa_paramgen_call(cs_case *c)
{
    const struct session *s = c->state;
    EVP_PKEY *made = NULL;
    int done = EVP_PKEY_generate(s->key_ctx, &made) == 1 && put_number(made, OSSL_PKEY_PARAM_FFC_P, c->out, CS_DSA_P) &&
               put_number(made, OSSL_PKEY_PARAM_FFC_Q, c->out + CS_DSA_AT_Q, CS_DSA_Q) &&
               put_number(made, OSSL_PKEY_PARAM_FFC_G, c->out + CS_DSA_AT_G, CS_DSA_P);

    EVP_PKEY_free(made);
    c->out_len = CS_DSA_DOMAIN;
    return done ? CS_OK : session_fail("EVP_PKEY_generate");
}

/* ---- rows ---- */

#define DSA_ROW(VERB, NAME, ...)                                                                                       \
    {.id = "dsa-2048-sha256/" #VERB,                                                                                   \
     .impl = "default",                                                                                                \
     .name = NAME,                                                                                                     \
     .setup = dsa_##VERB##_setup,                                                                                      \
     .call = dsa_##VERB##_call,                                                                                        \
     .teardown = session_free,                                                                                         \
     .unavailable = dsa_unavailable,                                                                                   \
     .open = evp_open,                                                                                                 \
     .fetch = dsa_fetch,                                                                                               \
     __VA_ARGS__}

static const cs_op rows[] = {
    DSA_ROW(sign, "EVP_PKEY_sign DSA", .rekey = cs_setup_again, .form = "der", .seed = ecdsa_seed),
    DSA_ROW(verify, "EVP_PKEY_verify DSA", .rekey = cs_setup_again, .form = "der"),
    DSA_ROW(keygen, "EVP_PKEY_generate", .seed = ecdsa_seed),
    DSA_ROW(paramgen, "EVP_PKEY_paramgen_init, EVP_PKEY_generate", .seed = ecdsa_seed),
};
const cs_table openssl_dsa = CS_TABLE(rows);
