/* SPDX-License-Identifier: Apache-2.0
 *
 * OpenSSL adapter: key agreement and signatures.
 */
#include <string.h>

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/params.h>
#include <openssl/proverr.h>
#include <openssl/rand.h>

#include "session.h"

/* ---- dh ---- */

static const char *derive_unavailable(const struct cs_op *op)
{
    EVP_KEYEXCH *exchange = EVP_KEYEXCH_fetch(NULL, op->param, NULL);
    const char *reason = exchange == NULL ? "no loaded provider has this key exchange" : NULL;

    EVP_KEYEXCH_free(exchange);
    ERR_clear_error();
    return reason;
}

/* EVP_PKEY takes no algorithm that was fetched: it fetches by name, and finds what is kept here. */
static const char *derive_fetch(const struct cs_op *op, void **fetched)
{
    EVP_KEYMGMT *keys = EVP_KEYMGMT_fetch(NULL, op->param, NULL);

    *fetched = EVP_KEYEXCH_fetch(NULL, op->param, NULL);
    return keys != NULL && *fetched != NULL ? NULL : "EVP_KEYEXCH_fetch fails";
}

static int derive_setup(cs_case *c)
{
    struct session *s = session_new(c);

    if (s == NULL)
        return CS_ERROR;
    s->key = EVP_PKEY_new_raw_private_key_ex(NULL, c->op->param, NULL, c->key.data, c->key.len);
    s->peer = EVP_PKEY_new_raw_public_key_ex(NULL, c->op->param, NULL, c->pub.data, c->pub.len);
    if (s->key == NULL || s->peer == NULL)
        return session_give_up(c, "EVP_PKEY_new_raw_key");
    s->key_ctx = EVP_PKEY_CTX_new_from_pkey(NULL, s->key, NULL);
    if (s->key_ctx == NULL || EVP_PKEY_derive_init(s->key_ctx) != 1 ||
        EVP_PKEY_derive_set_peer(s->key_ctx, s->peer) != 1 || EVP_PKEY_derive(s->key_ctx, NULL, &c->out_len) != 1)
        return session_give_up(c, "EVP_PKEY_derive_init");
    return CS_OK;
}

/* RFC 7748 section 6.1: OpenSSL refuses a shared secret of zeros, and says so with this reason. */
static int is_refused_secret(unsigned long code)
{
    return ERR_GET_LIB(code) == ERR_LIB_PROV && ERR_GET_REASON(code) == PROV_R_FAILED_DURING_DERIVATION;
}

int derive_call(cs_case *c)
{
    struct session *s = c->state;
    size_t len = c->out_cap;

    if (EVP_PKEY_derive(s->key_ctx, c->out, &len) == 1)
        return CS_OK;
    if (!is_refused_secret(ERR_peek_error()))
        return session_fail("EVP_PKEY_derive");
    ERR_clear_error();
    return CS_REJECTED;
}

/* ---- sig ---- */

static const char *sig_unavailable(const struct cs_op *op)
{
    EVP_SIGNATURE *signature = EVP_SIGNATURE_fetch(NULL, op->param, NULL);
    const char *reason = signature == NULL ? "no loaded provider has this signature" : NULL;

    EVP_SIGNATURE_free(signature);
    ERR_clear_error();
    return reason;
}

/* EVP answers 1 for valid, 0 for not valid, and a negative number for a signature that is not DER as well as for an
 * operation that could not run: -2 (unsupported) or out of memory. */
static int verdict(int answer, const char *entry_point)
{
    if (answer == 1)
        return CS_OK;
    if (answer == -2 || ERR_GET_REASON(ERR_peek_error()) == ERR_R_MALLOC_FAILURE)
        return session_fail(entry_point);
    ERR_clear_error();
    return CS_REJECTED;
}

static const char *ed25519_fetch(const struct cs_op *op, void **fetched)
{
    EVP_KEYMGMT *keys = EVP_KEYMGMT_fetch(NULL, op->param, NULL);

    *fetched = EVP_SIGNATURE_fetch(NULL, op->param, NULL);
    return keys != NULL && *fetched != NULL ? NULL : "EVP_SIGNATURE_fetch fails";
}

/* The row's `param` is the group, which providers know by the keys they load. */
static const char *ecdsa_unavailable(const struct cs_op *op)
{
    EVP_SIGNATURE *signature = EVP_SIGNATURE_fetch(NULL, "ECDSA", NULL);
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
    int known = signature != NULL && ctx != NULL && EVP_PKEY_keygen_init(ctx) == 1 &&
                EVP_PKEY_CTX_set_group_name(ctx, op->param) == 1;

    EVP_PKEY_CTX_free(ctx);
    EVP_SIGNATURE_free(signature);
    ERR_clear_error();
    return known ? NULL : "no loaded provider has ECDSA on this curve";
}

