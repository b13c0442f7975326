/* SPDX-License-Identifier: Apache-2.0
 *
 * OpenSSL adapter: key generation, ML-KEM and X25519MLKEM768, and agreement with ephemeral keys.
 */
#include <string.h>

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <openssl/rsa.h>

#include "session.h"

/* ---- key generation ---- */

const char *keygen_unavailable(const struct cs_op *op)
{
    const struct key_kind *kind = op->param;
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(NULL, kind->name, NULL);
    const char *reason = ctx == NULL ? "no loaded provider has this kind of key" : NULL;

    EVP_PKEY_CTX_free(ctx);
    ERR_clear_error();
    return reason;
}

/* EVP_PKEY_CTX takes no algorithm that was fetched: it fetches by name, and finds what is kept here. */
const char *keygen_fetch(const struct cs_op *op, void **fetched)
{
    const struct key_kind *kind = op->param;

    *fetched = EVP_KEYMGMT_fetch(NULL, kind->name, NULL);
    return *fetched != NULL ? NULL : "EVP_KEYMGMT_fetch fails";
}

int keygen_setup(cs_case *c)
{
    const struct key_kind *kind = c->op->param;
    struct session *s = session_new(c);
    cs_span seed = cs_input(c, "seed");

    if (s == NULL)
        return CS_ERROR;
    s->key_ctx = EVP_PKEY_CTX_new_from_name(NULL, kind->name, NULL);
    if (s->key_ctx == NULL || EVP_PKEY_keygen_init(s->key_ctx) != 1)
        return session_give_up(c, "EVP_PKEY_keygen_init");
    if (kind->group != NULL && EVP_PKEY_CTX_set_group_name(s->key_ctx, kind->group) != 1)
        return session_give_up(c, "EVP_PKEY_CTX_set_group_name");
    if (kind->bits != 0 && EVP_PKEY_CTX_set_rsa_keygen_bits(s->key_ctx, kind->bits) != 1)
        return session_give_up(c, "EVP_PKEY_CTX_set_rsa_keygen_bits");
    s->seed = seed;
    return CS_OK;
}

/* A seed serves one key: it is given anew in each call. Its name is that of OSSL_PKEY_PARAM_ML_KEM_SEED, which came
 * with 3.5. */
static int set_seed(const struct session *s)
{
    const OSSL_PARAM params[] = {
        OSSL_PARAM_construct_octet_string("seed", (void *)s->seed.data, s->seed.len),
        OSSL_PARAM_construct_end(),
    };

    return s->seed.data == NULL || EVP_PKEY_CTX_set_params(s->key_ctx, params) == 1;
}

static int put_raw(cs_case *c, EVP_PKEY *key)
{
    size_t private_len = c->out_cap, public_len;

    if (EVP_PKEY_get_raw_private_key(key, c->out, &private_len) != 1)
        return 0;
    public_len = c->out_cap - private_len;
    if (EVP_PKEY_get_raw_public_key(key, c->out + private_len, &public_len) != 1)
        return 0;
    c->out_len = private_len + public_len;
    return 1;
}

int put_number(const EVP_PKEY *key, const char *name, uint8_t *out, int len)
{
    BIGNUM *number = NULL;
    int done = EVP_PKEY_get_bn_param(key, name, &number) == 1 && BN_bn2binpad(number, out, len) == len;

    BN_clear_free(number);
    return done;
}

static int put_ec(cs_case *c, const EVP_PKEY *key)
{
    const int bytes = (EVP_PKEY_get_bits(key) + 7) / 8;
    size_t len = 0;

    if (!put_number(key, OSSL_PKEY_PARAM_PRIV_KEY, c->out, bytes) ||
        EVP_PKEY_get_octet_string_param(key, OSSL_PKEY_PARAM_PUB_KEY, c->out + bytes, c->out_cap - (size_t)bytes,
                                        &len) != 1)
        return 0;
    c->out_len = (size_t)bytes + len;
    return 1;
}

