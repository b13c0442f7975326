/* SPDX-License-Identifier: Apache-2.0
 *
 * OpenSSL adapter: RSA signatures and encryption. The padding is set on the context in setup, which then serves any
 * number of calls.
 *
 * Entry points: EVP_PKEY_fromdata, EVP_PKEY_sign, EVP_PKEY_verify, EVP_PKEY_encrypt, EVP_PKEY_decrypt.
 */
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/param_build.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>

#include "session.h"

enum { DIGEST = 32, SALT = 32, NUMBERS = 8 };

static const char *rsa_unavailable(const struct cs_op *op)
{
    EVP_SIGNATURE *signature = EVP_SIGNATURE_fetch(NULL, "RSA", NULL);
    const char *reason = signature == NULL ? "no loaded provider has RSA" : NULL;

    (void)op;
    EVP_SIGNATURE_free(signature);
    ERR_clear_error();
    return reason;
}

/* EVP_PKEY takes no algorithm that was fetched: it fetches by name, and finds what is kept here. The digest is what a
 * case takes. */
static const char *rsa_fetch(const struct cs_op *op, void **fetched)
{
    EVP_KEYMGMT *keys = EVP_KEYMGMT_fetch(NULL, "RSA", NULL);
    EVP_SIGNATURE *signature = EVP_SIGNATURE_fetch(NULL, "RSA", NULL);
    EVP_ASYM_CIPHER *cipher = EVP_ASYM_CIPHER_fetch(NULL, "RSA", NULL);

    (void)op;
    *fetched = EVP_MD_fetch(NULL, "SHA256", NULL);
    return keys != NULL && signature != NULL && cipher != NULL && *fetched != NULL ? NULL : "EVP_SIGNATURE_fetch fails";
}

/* Salts and paddings are drawn from the public generator, blinding from the private one. */
static const char *rsa_seed(void)
{
    return RAND_get0_private(NULL) != NULL && RAND_get0_public(NULL) != NULL ? NULL : "RAND_get0_* fails: no seed";
}

/* Every number that the key has, under the names of OSSL_PKEY_PARAM. NULL if refused. */
static EVP_PKEY *load(const cs_rsa_key *numbers)
{
    static const char *const names[NUMBERS] = {
        OSSL_PKEY_PARAM_RSA_N,         OSSL_PKEY_PARAM_RSA_E,
        OSSL_PKEY_PARAM_RSA_D,         OSSL_PKEY_PARAM_RSA_FACTOR1,
        OSSL_PKEY_PARAM_RSA_FACTOR2,   OSSL_PKEY_PARAM_RSA_EXPONENT1,
        OSSL_PKEY_PARAM_RSA_EXPONENT2, OSSL_PKEY_PARAM_RSA_COEFFICIENT1,
    };
    const cs_span spans[NUMBERS] = {
        numbers->n,
        numbers->e,
        numbers->d,
        numbers->part[CS_CRT_P],
        numbers->part[CS_CRT_Q],
        numbers->part[CS_CRT_DP],
        numbers->part[CS_CRT_DQ],
        numbers->part[CS_CRT_QINV],
    };
    OSSL_PARAM_BLD *build = OSSL_PARAM_BLD_new();
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(NULL, "RSA", NULL);
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
        (void)EVP_PKEY_fromdata(ctx, &key, numbers->d.data != NULL ? EVP_PKEY_KEYPAIR : EVP_PKEY_PUBLIC_KEY, params);
    OSSL_PARAM_free(params);
    OSSL_PARAM_BLD_free(build);
    EVP_PKEY_CTX_free(ctx);
    for (int i = 0; i < NUMBERS; i++)
        BN_clear_free(number[i]);
    return key;
}

static int set_padding(struct session *s, int padding, const EVP_MD *md, int is_signature)
{
    if (EVP_PKEY_CTX_set_rsa_padding(s->key_ctx, padding) != 1)
        return 0;
    if (padding == RSA_PKCS1_OAEP_PADDING)
        return EVP_PKEY_CTX_set_rsa_oaep_md(s->key_ctx, md) == 1 && EVP_PKEY_CTX_set_rsa_mgf1_md(s->key_ctx, md) == 1;
    if (is_signature && EVP_PKEY_CTX_set_signature_md(s->key_ctx, md) != 1)
        return 0;
    return padding != RSA_PKCS1_PSS_PADDING || (EVP_PKEY_CTX_set_rsa_pss_saltlen(s->key_ctx, SALT) == 1 &&
                                                EVP_PKEY_CTX_set_rsa_mgf1_md(s->key_ctx, md) == 1);
}

/* The key, and a context that `init` made ready for one kind of calls. */
static int open_context(cs_case *c, int (*init)(EVP_PKEY_CTX *), int is_signature)
{
    const int *padding = c->op->param;
    cs_rsa_key numbers;
    struct session *s = session_new(c);

    if (s == NULL)
        return CS_ERROR;
    if (cs_rsa_numbers(c, &numbers) != CS_OK) {
        session_free(c);
        return CS_ERROR;
    }
    s->key = load(&numbers);
    if (s->key == NULL)
        return session_give_up(c, "EVP_PKEY_fromdata");
    s->key_ctx = EVP_PKEY_CTX_new_from_pkey(NULL, s->key, NULL);
    if (s->key_ctx == NULL || init(s->key_ctx) != 1 || !set_padding(s, *padding, c->fetched, is_signature) ||
        (is_signature && !session_open_digest(s, c->fetched)))
        return session_give_up(c, "EVP_PKEY_CTX_set_rsa_padding");
    return CS_OK;
}