/* The digest that goes with the row's group. */
static const char *digest_of(const struct cs_op *op)
{
    const char *group = op->param;

    return strcmp(group, "P-384") == 0 ? "SHA384" : strcmp(group, "P-521") == 0 ? "SHA512" : "SHA256";
}

/* The digest is what a case takes from here. */
static const char *ecdsa_fetch(const struct cs_op *op, void **fetched)
{
    EVP_KEYMGMT *keys = EVP_KEYMGMT_fetch(NULL, "EC", NULL);
    EVP_SIGNATURE *signature = EVP_SIGNATURE_fetch(NULL, "ECDSA", NULL);

    *fetched = EVP_MD_fetch(NULL, digest_of(op), NULL);
    return keys != NULL && signature != NULL && *fetched != NULL ? NULL : "EVP_SIGNATURE_fetch fails";
}

const char *ecdsa_seed(void)
{
    return RAND_get0_private(NULL) != NULL ? NULL : "RAND_get0_private fails: no seed";
}

static int ed25519_sign_setup(cs_case *c)
{
    struct session *s = session_new(c);

    if (s == NULL)
        return CS_ERROR;
    s->key = EVP_PKEY_new_raw_private_key_ex(NULL, c->op->param, NULL, c->key.data, c->key.len);
    s->md_ctx = EVP_MD_CTX_new();
    if (s->key == NULL || s->md_ctx == NULL ||
        EVP_DigestSignInit_ex(s->md_ctx, NULL, NULL, NULL, NULL, s->key, NULL) != 1)
        return session_give_up(c, "EVP_DigestSignInit_ex");
    c->out_len = (size_t)EVP_PKEY_get_size(s->key);
    return CS_OK;
}

/* A one-shot signature spends its context (enforced since 3.2); an init without a key makes it ready again. */
static int ed25519_sign_call(cs_case *c)
{
    struct session *s = c->state;
    size_t len = c->out_cap;

    if (EVP_DigestSignInit(s->md_ctx, NULL, NULL, NULL, NULL) != 1 ||
        EVP_DigestSign(s->md_ctx, c->out, &len, c->msg.data, c->msg.len) != 1)
        return session_fail("EVP_DigestSign");
    return CS_OK;
}

static int ed25519_verify_setup(cs_case *c)
{
    struct session *s = session_new(c);

    if (s == NULL)
        return CS_ERROR;
    s->key = EVP_PKEY_new_raw_public_key_ex(NULL, c->op->param, NULL, c->pub.data, c->pub.len);
    s->md_ctx = EVP_MD_CTX_new();
    if (s->key == NULL || s->md_ctx == NULL ||
        EVP_DigestVerifyInit_ex(s->md_ctx, NULL, NULL, NULL, NULL, s->key, NULL) != 1)
        return session_give_up(c, "EVP_DigestVerifyInit_ex");
    return CS_OK;
}

static int ed25519_verify_call(cs_case *c)
{
    struct session *s = c->state;

    if (EVP_DigestVerifyInit(s->md_ctx, NULL, NULL, NULL, NULL) != 1)
        return session_fail("EVP_DigestVerifyInit");
    return verdict(EVP_DigestVerify(s->md_ctx, c->sig.data, c->sig.len, c->msg.data, c->msg.len), "EVP_DigestVerify");
}

/* A key on `group` from the public point, unless its `data` is NULL, and the private scalar, unless it is NULL. NULL if
 * refused. */
static EVP_PKEY *ec_key(const char *group, cs_span pub, const BIGNUM *scalar)
{
    OSSL_PARAM_BLD *build = OSSL_PARAM_BLD_new();
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
    OSSL_PARAM *params = NULL;
    EVP_PKEY *key = NULL;
    int selection = scalar != NULL ? EVP_PKEY_KEYPAIR : EVP_PKEY_PUBLIC_KEY;

    if (build != NULL && ctx != NULL &&
        OSSL_PARAM_BLD_push_utf8_string(build, OSSL_PKEY_PARAM_GROUP_NAME, group, 0) == 1 &&
        (pub.data == NULL ||
         OSSL_PARAM_BLD_push_octet_string(build, OSSL_PKEY_PARAM_PUB_KEY, pub.data, pub.len) == 1) &&
        (scalar == NULL || OSSL_PARAM_BLD_push_BN(build, OSSL_PKEY_PARAM_PRIV_KEY, scalar) == 1))
        params = OSSL_PARAM_BLD_to_param(build);
    if (params != NULL && EVP_PKEY_fromdata_init(ctx) == 1)
        (void)EVP_PKEY_fromdata(ctx, &key, selection, params);
    OSSL_PARAM_free(params);
    OSSL_PARAM_BLD_free(build);
    EVP_PKEY_CTX_free(ctx);
    return key;
}