static int put_rsa(cs_case *c, const EVP_PKEY *key, int bits)
{
    static const char *const parts[CS_CRT_PARTS] = {
        [CS_CRT_P] = OSSL_PKEY_PARAM_RSA_FACTOR1,         [CS_CRT_Q] = OSSL_PKEY_PARAM_RSA_FACTOR2,
        [CS_CRT_DP] = OSSL_PKEY_PARAM_RSA_EXPONENT1,      [CS_CRT_DQ] = OSSL_PKEY_PARAM_RSA_EXPONENT2,
        [CS_CRT_QINV] = OSSL_PKEY_PARAM_RSA_COEFFICIENT1,
    };
    uint8_t *at = c->out;
    int half = (int)CS_RSA_PART_OF(bits);

    for (int i = 0; i < CS_CRT_PARTS; i++, at += half)
        if (!put_number(key, parts[i], at, half))
            return 0;
    if (!put_number(key, OSSL_PKEY_PARAM_RSA_N, at, 2 * half) ||
        !put_number(key, OSSL_PKEY_PARAM_RSA_E, at + 2 * half, CS_RSA_EXPONENT))
        return 0;
    c->out_len = CS_RSA_PAIR_OF(bits);
    return 1;
}

static int keygen_call(cs_case *c)
{
    const struct key_kind *kind = c->op->param;
    struct session *s = c->state;
    EVP_PKEY *key = NULL;
    int done;

    if (!set_seed(s) || EVP_PKEY_generate(s->key_ctx, &key) != 1)
        return session_fail("EVP_PKEY_generate");
    done = kind->group != NULL ? put_ec(c, key) : kind->bits != 0 ? put_rsa(c, key, kind->bits) : put_raw(c, key);
    EVP_PKEY_free(key);
    return done ? CS_OK : session_fail("EVP_PKEY_get_*_param");
}

/* ---- ML-KEM: the row's `param` is the name to fetch ---- */

static const char *kem_unavailable(const struct cs_op *op)
{
    EVP_KEM *kem = EVP_KEM_fetch(NULL, op->param, NULL);
    const char *reason = kem == NULL ? "no loaded provider has it: ML-KEM came with OpenSSL 3.5" : NULL;

    EVP_KEM_free(kem);
    ERR_clear_error();
    return reason;
}

static const char *kem_fetch(const struct cs_op *op, void **fetched)
{
    EVP_KEYMGMT *keys = EVP_KEYMGMT_fetch(NULL, op->param, NULL);

    *fetched = EVP_KEM_fetch(NULL, op->param, NULL);
    return keys != NULL && *fetched != NULL ? NULL : "EVP_KEM_fetch fails";
}

/* A key of the right length, which the SDK sees to, that the library does not take fails the check of its contents. */
static int kem_open(cs_case *c, struct session *s)
{
    if (s->key == NULL) {
        (void)session_give_up(c, "EVP_PKEY_new_raw_key");
        return CS_BAD_KEY;
    }
    s->key_ctx = EVP_PKEY_CTX_new_from_pkey(NULL, s->key, NULL);
    return s->key_ctx != NULL ? CS_OK : session_give_up(c, "EVP_PKEY_CTX_new_from_pkey");
}

static int encaps_setup(cs_case *c)
{
    struct session *s = session_new(c);
    int status;

    if (s == NULL)
        return CS_ERROR;
    s->seed = cs_input(c, "seed");
    s->key = EVP_PKEY_new_raw_public_key_ex(NULL, c->op->param, NULL, c->pub.data, c->pub.len);
    status = kem_open(c, s);
    if (status != CS_OK)
        return status;
    if (EVP_PKEY_encapsulate_init(s->key_ctx, NULL) != 1 ||
        EVP_PKEY_encapsulate(s->key_ctx, NULL, NULL, NULL, &s->secret_len) != 1)
        return session_give_up(c, "EVP_PKEY_encapsulate_init");
    return CS_OK;
}

/* The seed serves one call, as in key generation. */
static int set_ikme(const struct session *s)
{
    const OSSL_PARAM params[] = {
        OSSL_PARAM_construct_octet_string("ikme", (void *)s->seed.data, s->seed.len),
        OSSL_PARAM_construct_end(),
    };

    return s->seed.data == NULL || EVP_PKEY_CTX_set_params(s->key_ctx, params) == 1;
}

static int encaps_call(cs_case *c)
{
    struct session *s = c->state;
    size_t secret_len = s->secret_len, ciphertext_len = c->out_cap - s->secret_len;

    if (!set_ikme(s) ||
        EVP_PKEY_encapsulate(s->key_ctx, c->out, &ciphertext_len, c->out + ciphertext_len, &secret_len) != 1)
        return session_fail("EVP_PKEY_encapsulate");
    c->out_len = ciphertext_len + secret_len;
    return c->out_len == c->out_cap ? CS_OK : cs_fail("ciphertext or secret has another length than the standard says");
}

