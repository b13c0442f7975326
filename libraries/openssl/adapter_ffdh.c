/* SPDX-License-Identifier: Apache-2.0
 *
 * OpenSSL adapter: key agreement in finite fields.
 */
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/params.h>
#include <openssl/dh.h>

#include "session.h"

static const char *ffdh_fetch(const struct cs_op *op, void **fetched)
{
    EVP_KEYMGMT *keys = EVP_KEYMGMT_fetch(NULL, "DH", NULL);

    (void)op;
    *fetched = EVP_KEYEXCH_fetch(NULL, "DH", NULL);
    return keys != NULL && *fetched != NULL ? NULL : "EVP_KEYEXCH_fetch fails";
}

/* A key of the row's group with one number, private or public as `name` says. NULL if refused. */
static EVP_PKEY *dh_key(const struct key_kind *kind, const char *name, int selection, cs_span bytes)
{
    OSSL_PARAM_BLD *build = OSSL_PARAM_BLD_new();
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(NULL, kind->name, NULL);
    BIGNUM *number = BN_bin2bn(bytes.data, (int)bytes.len, NULL);
    OSSL_PARAM *params = NULL;
    EVP_PKEY *key = NULL;

    if (build != NULL && ctx != NULL && number != NULL &&
        OSSL_PARAM_BLD_push_utf8_string(build, OSSL_PKEY_PARAM_GROUP_NAME, kind->group, 0) == 1 &&
        OSSL_PARAM_BLD_push_BN(build, name, number) == 1)
        params = OSSL_PARAM_BLD_to_param(build);
    if (params != NULL && EVP_PKEY_fromdata_init(ctx) == 1)
        (void)EVP_PKEY_fromdata(ctx, &key, selection, params);
    OSSL_PARAM_free(params);
    OSSL_PARAM_BLD_free(build);
    EVP_PKEY_CTX_free(ctx);
    BN_clear_free(number);
    return key;
}

static int refuse(cs_case *c, const char *what)
{
    (void)session_give_up(c, what);
    return CS_BAD_KEY;
}

static int ffdh_setup(cs_case *c)
{
    const struct key_kind *kind = c->op->param;
    struct session *s = session_new(c);

    if (s == NULL)
        return CS_ERROR;
    s->key = dh_key(kind, OSSL_PKEY_PARAM_PRIV_KEY, EVP_PKEY_KEYPAIR, c->key);
    s->peer = dh_key(kind, OSSL_PKEY_PARAM_PUB_KEY, EVP_PKEY_PUBLIC_KEY, c->pub);
    if (s->key != NULL && s->peer == NULL)
        return refuse(c, "EVP_PKEY_fromdata");
    s->key_ctx = s->key != NULL ? EVP_PKEY_CTX_new_from_pkey(NULL, s->key, NULL) : NULL;
    if (s->key_ctx == NULL || EVP_PKEY_derive_init(s->key_ctx) != 1 || EVP_PKEY_CTX_set_dh_pad(s->key_ctx, 1) != 1)
        return session_give_up(c, "EVP_PKEY_derive_init");
    if (EVP_PKEY_derive_set_peer(s->key_ctx, s->peer) != 1)
        return refuse(c, "EVP_PKEY_derive_set_peer");
    return EVP_PKEY_derive(s->key_ctx, NULL, &c->out_len) == 1 ? CS_OK : session_give_up(c, "EVP_PKEY_derive");
}

static int ffdh_keygen_call(cs_case *c)
{
    const struct session *s = c->state;
    EVP_PKEY *key = NULL;
    int bytes, done;

    if (EVP_PKEY_generate(s->key_ctx, &key) != 1)
        return session_fail("EVP_PKEY_generate");
    bytes = (EVP_PKEY_get_bits(key) + 7) / 8;
    c->out_len = 2 * (size_t)bytes;
    done = put_number(key, OSSL_PKEY_PARAM_PRIV_KEY, c->out, bytes) &&
           put_number(key, OSSL_PKEY_PARAM_PUB_KEY, c->out + bytes, bytes);
    EVP_PKEY_free(key);
    return done ? CS_OK : session_fail("EVP_PKEY_get_bn_param");
}

/* ---- rows ---- */

/* clang-format off */
#define FFDH_ROWS_OF(ALGORITHM, GROUP)                                                                                 \
    {.id = ALGORITHM "/derive", .impl = "default", .name = "EVP_PKEY_derive DH " GROUP, .setup = ffdh_setup, .call = derive_call, .rekey = cs_setup_again, .teardown = session_free, .param = &(const struct key_kind){.name = "DH", .group = GROUP}, .unavailable = keygen_unavailable, .open = evp_open, .fetch = ffdh_fetch}, \
    {.id = ALGORITHM "/keygen", .impl = "default", .name = "EVP_PKEY_generate", .setup = keygen_setup, .call = ffdh_keygen_call, .teardown = session_free, .param = &(const struct key_kind){.name = "DH", .group = GROUP}, .unavailable = keygen_unavailable, .open = evp_open, .fetch = keygen_fetch, .seed = ecdsa_seed}
/* clang-format on */

static const cs_op rows[] = {FFDH_ROWS_OF("dh-2048", "ffdhe2048"), FFDH_ROWS_OF("dh-3072", "ffdhe3072")};
const cs_table openssl_ffdh = CS_TABLE(rows);
