/* SPDX-License-Identifier: Apache-2.0
 *
 * AWS-LC, https://github.com/aws/aws-lc: what it has beside the adapter that it shares with BoringSSL. ML-KEM through
 * EVP_PKEY, SHAKE, and CCM.
 *
 * The calls that take the randomness from outside are of a header that AWS-LC installs as experimental; they serve
 * cases with a seed, none of which is timed.
 */
#include <limits.h>
#include <string.h>

#include <openssl/crypto.h>
#include <openssl/digest.h>
#include <openssl/err.h>
#include <openssl/evp_errors.h>
#include <openssl/experimental/kem_deterministic_api.h>
#include <openssl/nid.h>

#include "adapter.h"

#ifndef OPENSSL_IS_AWSLC
#error "these are not the headers of AWS-LC"
#endif

enum { KEM_SECRET = 32 };

/* "AWS-LC 5.12.0" */
static const char *own_version(void)
{
    const char *text = OpenSSL_version(OPENSSL_VERSION);
    const char *space = strchr(text, ' ');

    return space != NULL ? space + 1 : text;
}

static int nid_of(const cs_case *c)
{
    return *(const int *)c->op->param;
}

/* ---- ML-KEM ---- */

static int kem_keygen_setup(cs_case *c)
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

static int kem_keygen_call(cs_case *c)
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
static int kem_encaps_setup(cs_case *c)
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

static int kem_encaps_call(cs_case *c)
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

static int kem_decaps_setup(cs_case *c)
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

static int kem_decaps_call(cs_case *c)
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

static int shake128_setup(cs_case *c)
{
    return shake_setup(c, EVP_shake128(), 32);
}

static int shake256_setup(cs_case *c)
{
    return shake_setup(c, EVP_shake256(), 64);
}

static int shake_call(cs_case *c)
{
    struct session *s = c->state;

    return EVP_DigestInit_ex(s->md_ctx, s->md, NULL) == 1 &&
                   EVP_DigestUpdate(s->md_ctx, c->msg.data, c->msg.len) == 1 &&
                   EVP_DigestFinalXOF(s->md_ctx, c->out, c->out_len) == 1
               ? CS_OK
               : session_fail("EVP_DigestFinalXOF");
}

/* ---- CCM, through EVP_CIPHER: its EVP_AEADs of CCM have tags and nonces of other lengths than TLS ---- */

enum { TAG = 16 };

/* Lengths of nonce and tag before the key. */
static int ccm_setup(cs_case *c, int encrypt)
{
    const EVP_CIPHER *(*const *getter)(void) = c->op->param;
    struct session *s = session_new(c);

    if (s == NULL)
        return CS_ERROR;
    if (c->msg.len > INT_MAX || c->aad.len > INT_MAX)
        return session_give_up(c, "input longer than EVP takes in one update");
    memcpy(s->iv, c->iv.data, c->iv.len);
    s->cipher_ctx = EVP_CIPHER_CTX_new();
    if (s->cipher_ctx == NULL || EVP_CipherInit_ex(s->cipher_ctx, (*getter)(), NULL, NULL, NULL, encrypt) != 1 ||
        EVP_CIPHER_CTX_ctrl(s->cipher_ctx, EVP_CTRL_AEAD_SET_IVLEN, (int)c->iv.len, NULL) != 1 ||
        EVP_CIPHER_CTX_ctrl(s->cipher_ctx, EVP_CTRL_AEAD_SET_TAG, TAG, encrypt ? NULL : (void *)c->tag.data) != 1 ||
        EVP_CipherInit_ex(s->cipher_ctx, NULL, NULL, c->key.data, s->iv, encrypt) != 1)
        return session_give_up(c, "EVP_CipherInit_ex");
    c->out_len = c->msg.len + (encrypt ? TAG : 0);
    return CS_OK;
}

static int ccm_seal_setup(cs_case *c)
{
    return ccm_setup(c, 1);
}

static int ccm_open_setup(cs_case *c)
{
    return ccm_setup(c, 0);
}