/* The digest and a context for the key: EVP_PKEY_sign and EVP_PKEY_verify may be called on it any number of times. */
static int ecdsa_open(struct session *s, EVP_MD *md)
{
    if (s->key == NULL || !session_open_digest(s, md))
        return 0;
    s->md_len = (size_t)EVP_MD_get_size(md);
    s->key_ctx = EVP_PKEY_CTX_new_from_pkey(NULL, s->key, NULL);
    return s->key_ctx != NULL;
}

static int ecdsa_sign_setup(cs_case *c)
{
    struct session *s = session_new(c);
    BIGNUM *scalar;

    if (s == NULL)
        return CS_ERROR;
    scalar = BN_bin2bn(c->key.data, (int)c->key.len, NULL);
    s->key = scalar != NULL ? ec_key(c->op->param, c->pub, scalar) : NULL;
    BN_clear_free(scalar);
    if (!ecdsa_open(s, c->fetched) || EVP_PKEY_sign_init(s->key_ctx) != 1)
        return session_give_up(c, "EVP_PKEY_sign_init");
    return CS_OK;
}

#ifdef OSSL_SIGNATURE_PARAM_NONCE_TYPE
static const char *nonce_unavailable(const struct cs_op *op)
{
    return ecdsa_unavailable(op);
}

/* RFC 6979: the secret number comes from key and digest, by the digest that is named here. */
static int ecdsa_sign_rfc6979_setup(cs_case *c)
{
    unsigned deterministic = 1;
    const OSSL_PARAM params[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_SIGNATURE_PARAM_DIGEST, (char *)digest_of(c->op), 0),
        OSSL_PARAM_construct_uint(OSSL_SIGNATURE_PARAM_NONCE_TYPE, &deterministic),
        OSSL_PARAM_construct_end(),
    };
    struct session *s;

    if (ecdsa_sign_setup(c) != CS_OK)
        return CS_ERROR;
    s = c->state;
    return EVP_PKEY_CTX_set_params(s->key_ctx, params) == 1 ? CS_OK : session_give_up(c, "EVP_PKEY_CTX_set_params");
}
#else
static const char *nonce_unavailable(const struct cs_op *op)
{
    (void)op;
    return "deterministic nonces came with OpenSSL 3.2";
}

static int ecdsa_sign_rfc6979_setup(cs_case *c)
{
    (void)c;
    return cs_fail("deterministic nonces came with OpenSSL 3.2");
}
#endif

static int ecdsa_sign_call(cs_case *c)
{
    struct session *s = c->state;
    uint8_t hash[EVP_MAX_MD_SIZE];

    c->out_len = c->out_cap;
    if (!session_digest(s, c->msg, hash) || EVP_PKEY_sign(s->key_ctx, c->out, &c->out_len, hash, s->md_len) != 1)
        return session_fail("EVP_PKEY_sign");
    return CS_OK;
}

static int ecdsa_verify_setup(cs_case *c)
{
    struct session *s = session_new(c);

    if (s == NULL)
        return CS_ERROR;
    s->key = ec_key(c->op->param, c->pub, NULL);
    if (!ecdsa_open(s, c->fetched) || EVP_PKEY_verify_init(s->key_ctx) != 1)
        return session_give_up(c, "EVP_PKEY_verify_init");
    return CS_OK;
}

static int ecdsa_verify_call(cs_case *c)
{
    struct session *s = c->state;
    uint8_t hash[EVP_MAX_MD_SIZE];

    if (!session_digest(s, c->msg, hash))
        return session_fail("EVP_Digest");
    return verdict(EVP_PKEY_verify(s->key_ctx, c->sig.data, c->sig.len, hash, s->md_len), "EVP_PKEY_verify");
}

/* ---- ECDH ---- */

static const char *ecdh_fetch(const struct cs_op *op, void **fetched)
{
    EVP_KEYMGMT *keys = EVP_KEYMGMT_fetch(NULL, "EC", NULL);

    (void)op;
    *fetched = EVP_KEYEXCH_fetch(NULL, "ECDH", NULL);
    return keys != NULL && *fetched != NULL ? NULL : "EVP_KEYEXCH_fetch fails";
}