/* What a call that failed means: everything but a lack of memory, or of the operation (-2), is the input's fault. */
static int refused(int answer, const char *entry_point)
{
    if (answer == -2 || ERR_GET_REASON(ERR_peek_error()) == ERR_R_MALLOC_FAILURE)
        return session_fail(entry_point);
    ERR_clear_error();
    return CS_REJECTED;
}

static int rsa_sign_setup(cs_case *c)
{
    return open_context(c, EVP_PKEY_sign_init, 1);
}

static int rsa_sign_call(cs_case *c)
{
    struct session *s = c->state;
    uint8_t hash[DIGEST];

    c->out_len = c->out_cap;
    if (!session_digest(s, c->msg, hash) || EVP_PKEY_sign(s->key_ctx, c->out, &c->out_len, hash, sizeof hash) != 1)
        return session_fail("EVP_PKEY_sign");
    return CS_OK;
}

static int rsa_verify_setup(cs_case *c)
{
    return open_context(c, EVP_PKEY_verify_init, 1);
}

static int rsa_verify_call(cs_case *c)
{
    struct session *s = c->state;
    uint8_t hash[DIGEST];
    int answer;

    if (!session_digest(s, c->msg, hash))
        return session_fail("EVP_Digest");
    answer = EVP_PKEY_verify(s->key_ctx, c->sig.data, c->sig.len, hash, sizeof hash);
    return answer == 1 ? CS_OK : refused(answer, "EVP_PKEY_verify");
}

static int rsa_encrypt_setup(cs_case *c)
{
    return open_context(c, EVP_PKEY_encrypt_init, 0);
}

static int rsa_encrypt_call(cs_case *c)
{
    struct session *s = c->state;

    c->out_len = c->out_cap;
    return EVP_PKEY_encrypt(s->key_ctx, c->out, &c->out_len, c->msg.data, c->msg.len) == 1
               ? CS_OK
               : session_fail("EVP_PKEY_encrypt");
}

static int rsa_decrypt_setup(cs_case *c)
{
    return open_context(c, EVP_PKEY_decrypt_init, 0);
}

static int rsa_decrypt_call(cs_case *c)
{
    struct session *s = c->state;
    int answer;

    c->out_len = c->out_cap;
    answer = EVP_PKEY_decrypt(s->key_ctx, c->out, &c->out_len, c->msg.data, c->msg.len);
    if (answer == 1)
        return CS_OK;
    c->out_len = 0;
    return refused(answer, "EVP_PKEY_decrypt");
}

/* ---- rows ---- */

/* `param` is the padding; its name is pasted, because RSA_PKCS1_PADDING would become its number in the text. */
#define RSA_ROW(ALGORITHM, VERB, CALL, PADDING)                                                                        \
    {.id = ALGORITHM "/" VERB,                                                                                         \
     .impl = "default",                                                                                                \
     .name = "EVP_PKEY_" #CALL " " #PADDING,                                                                           \
     .setup = rsa_##CALL##_setup,                                                                                      \
     .call = rsa_##CALL##_call,                                                                                        \
     .rekey = cs_setup_again,                                                                                          \
     .teardown = session_free,                                                                                         \
     .param = &(const int){RSA_##PADDING##_PADDING},                                                                   \
     .unavailable = rsa_unavailable,                                                                                   \
     .open = evp_open,                                                                                                 \
     .fetch = rsa_fetch,                                                                                               \
     .seed = rsa_seed}
#define RSA_SIGNATURE(ALGORITHM, PADDING)                                                                              \
    RSA_ROW(ALGORITHM, "sign", sign, PADDING), RSA_ROW(ALGORITHM, "verify", verify, PADDING)
#define RSA_CIPHER(ALGORITHM, PADDING)                                                                                 \
    RSA_ROW(ALGORITHM, "public-encrypt", encrypt, PADDING), RSA_ROW(ALGORITHM, "private-decrypt", decrypt, PADDING)
#define RSA_ROWS_OF(BITS)                                                                                              \
    RSA_SIGNATURE("rsa-" BITS "-pkcs1-sha256", PKCS1), RSA_SIGNATURE("rsa-" BITS "-pss-sha256", PKCS1_PSS),            \
        RSA_CIPHER("rsa-" BITS "-oaep-sha256", PKCS1_OAEP)

static const cs_op rows[] = {
    RSA_ROWS_OF("2048"),
    RSA_ROWS_OF("3072"),
    RSA_ROWS_OF("4096"),
    RSA_CIPHER("rsa-2048-pkcs1", PKCS1),
};
const cs_table openssl_rsa = CS_TABLE(rows);