static int decaps_setup(cs_case *c)
{
    struct session *s = session_new(c);
    int status;

    if (s == NULL)
        return CS_ERROR;
    s->key = EVP_PKEY_new_raw_private_key_ex(NULL, c->op->param, NULL, c->key.data, c->key.len);
    status = kem_open(c, s);
    if (status != CS_OK)
        return status;
    if (EVP_PKEY_decapsulate_init(s->key_ctx, NULL) != 1 ||
        EVP_PKEY_decapsulate(s->key_ctx, NULL, &c->out_len, c->msg.data, c->msg.len) != 1)
        return session_give_up(c, "EVP_PKEY_decapsulate_init");
    return CS_OK;
}

static int decaps_call(cs_case *c)
{
    struct session *s = c->state;
    size_t len = c->out_cap;

    if (EVP_PKEY_decapsulate(s->key_ctx, c->out, &len, c->msg.data, c->msg.len) == 1)
        return len == c->out_len ? CS_OK : cs_fail("the secret has another length than the standard says");
    if (ERR_GET_REASON(ERR_peek_error()) == ERR_R_MALLOC_FAILURE)
        return session_fail("EVP_PKEY_decapsulate");
    ERR_clear_error();
    return CS_REJECTED;
}

/* ---- agreement with an ephemeral key, as the library's own handshake goes about it ---- */

static const char *agree_fetch(const struct cs_op *op, void **fetched)
{
    const struct key_kind *kind = op->param;
    const char *reason = keygen_fetch(op, fetched);

    if (reason == NULL)
        *fetched = EVP_KEYEXCH_fetch(NULL, kind->group != NULL ? "ECDH" : kind->name, NULL);
    return reason != NULL || *fetched != NULL ? reason : "EVP_KEYEXCH_fetch fails";
}

/* The peer's public value as a key of the same kind as `own`; NULL if the library refuses it. */
static EVP_PKEY *read_peer(const EVP_PKEY *own, cs_span pub)
{
    EVP_PKEY *peer = EVP_PKEY_new();

    if (peer != NULL && EVP_PKEY_copy_parameters(peer, own) == 1 &&
        EVP_PKEY_set1_encoded_public_key(peer, pub.data, pub.len) == 1)
        return peer;
    EVP_PKEY_free(peer);
    return NULL;
}

static int put_public(cs_case *c, EVP_PKEY *own)
{
    size_t len = 0;

    return EVP_PKEY_get_octet_string_param(own, OSSL_PKEY_PARAM_ENCODED_PUBLIC_KEY, c->out, c->pub.len, &len) == 1 &&
           len == c->pub.len;
}

/* What is refused of the peer's value is that value's fault, but for a want of memory. */
static int refused(const char *entry_point)
{
    if (ERR_GET_REASON(ERR_peek_error()) == ERR_R_MALLOC_FAILURE)
        return session_fail(entry_point);
    ERR_clear_error();
    return CS_BAD_KEY;
}

static int put_secret(cs_case *c, EVP_PKEY *own, EVP_PKEY *peer)
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_pkey(NULL, own, NULL);
    size_t len = c->out_cap - c->pub.len;
    int status = CS_OK;

    if (ctx == NULL || EVP_PKEY_derive_init(ctx) != 1)
        status = session_fail("EVP_PKEY_derive_init");
    else if (EVP_PKEY_derive_set_peer(ctx, peer) != 1)
        status = refused("EVP_PKEY_derive_set_peer");
    else if (EVP_PKEY_derive(ctx, c->out + c->pub.len, &len) != 1)
        status = refused("EVP_PKEY_derive");
    EVP_PKEY_CTX_free(ctx);
    c->out_len = c->pub.len + len;
    return status;
}

static int agree_call(cs_case *c)
{
    struct session *s = c->state;
    EVP_PKEY *own = NULL, *peer;
    int status;

    if (EVP_PKEY_generate(s->key_ctx, &own) != 1)
        return session_fail("EVP_PKEY_generate");
    peer = read_peer(own, c->pub);
    if (peer == NULL)
        status = refused("EVP_PKEY_set1_encoded_public_key");
    else
        status = put_public(c, own) ? put_secret(c, own, peer) : session_fail("EVP_PKEY_get_octet_string_param");
    EVP_PKEY_free(peer);
    EVP_PKEY_free(own);
    return status;
}

/* ---- rows ---- */

