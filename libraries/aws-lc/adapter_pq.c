/* SPDX-License-Identifier: Apache-2.0
 *
 * AWS-LC: ML-DSA through EVP_PKEY. A private key is taken as its seed and given as such.
 *
 * Entry points: EVP_PKEY_keygen, EVP_PKEY_get_private_seed, EVP_DigestSign, EVP_DigestVerify.
 */
#include <string.h>

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/nid.h>

#include "adapter.h"

static int nid_of(const cs_case *c)
{
    return *(const int *)c->op->param;
}

static int pqdsa_keygen_setup(cs_case *c)
{
    struct session *s = session_new(c);

    if (s == NULL)
        return CS_ERROR;
    s->seed = cs_input(c, "seed");
    s->key_ctx = EVP_PKEY_CTX_new_id(EVP_PKEY_PQDSA, NULL);
    if (s->key_ctx == NULL || EVP_PKEY_CTX_pqdsa_set_params(s->key_ctx, nid_of(c)) != 1 ||
        EVP_PKEY_keygen_init(s->key_ctx) != 1)
        return session_give_up(c, "EVP_PKEY_keygen_init");
    return CS_OK;
}

/* Of a seed that is given the same comes through the function that reads private keys; no such case is timed. */
static EVP_PKEY *generate(const cs_case *c)
{
    struct session *s = c->state;
    EVP_PKEY *key = NULL;

    if (s->seed.data != NULL)
        return EVP_PKEY_pqdsa_new_raw_private_key(nid_of(c), s->seed.data, s->seed.len);
    return EVP_PKEY_keygen(s->key_ctx, &key) == 1 ? key : NULL;
}

static int pqdsa_keygen_call(cs_case *c)
{
    EVP_PKEY *key = generate(c);
    size_t seed_len = c->out_cap;
    size_t public_len;
    int done = key != NULL && EVP_PKEY_get_private_seed(key, c->out, &seed_len) == 1;

    public_len = c->out_cap - seed_len;
    done = done && EVP_PKEY_get_raw_public_key(key, c->out + seed_len, &public_len) == 1;
    EVP_PKEY_free(key);
    c->out_len = seed_len + public_len;
    return done ? CS_OK : session_fail("EVP_PKEY_keygen");
}

static int pqdsa_sign_setup(cs_case *c)
{
    struct session *s = session_new(c);

    if (s == NULL)
        return CS_ERROR;
    s->key = EVP_PKEY_pqdsa_new_raw_private_key(nid_of(c), c->key.data, c->key.len);
    s->md_ctx = EVP_MD_CTX_new();
    if (s->key == NULL || s->md_ctx == NULL || EVP_DigestSignInit(s->md_ctx, NULL, NULL, NULL, s->key) != 1)
        return session_give_up(c, "EVP_DigestSignInit");
    return CS_OK;
}

static int pqdsa_sign_call(cs_case *c)
{
    struct session *s = c->state;

    c->out_len = c->out_cap;
    return EVP_DigestSign(s->md_ctx, c->out, &c->out_len, c->msg.data, c->msg.len) == 1
               ? CS_OK
               : session_fail("EVP_DigestSign");
}

static int pqdsa_verify_setup(cs_case *c)
{
    struct session *s = session_new(c);

    if (s == NULL)
        return CS_ERROR;
    s->key = EVP_PKEY_pqdsa_new_raw_public_key(nid_of(c), c->pub.data, c->pub.len);
    s->md_ctx = EVP_MD_CTX_new();
    if (s->key == NULL || s->md_ctx == NULL || EVP_DigestVerifyInit(s->md_ctx, NULL, NULL, NULL, s->key) != 1)
        return session_give_up(c, "EVP_DigestVerifyInit");
    return CS_OK;
}

static int pqdsa_verify_call(cs_case *c)
{
    struct session *s = c->state;

    return EVP_DigestVerify(s->md_ctx, c->sig.data, c->sig.len, c->msg.data, c->msg.len) == 1
               ? CS_OK
               : session_reject("EVP_DigestVerify");
}

/* ---- rows ---- */

#define ML_DSA_ROW(BITS, VERB, NAME, ...)                                                                              \
    {.id = "ml-dsa-" #BITS "/" #VERB,                                                                                  \
     .impl = "default",                                                                                                \
     .name = NAME,                                                                                                     \
     .setup = pqdsa_##VERB##_setup,                                                                                    \
     .call = pqdsa_##VERB##_call,                                                                                      \
     .teardown = session_free,                                                                                         \
     .param = &(const int){NID_MLDSA##BITS},                                                                           \
     __VA_ARGS__}
#define ML_DSA_ROWS_OF(BITS)                                                                                           \
    ML_DSA_ROW(BITS, keygen, "EVP_PKEY_keygen", .seed = random_seed, .seeded = 1),                                     \
        ML_DSA_ROW(BITS, sign, "EVP_DigestSign", .rekey = cs_setup_again, .seed = random_seed),                        \
        ML_DSA_ROW(BITS, verify, "EVP_DigestVerify", .rekey = cs_setup_again)

static const cs_op rows[] = {
    ML_DSA_ROWS_OF(44),
    ML_DSA_ROWS_OF(65),
    ML_DSA_ROWS_OF(87),
};
const cs_table own_pq = CS_TABLE(rows);