/* Nonce, length of the message, additional data. */
static int ccm_start(cs_case *c)
{
    struct session *s = c->state;
    int len = 0;

    return EVP_CipherInit_ex(s->cipher_ctx, NULL, NULL, NULL, s->iv, -1) == 1 &&
           (c->tag.data == NULL ||
            EVP_CIPHER_CTX_ctrl(s->cipher_ctx, EVP_CTRL_AEAD_SET_TAG, TAG, (void *)c->tag.data) == 1) &&
           EVP_CipherUpdate(s->cipher_ctx, NULL, &len, NULL, (int)c->msg.len) == 1 &&
           (c->aad.len == 0 || EVP_CipherUpdate(s->cipher_ctx, NULL, &len, c->aad.data, (int)c->aad.len) == 1);
}

static int ccm_seal_call(cs_case *c)
{
    struct session *s = c->state;
    int len = 0;

    if (!ccm_start(c) || EVP_CipherUpdate(s->cipher_ctx, c->out, &len, c->msg.data, (int)c->msg.len) != 1 ||
        EVP_CIPHER_CTX_ctrl(s->cipher_ctx, EVP_CTRL_AEAD_GET_TAG, TAG, c->out + c->msg.len) != 1)
        return session_fail("EVP_Cipher");
    return CS_OK;
}

/* The update compares the tag. */
static int ccm_open_call(cs_case *c)
{
    struct session *s = c->state;
    int len = 0;

    if (!ccm_start(c))
        return session_fail("EVP_Cipher");
    return EVP_CipherUpdate(s->cipher_ctx, c->out, &len, c->msg.data, (int)c->msg.len) == 1
               ? CS_OK
               : session_reject("EVP_CipherUpdate");
}

/* ---- rows ---- */

#define KEM_ROW(ALGORITHM, NID, VERB, NAME, ...)                                                                       \
    {.id = ALGORITHM "/" #VERB,                                                                                        \
     .impl = "default",                                                                                                \
     .name = NAME,                                                                                                     \
     .setup = kem_##VERB##_setup,                                                                                      \
     .call = kem_##VERB##_call,                                                                                        \
     .teardown = session_free,                                                                                         \
     .param = &(const int){NID},                                                                                       \
     __VA_ARGS__}
#define KEM_ROWS(ALGORITHM, NID)                                                                                       \
    KEM_ROW(ALGORITHM, NID, keygen, "EVP_PKEY_keygen", .seed = random_seed, .seeded = 1),                              \
        KEM_ROW(ALGORITHM, NID, encaps, "EVP_PKEY_encapsulate", .rekey = cs_setup_again, .seed = random_seed,          \
                .seeded = 1),                                                                                          \
        KEM_ROW(ALGORITHM, NID, decaps, "EVP_PKEY_decapsulate", .rekey = cs_setup_again, .seeded = 0)
#define SHAKE_ROW(BITS)                                                                                                \
    {.id = "shake" #BITS "/hash",                                                                                      \
     .impl = "default",                                                                                                \
     .name = "EVP_DigestFinalXOF EVP_shake" #BITS,                                                                     \
     .setup = shake##BITS##_setup,                                                                                     \
     .call = shake_call,                                                                                               \
     .teardown = session_free}
#define CCM_ROW(ALGORITHM, VERB, NAME)                                                                                 \
    {                                                                                                                  \
        .id = ALGORITHM "/" #VERB, .impl = "default", .name = "EVP_" #NAME, .setup = ccm_##VERB##_setup,               \
        .call = ccm_##VERB##_call, .rekey = cipher_rekey, .teardown = session_free,                                    \
        .param = &(const EVP_CIPHER *(*const)(void))                                                                   \
        {                                                                                                              \
            EVP_##NAME                                                                                                 \
        }                                                                                                              \
    }

static const cs_op rows[] = {
    CCM_ROW("aes-128-ccm", seal, aes_128_ccm),
    CCM_ROW("aes-128-ccm", open, aes_128_ccm),
    CCM_ROW("aes-256-ccm", seal, aes_256_ccm),
    CCM_ROW("aes-256-ccm", open, aes_256_ccm),
    SHAKE_ROW(128),
    SHAKE_ROW(256),
    KEM_ROWS("ml-kem-512", NID_MLKEM512),
    KEM_ROWS("ml-kem-768", NID_MLKEM768),
    KEM_ROWS("ml-kem-1024", NID_MLKEM1024),
};
static const cs_table own = CS_TABLE(rows);

static const cs_library library = {
    .abi = CS_ABI,
    .id = "aws-lc",
    .version = own_version,
    .version_from = "library",
    .cpu_path = boringssl_cpu_path,
    .tables = CS_TABLES(&own, SHARED_TABLES),
};

CS_WORKER_MAIN(library)