#define KEYGEN_ROW(ALGORITHM, SEEDED, ...)                                                                             \
    {.id = ALGORITHM "/keygen",                                                                                        \
     .impl = "default",                                                                                                \
     .name = "EVP_PKEY_generate",                                                                                      \
     .setup = keygen_setup,                                                                                            \
     .call = keygen_call,                                                                                              \
     .teardown = session_free,                                                                                         \
     .param = &(const struct key_kind){__VA_ARGS__},                                                                   \
     .unavailable = keygen_unavailable,                                                                                \
     .open = evp_open,                                                                                                 \
     .fetch = keygen_fetch,                                                                                            \
     .seed = ecdsa_seed,                                                                                               \
     .seeded = SEEDED}
#define AGREE_ROW(ALGORITHM, ...)                                                                                      \
    {.id = ALGORITHM "/agree",                                                                                         \
     .impl = "default",                                                                                                \
     .name = "EVP_PKEY_generate, EVP_PKEY_derive",                                                                     \
     .setup = keygen_setup,                                                                                            \
     .call = agree_call,                                                                                               \
     .rekey = cs_key_in_call,                                                                                          \
     .teardown = session_free,                                                                                         \
     .param = &(const struct key_kind){__VA_ARGS__},                                                                   \
     .unavailable = keygen_unavailable,                                                                                \
     .open = evp_open,                                                                                                 \
     .fetch = agree_fetch,                                                                                             \
     .seed = ecdsa_seed}
#define KEM_ROW(ALGORITHM, NAME, VERB, SEEDED, DRAWS)                                                                  \
    {.id = ALGORITHM "/" #VERB,                                                                                        \
     .impl = "default",                                                                                                \
     .name = "EVP_PKEY_" #VERB "ulate",                                                                                \
     .setup = VERB##_setup,                                                                                            \
     .call = VERB##_call,                                                                                              \
     .rekey = cs_setup_again,                                                                                          \
     .teardown = session_free,                                                                                         \
     .param = NAME,                                                                                                    \
     .unavailable = kem_unavailable,                                                                                   \
     .open = evp_open,                                                                                                 \
     .fetch = kem_fetch,                                                                                               \
     .seed = DRAWS,                                                                                                    \
     .seeded = SEEDED}
#define KEM_ROWS(ALGORITHM, NAME)                                                                                      \
    KEYGEN_ROW(ALGORITHM, 1, .name = NAME), KEM_ROW(ALGORITHM, NAME, encaps, 1, ecdsa_seed),                           \
        KEM_ROW(ALGORITHM, NAME, decaps, 0, NULL)
#define EC_KEYGEN_ROW(CURVE, GROUP) KEYGEN_ROW(CURVE, 0, .name = "EC", .group = GROUP)

static const cs_op rows[] = {
    AGREE_ROW("x25519", .name = "X25519"),
    AGREE_ROW("p-256", .name = "EC", .group = "P-256"),
    AGREE_ROW("p-384", .name = "EC", .group = "P-384"),
    KEYGEN_ROW("x25519", 0, .name = "X25519"),
    KEYGEN_ROW("x448", 0, .name = "X448"),
    KEYGEN_ROW("ed25519", 0, .name = "ED25519"),
    KEYGEN_ROW("ed448", 0, .name = "ED448"),
    EC_KEYGEN_ROW("p-256", "P-256"),
    EC_KEYGEN_ROW("p-384", "P-384"),
    EC_KEYGEN_ROW("p-521", "P-521"),
    EC_KEYGEN_ROW("secp256k1", "secp256k1"),
    EC_KEYGEN_ROW("brainpool-p256", "brainpoolP256r1"),
    KEYGEN_ROW("rsa-2048", 0, .name = "RSA", .bits = 2048),
    KEYGEN_ROW("rsa-3072", 0, .name = "RSA", .bits = 3072),
    KEYGEN_ROW("rsa-4096", 0, .name = "RSA", .bits = 4096),
    KEM_ROWS("ml-kem-512", "ML-KEM-512"),
    KEM_ROWS("ml-kem-768", "ML-KEM-768"),
    KEM_ROWS("ml-kem-1024", "ML-KEM-1024"),
    /* The exchange of TLS as one encapsulation; it takes no seed. */
    KEYGEN_ROW("x25519mlkem768", 0, .name = "X25519MLKEM768"),
    KEM_ROW("x25519mlkem768", "X25519MLKEM768", encaps, 0, ecdsa_seed),
    KEM_ROW("x25519mlkem768", "X25519MLKEM768", decaps, 0, NULL),
};
const cs_table openssl_keys = CS_TABLE(rows);