static int ecdh_setup(cs_case *c)
{
    const cs_span none = {.data = NULL, .len = 0};
    struct session *s = session_new(c);
    BIGNUM *scalar;

    if (s == NULL)
        return CS_ERROR;
    scalar = BN_bin2bn(c->key.data, (int)c->key.len, NULL);
    s->key = scalar != NULL ? ec_key(c->op->param, none, scalar) : NULL;
    BN_clear_free(scalar);
    s->peer = ec_key(c->op->param, c->pub, NULL);
    if (s->key != NULL && s->peer == NULL) {
        (void)session_give_up(c, "EVP_PKEY_fromdata");
        return CS_BAD_KEY;
    }
    s->key_ctx = s->key != NULL ? EVP_PKEY_CTX_new_from_pkey(NULL, s->key, NULL) : NULL;
    if (s->key_ctx == NULL || EVP_PKEY_derive_init(s->key_ctx) != 1)
        return session_give_up(c, "EVP_PKEY_derive_init");
    if (EVP_PKEY_derive_set_peer(s->key_ctx, s->peer) != 1) {
        (void)session_give_up(c, "EVP_PKEY_derive_set_peer");
        return CS_BAD_KEY;
    }
    return EVP_PKEY_derive(s->key_ctx, NULL, &c->out_len) == 1 ? CS_OK : session_give_up(c, "EVP_PKEY_derive");
}

/* ---- rows ---- */

/* clang-format off */
#define DERIVE_ROW(CURVE, NAME)                                                                                        \
    {.id = CURVE "/derive", .impl = "default", .name = "EVP_PKEY_derive " NAME, .setup = derive_setup, .call = derive_call, .rekey = cs_setup_again, .teardown = session_free, .param = NAME, FETCHED(derive)}
#define ECDH_ROW(CURVE, GROUP)                                                                                         \
    {.id = CURVE "/derive", .impl = "default", .name = "EVP_PKEY_derive ECDH " GROUP, .setup = ecdh_setup, .call = derive_call, .rekey = cs_setup_again, .teardown = session_free, .param = GROUP, .unavailable = ecdsa_unavailable, .open = evp_open, .fetch = ecdh_fetch}
#define EDDSA_ROWS(ALGORITHM, NAME)                                                                                    \
    {.id = ALGORITHM "/sign", .impl = "default", .name = "EVP_DigestSign " NAME, .setup = ed25519_sign_setup, .call = ed25519_sign_call, .rekey = cs_setup_again, .teardown = session_free, .param = NAME, .unavailable = sig_unavailable, .open = evp_open, .fetch = ed25519_fetch}, \
    {.id = ALGORITHM "/verify", .impl = "default", .name = "EVP_DigestVerify " NAME, .setup = ed25519_verify_setup, .call = ed25519_verify_call, .rekey = cs_setup_again, .teardown = session_free, .param = NAME, .unavailable = sig_unavailable, .open = evp_open, .fetch = ed25519_fetch}
#define ECDSA_ROW(ALGORITHM, GROUP, VERB, IMPL, NAME, SETUP, ...)                                                      \
    {.id = ALGORITHM "/" #VERB, .impl = IMPL, .name = "EVP_PKEY_" #VERB " ECDSA " GROUP NAME, .setup = SETUP, .call = ecdsa_##VERB##_call, .rekey = cs_setup_again, .teardown = session_free, .param = GROUP, .form = "der", .open = evp_open, .fetch = ecdsa_fetch, __VA_ARGS__}
#define ECDSA_ROWS(ALGORITHM, GROUP)                                                                                   \
    ECDSA_ROW(ALGORITHM, GROUP, sign, "default", "", ecdsa_sign_setup, .unavailable = ecdsa_unavailable, .seed = ecdsa_seed), \
    ECDSA_ROW(ALGORITHM, GROUP, sign, "rfc6979", ", nonce-type 1", ecdsa_sign_rfc6979_setup, .unavailable = nonce_unavailable), \
    ECDSA_ROW(ALGORITHM, GROUP, verify, "default", "", ecdsa_verify_setup, .unavailable = ecdsa_unavailable)
/* clang-format on */

static const cs_op rows[] = {
    DERIVE_ROW("x25519", "X25519"),
    DERIVE_ROW("x448", "X448"),
    ECDH_ROW("p-256", "P-256"),
    ECDH_ROW("p-384", "P-384"),
    ECDH_ROW("p-521", "P-521"),
    ECDH_ROW("secp256k1", "secp256k1"),
    ECDH_ROW("brainpool-p256", "brainpoolP256r1"),
    EDDSA_ROWS("ed25519", "ED25519"),
    EDDSA_ROWS("ed448", "ED448"),
    ECDSA_ROWS("ecdsa-p256-sha256", "P-256"),
    ECDSA_ROWS("ecdsa-p384-sha384", "P-384"),
    ECDSA_ROWS("ecdsa-p521-sha512", "P-521"),
    ECDSA_ROWS("ecdsa-secp256k1-sha256", "secp256k1"),
    ECDSA_ROWS("ecdsa-brainpoolp256r1-sha256", "brainpoolP256r1"),
};
const cs_table openssl_pkey = CS_TABLE(rows);
