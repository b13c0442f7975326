/* SPDX-License-Identifier: Apache-2.0
 *
 * BoringSSL and AWS-LC adapter: RSA signatures and encryption. The padding is set on the context in setup, which then
 * serves any number of calls. OAEP with SHA-256 is EVP_PKEY's alone, so all paddings are taken there.
 *
 * Entry points: RSA_set0_*, EVP_PKEY_sign, EVP_PKEY_verify, EVP_PKEY_encrypt, EVP_PKEY_decrypt.
 */
#include <openssl/bn.h>
#include <openssl/digest.h>
#include <openssl/rsa.h>
#include <openssl/sha.h>

#include "adapter.h"

enum { SALT = 32 };

static BIGNUM *number(cs_span bytes)
{
    return BN_bin2bn(bytes.data, bytes.len, NULL);
}

/* A setter takes its numbers if it says 1, else they are still the caller's. */
static int set_private(RSA *rsa, const cs_rsa_key *numbers)
{
    BIGNUM *part[CS_CRT_PARTS];

    for (int i = 0; i < CS_CRT_PARTS; i++)
        part[i] = number(numbers->part[i]);
    if (RSA_set0_factors(rsa, part[CS_CRT_P], part[CS_CRT_Q]) == 1) {
        part[CS_CRT_P] = part[CS_CRT_Q] = NULL;
        if (RSA_set0_crt_params(rsa, part[CS_CRT_DP], part[CS_CRT_DQ], part[CS_CRT_QINV]) == 1)
            return 1;
    }
    for (int i = 0; i < CS_CRT_PARTS; i++)
        BN_clear_free(part[i]);
    return 0;
}

static RSA *load(const cs_rsa_key *numbers)
{
    RSA *rsa = RSA_new();
    BIGNUM *n = number(numbers->n), *e = number(numbers->e), *d = NULL;
    int is_private = numbers->d.data != NULL;

    if (is_private)
        d = number(numbers->d);
    if (rsa != NULL && n != NULL && e != NULL && (d != NULL) == is_private && RSA_set0_key(rsa, n, e, d) == 1) {
        if (!is_private || set_private(rsa, numbers))
            return rsa;
    } else {
        BN_free(n);
        BN_free(e);
        BN_clear_free(d);
    }
    RSA_free(rsa);
    return NULL;
}

static int load_key(struct session *s, const cs_rsa_key *numbers)
{
    RSA *rsa = load(numbers);
    int done;

    s->key = EVP_PKEY_new();
    done = rsa != NULL && s->key != NULL && EVP_PKEY_set1_RSA(s->key, rsa) == 1;
    RSA_free(rsa);
    return done;
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
    if (!load_key(s, &numbers))
        return session_give_up(c, "RSA_set0_key");
    s->key_ctx = EVP_PKEY_CTX_new(s->key, NULL);
    if (s->key_ctx == NULL || init(s->key_ctx) != 1 || !set_padding(s, *padding, EVP_sha256(), is_signature))
        return session_give_up(c, "EVP_PKEY_CTX_set_rsa_padding");
    return CS_OK;
}

static int rsa_sign_setup(cs_case *c)
{
    return open_context(c, EVP_PKEY_sign_init, 1);
}

static int rsa_sign_call(cs_case *c)
{
    struct session *s = c->state;
    uint8_t hash[SHA256_DIGEST_LENGTH];

    c->out_len = c->out_cap;
    SHA256(c->msg.data, c->msg.len, hash);
    if (EVP_PKEY_sign(s->key_ctx, c->out, &c->out_len, hash, sizeof hash) != 1)
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
    uint8_t hash[SHA256_DIGEST_LENGTH];

    SHA256(c->msg.data, c->msg.len, hash);
    return EVP_PKEY_verify(s->key_ctx, c->sig.data, c->sig.len, hash, sizeof hash) == 1
               ? CS_OK
               : session_reject("EVP_PKEY_verify");
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

    c->out_len = c->out_cap;
    if (EVP_PKEY_decrypt(s->key_ctx, c->out, &c->out_len, c->msg.data, c->msg.len) == 1)
        return CS_OK;
    c->out_len = 0;
    return session_reject("EVP_PKEY_decrypt");
}

/* ---- rows ---- */

/* `param` is the padding. */
#define RSA_ROW(ALGORITHM, VERB, CALL, NAME, PADDING)                                                                  \
    {.id = ALGORITHM "/" VERB,                                                                                         \
     .impl = "default",                                                                                                \
     .name = NAME " " #PADDING,                                                                                        \
     .setup = rsa_##CALL##_setup,                                                                                      \
     .call = rsa_##CALL##_call,                                                                                        \
     .rekey = cs_setup_again,                                                                                          \
     .teardown = session_free,                                                                                         \
     .param = &(const int){PADDING},                                                                                   \
     .seed = random_seed}
#define RSA_SIGNATURE(ALGORITHM, PADDING)                                                                              \
    RSA_ROW(ALGORITHM, "sign", sign, "SHA256, EVP_PKEY_sign", PADDING),                                                \
        RSA_ROW(ALGORITHM, "verify", verify, "SHA256, EVP_PKEY_verify", PADDING)
#define RSA_CIPHER(ALGORITHM, PADDING)                                                                                 \
    RSA_ROW(ALGORITHM, "public-encrypt", encrypt, "EVP_PKEY_encrypt", PADDING),                                        \
        RSA_ROW(ALGORITHM, "private-decrypt", decrypt, "EVP_PKEY_decrypt", PADDING)
#define RSA_ROWS_OF(BITS)                                                                                              \
    RSA_SIGNATURE("rsa-" BITS "-pkcs1-sha256", RSA_PKCS1_PADDING),                                                     \
        RSA_SIGNATURE("rsa-" BITS "-pss-sha256", RSA_PKCS1_PSS_PADDING),                                               \
        RSA_CIPHER("rsa-" BITS "-oaep-sha256", RSA_PKCS1_OAEP_PADDING)

static const cs_op rows[] = {
    RSA_ROWS_OF("2048"),
    RSA_ROWS_OF("3072"),
    RSA_ROWS_OF("4096"),
    RSA_CIPHER("rsa-2048-pkcs1", RSA_PKCS1_PADDING),
};
const cs_table boringssl_rsa = CS_TABLE(rows);
