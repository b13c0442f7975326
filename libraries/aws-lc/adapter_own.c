/* SPDX-License-Identifier: Apache-2.0
 *
 * AWS-LC, https://github.com/aws/aws-lc: ML-KEM through EVP_PKEY, and two exponentiations in one call.
 *
 * The calls that take the randomness from outside are of a header that AWS-LC installs as experimental; they serve
 * cases with a seed, none of which is timed.
 */
#include <string.h>

#include <openssl/crypto.h>
#include <openssl/digest.h>
#include <openssl/err.h>
#include <openssl/evp_errors.h>
#include <openssl/experimental/kem_deterministic_api.h>

#include "adapter_own.h"

/* "AWS-LC 5.12.0" */
const char *own_version(void)
{
    const char *text = OpenSSL_version(OPENSSL_VERSION);
    const char *space = strchr(text, ' ');

    return space != NULL ? space + 1 : text;
}

const EVP_MD *(*const ripemd160)(void) = EVP_ripemd160;

static int nid_of(const cs_case *c)
{
    return *(const int *)c->op->param;
}

/* ---- ML-KEM ---- */

int kem_keygen_setup(cs_case *c)
{
    struct session *s = session_new(c);

    if (s == NULL)
        return CS_ERROR;
    s->seed = cs_input(c, "seed");
    s->key_ctx = EVP_PKEY_CTX_new_id(EVP_PKEY_KEM, NULL);
    if (s->key_ctx == NULL || EVP_PKEY_CTX_kem_set_params(s->key_ctx, nid_of(c)) != 1 ||
        EVP_PKEY_keygen_init(s->key_ctx) != 1)
        return session_give_up(c, "EVP_PKEY_keygen_init");
    return CS_OK;
}

static int generate(struct session *s, EVP_PKEY **key)
{
    size_t len = s->seed.len;

    return s->seed.data == NULL ? EVP_PKEY_keygen(s->key_ctx, key)
                                : EVP_PKEY_keygen_deterministic(s->key_ctx, key, s->seed.data, &len);
}

int kem_keygen_call(cs_case *c)
{
    struct session *s = c->state;
    EVP_PKEY *key = NULL;
    size_t private_len = c->out_cap;
    size_t public_len;
    int done = generate(s, &key) == 1 && EVP_PKEY_get_raw_private_key(key, c->out, &private_len) == 1;

    public_len = c->out_cap - private_len;
    done = done && EVP_PKEY_get_raw_public_key(key, c->out + private_len, &public_len) == 1;
    EVP_PKEY_free(key);
    c->out_len = private_len + public_len;
    return done ? CS_OK : session_fail("EVP_PKEY_keygen");
}

/* Raw keys are taken by their length alone; the manual gives EVP_PKEY_public_check for what is in a public one. */
int kem_encaps_setup(cs_case *c)
{
    struct session *s = session_new(c);

    if (s == NULL)
        return CS_ERROR;
    s->seed = cs_input(c, "seed");
    s->key = EVP_PKEY_kem_new_raw_public_key(nid_of(c), c->pub.data, c->pub.len);
    if (s->key == NULL)
        return session_refuse_key(c);
    s->key_ctx = EVP_PKEY_CTX_new(s->key, NULL);
    if (s->key_ctx == NULL)
        return session_give_up(c, "EVP_PKEY_CTX_new");
    return EVP_PKEY_public_check(s->key_ctx) == 1 ? CS_OK : session_refuse_key(c);
}

int kem_encaps_call(cs_case *c)
{
    struct session *s = c->state;
    size_t secret_len = KEM_SECRET;
    size_t ciphertext_len = c->out_cap - KEM_SECRET;
    size_t seed_len = s->seed.len;
    uint8_t *secret = c->out + ciphertext_len;
    int done = s->seed.data == NULL ? EVP_PKEY_encapsulate(s->key_ctx, c->out, &ciphertext_len, secret, &secret_len)
                                    : EVP_PKEY_encapsulate_deterministic(s->key_ctx, c->out, &ciphertext_len, secret,
                                                                         &secret_len, s->seed.data, &seed_len);

    if (done != 1)
        return session_fail("EVP_PKEY_encapsulate");
    c->out_len = ciphertext_len + secret_len;
    return c->out_len == c->out_cap ? CS_OK : cs_fail("ciphertext or secret has another length than the standard says");
}

int kem_decaps_setup(cs_case *c)
{
    struct session *s = session_new(c);

    if (s == NULL)
        return CS_ERROR;
    s->key = EVP_PKEY_kem_new_raw_secret_key(nid_of(c), c->key.data, c->key.len);
    if (s->key == NULL)
        return session_refuse_key(c);
    s->key_ctx = EVP_PKEY_CTX_new(s->key, NULL);
    c->out_len = KEM_SECRET;
    return s->key_ctx != NULL ? CS_OK : session_give_up(c, "EVP_PKEY_CTX_new");
}

/* It refuses a ciphertext by its length; else it is the key, whose hash it checks in every call. */
static int refused(void)
{
    int length = ERR_GET_REASON(ERR_peek_error()) == EVP_R_INVALID_BUFFER_SIZE;
    int status = session_reject("EVP_PKEY_decapsulate");

    return status == CS_REJECTED && !length ? CS_BAD_KEY : status;
}

int kem_decaps_call(cs_case *c)
{
    struct session *s = c->state;
    size_t len = c->out_cap;

    if (EVP_PKEY_decapsulate(s->key_ctx, c->out, &len, c->msg.data, c->msg.len) != 1)
        return refused();
    return len == KEM_SECRET ? CS_OK : cs_fail("the secret has another length than the standard says");
}

/* ---- SHAKE ---- */

static int shake_setup(cs_case *c, const EVP_MD *md, size_t bytes)
{
    struct session *s = session_new(c);

    if (s == NULL)
        return CS_ERROR;
    s->md = md;
    s->md_ctx = EVP_MD_CTX_new();
    if (s->md_ctx == NULL || EVP_DigestInit_ex(s->md_ctx, s->md, NULL) != 1)
        return session_give_up(c, "EVP_DigestInit_ex");
    c->out_len = bytes;
    return CS_OK;
}

int shake128_setup(cs_case *c)
{
    return shake_setup(c, EVP_shake128(), 32);
}

int shake256_setup(cs_case *c)
{
    return shake_setup(c, EVP_shake256(), 64);
}

int shake_call(cs_case *c)
{
    struct session *s = c->state;

    return EVP_DigestInit_ex(s->md_ctx, s->md, NULL) == 1 &&
                   EVP_DigestUpdate(s->md_ctx, c->msg.data, c->msg.len) == 1 &&
                   EVP_DigestFinalXOF(s->md_ctx, c->out, c->out_len) == 1
               ? CS_OK
               : session_fail("EVP_DigestFinalXOF");
}
