/* SPDX-License-Identifier: Apache-2.0
 *
 * BoringSSL and AWS-LC adapter: ciphers, authenticated encryption and key wrap.
 *
 * Entry points: EVP_AEAD_CTX_*, EVP_Cipher*; below EVP AES_cbc_encrypt, AES_ctr128_encrypt, DES_ede3_cbc_encrypt,
 * CRYPTO_chacha_20, AES_wrap_key, AES_unwrap_key.
 */
#include <limits.h>
#include <string.h>

#include <openssl/chacha.h>
#include <openssl/err.h>

#include "adapter.h"

enum { TAG = 16 };

typedef const EVP_CIPHER *(*cipher_getter)(void);
typedef const EVP_AEAD *(*aead_getter)(void);

/* ---- EVP_CIPHER ---- */

/* Expands the key. */
static int cipher_open(cs_case *c, int encrypt)
{
    struct session *s = session_new(c);
    const EVP_CIPHER *cipher = (*(const cipher_getter *)c->op->param)();

    if (s == NULL)
        return CS_ERROR;
    if (c->msg.len > INT_MAX || c->aad.len > INT_MAX)
        return session_give_up(c, "input longer than EVP takes in one update");
    memcpy(s->iv, c->iv.data, c->iv.len);
    s->cipher_ctx = EVP_CIPHER_CTX_new();
    if (s->cipher_ctx == NULL || EVP_CipherInit_ex(s->cipher_ctx, cipher, NULL, c->key.data, s->iv, encrypt) != 1 ||
        EVP_CIPHER_CTX_set_padding(s->cipher_ctx, 0) != 1)
        return session_give_up(c, "EVP_CipherInit_ex");
    c->out_len = c->msg.len;
    return CS_OK;
}

static int encrypt_setup(cs_case *c)
{
    return cipher_open(c, 1);
}

static int decrypt_setup(cs_case *c)
{
    return cipher_open(c, 0);
}

/* The schedule of another key in the context that there is. */
int cipher_rekey(cs_case *c)
{
    struct session *s = c->state;

    return EVP_CipherInit_ex(s->cipher_ctx, NULL, NULL, c->key.data, NULL, -1) == 1 ? CS_OK
                                                                                    : session_fail("EVP_CipherInit_ex");
}

static int cipher_call(cs_case *c)
{
    struct session *s = c->state;
    int len = 0;
    int rest = 0;

    if (EVP_CipherInit_ex(s->cipher_ctx, NULL, NULL, NULL, s->iv, -1) != 1 ||
        EVP_CipherUpdate(s->cipher_ctx, c->out, &len, c->msg.data, (int)c->msg.len) != 1 ||
        EVP_CipherFinal_ex(s->cipher_ctx, c->out + len, &rest) != 1)
        return session_fail("EVP_Cipher");
    return CS_OK;
}

static int gcm_seal_setup(cs_case *c)
{
    int status = cipher_open(c, 1);

    c->out_len = c->msg.len + TAG;
    return status;
}

static int gcm_open_setup(cs_case *c)
{
    return cipher_open(c, 0);
}

/* IV, additional data and message. */
static int gcm_process(cs_case *c)
{
    struct session *s = c->state;
    int len = 0;

    return EVP_CipherInit_ex(s->cipher_ctx, NULL, NULL, NULL, s->iv, -1) == 1 &&
           (c->aad.len == 0 || EVP_CipherUpdate(s->cipher_ctx, NULL, &len, c->aad.data, (int)c->aad.len) == 1) &&
           EVP_CipherUpdate(s->cipher_ctx, c->out, &len, c->msg.data, (int)c->msg.len) == 1;
}

static int gcm_seal_call(cs_case *c)
{
    struct session *s = c->state;
    int rest = 0;

    if (!gcm_process(c) || EVP_CipherFinal_ex(s->cipher_ctx, c->out + c->msg.len, &rest) != 1 ||
        EVP_CIPHER_CTX_ctrl(s->cipher_ctx, EVP_CTRL_AEAD_GET_TAG, TAG, c->out + c->msg.len) != 1)
        return session_fail("EVP_Cipher");
    return CS_OK;
}

static int gcm_open_call(cs_case *c)
{
    struct session *s = c->state;
    int rest = 0;

    if (!gcm_process(c) ||
        EVP_CIPHER_CTX_ctrl(s->cipher_ctx, EVP_CTRL_AEAD_SET_TAG, (int)c->tag.len, (void *)c->tag.data) != 1)
        return session_fail("EVP_Cipher");
    return EVP_CipherFinal_ex(s->cipher_ctx, c->out + c->msg.len, &rest) == 1 ? CS_OK
                                                                              : session_reject("EVP_CipherFinal_ex");
}

/* ---- EVP_AEAD ---- */

static int aead_rekey(cs_case *c)
{
    struct session *s = c->state;
    const EVP_AEAD *aead = (*(const aead_getter *)c->op->param)();

    EVP_AEAD_CTX_cleanup(&s->aead_ctx);
    return EVP_AEAD_CTX_init(&s->aead_ctx, aead, c->key.data, c->key.len, TAG, NULL) == 1
               ? CS_OK
               : session_fail("EVP_AEAD_CTX_init");
}

static int aead_open(cs_case *c, size_t out_len)
{
    if (session_new(c) == NULL)
        return CS_ERROR;
    if (aead_rekey(c) != CS_OK)
        return session_give_up(c, "EVP_AEAD_CTX_init");
    c->out_len = out_len;
    return CS_OK;
}

static int seal_setup(cs_case *c)
{
    return aead_open(c, c->msg.len + TAG);
}

static int open_setup(cs_case *c)
{
    return aead_open(c, c->msg.len);
}

static int seal_call(cs_case *c)
{
    struct session *s = c->state;
    size_t len = 0;

    return EVP_AEAD_CTX_seal(&s->aead_ctx, c->out, &len, c->out_cap, c->iv.data, c->iv.len, c->msg.data, c->msg.len,
                             c->aad.data, c->aad.len) == 1
               ? CS_OK
               : session_fail("EVP_AEAD_CTX_seal");
}

static int open_call(cs_case *c)
{
    struct session *s = c->state;

    return EVP_AEAD_CTX_open_gather(&s->aead_ctx, c->out, c->iv.data, c->iv.len, c->msg.data, c->msg.len, c->tag.data,
                                    c->tag.len, c->aad.data, c->aad.len) == 1
               ? CS_OK
               : session_reject("EVP_AEAD_CTX_open_gather");
}

/* ---- below EVP ---- */

static int aes_open(cs_case *c, int (*expand)(const uint8_t *, unsigned, AES_KEY *))
{
    struct session *s = session_new(c);

    if (s == NULL)
        return CS_ERROR;
    if (expand(c->key.data, (unsigned)c->key.len * 8, &s->aes) != 0)
        return session_give_up(c, "AES_set_key");
    c->out_len = c->msg.len;
    return CS_OK;
}

static int aes_encrypt_setup(cs_case *c)
{
    return aes_open(c, AES_set_encrypt_key);
}

static int aes_decrypt_setup(cs_case *c)
{
    return aes_open(c, AES_set_decrypt_key);
}

static int aes_cbc_encrypt_call(cs_case *c)
{
    struct session *s = c->state;

    memcpy(s->iv, c->iv.data, AES_BLOCK_SIZE);
    AES_cbc_encrypt(c->msg.data, c->out, c->msg.len, &s->aes, s->iv, AES_ENCRYPT);
    return CS_OK;
}

static int aes_cbc_decrypt_call(cs_case *c)
{
    struct session *s = c->state;

    memcpy(s->iv, c->iv.data, AES_BLOCK_SIZE);
    AES_cbc_encrypt(c->msg.data, c->out, c->msg.len, &s->aes, s->iv, AES_DECRYPT);
    return CS_OK;
}

static int aes_ctr_call(cs_case *c)
{
    struct session *s = c->state;
    uint8_t unused[AES_BLOCK_SIZE];
    unsigned used = 0;

    memcpy(s->iv, c->iv.data, AES_BLOCK_SIZE);
    AES_ctr128_encrypt(c->msg.data, c->out, c->msg.len, &s->aes, s->iv, unused, &used);
    return CS_OK;
}

static int des_setup(cs_case *c)
{
    struct session *s = session_new(c);
    DES_cblock key;

    if (s == NULL)
        return CS_ERROR;
    for (size_t i = 0; i < CS_COUNT(s->des); i++) {
        memcpy(&key, c->key.data + i * sizeof key, sizeof key);
        DES_set_key(&key, &s->des[i]);
    }
    c->out_len = c->msg.len;
    return CS_OK;
}

static int des_call(cs_case *c, int direction)
{
    struct session *s = c->state;
    DES_cblock iv;

    memcpy(&iv, c->iv.data, sizeof iv);
    DES_ede3_cbc_encrypt(c->msg.data, c->out, c->msg.len, &s->des[0], &s->des[1], &s->des[2], &iv, direction);
    return CS_OK;
}

static int des_encrypt_call(cs_case *c)
{
    return des_call(c, DES_ENCRYPT);
}

static int des_decrypt_call(cs_case *c)
{
    return des_call(c, DES_DECRYPT);
}

static int chacha20_call(cs_case *c)
{
    CRYPTO_chacha_20(c->out, c->msg.data, c->msg.len, c->key.data, c->iv.data, 0);
    return CS_OK;
}

/* ---- key wrap, which takes an expanded key ---- */

enum { CHECK_VALUE = 8 };

static int wrap_setup(cs_case *c)
{
    int status = aes_encrypt_setup(c);

    c->out_len = c->msg.len + CHECK_VALUE;
    return status;
}

static int unwrap_setup(cs_case *c)
{
    int status = aes_decrypt_setup(c);

    c->out_len = c->msg.len - CHECK_VALUE;
    return status;
}

static int wrap_call(cs_case *c)
{
    struct session *s = c->state;

    return AES_wrap_key(&s->aes, NULL, c->out, c->msg.data, c->msg.len) == (int)c->out_len
               ? CS_OK
               : session_fail("AES_wrap_key");
}

static int unwrap_call(cs_case *c)
{
    struct session *s = c->state;

    return AES_unwrap_key(&s->aes, NULL, c->out, c->msg.data, c->msg.len) == (int)c->out_len
               ? CS_OK
               : session_reject("AES_unwrap_key");
}

/* ---- rows ---- */

#define EVP_ROW(ID, IMPL, NAME, SETUP, CALL, BLOCK)                                                                    \
    {.id = ID,                                                                                                         \
     .impl = IMPL,                                                                                                     \
     .name = "EVP_" #NAME,                                                                                             \
     .setup = SETUP,                                                                                                   \
     .call = CALL,                                                                                                     \
     .rekey = cipher_rekey,                                                                                            \
     .teardown = session_free,                                                                                         \
     .param = &(const cipher_getter){EVP_##NAME},                                                                      \
     .block = BLOCK}
#define LOW_ROW(ID, FUNCTION, SETUP, CALL, BLOCK)                                                                      \
    {.id = ID,                                                                                                         \
     .impl = #FUNCTION,                                                                                                \
     .name = #FUNCTION,                                                                                                \
     .setup = SETUP,                                                                                                   \
     .call = CALL,                                                                                                     \
     .rekey = cs_setup_again,                                                                                          \
     .teardown = session_free,                                                                                         \
     .block = BLOCK}
#define BLOCKS(ALGORITHM, NAME, BLOCK)                                                                                 \
    EVP_ROW(ALGORITHM "/encrypt", "default", NAME, encrypt_setup, cipher_call, BLOCK),                                 \
        EVP_ROW(ALGORITHM "/decrypt", "default", NAME, decrypt_setup, cipher_call, BLOCK)
#define AES_CBC(ALGORITHM, NAME)                                                                                       \
    BLOCKS(ALGORITHM, NAME, AES_BLOCK_SIZE),                                                                           \
        LOW_ROW(ALGORITHM "/encrypt", AES_cbc_encrypt, aes_encrypt_setup, aes_cbc_encrypt_call, AES_BLOCK_SIZE),       \
        LOW_ROW(ALGORITHM "/decrypt", AES_cbc_encrypt, aes_decrypt_setup, aes_cbc_decrypt_call, AES_BLOCK_SIZE)
#define AES_CTR(ALGORITHM, NAME)                                                                                       \
    EVP_ROW(ALGORITHM "/encrypt", "default", NAME, encrypt_setup, cipher_call, 0),                                     \
        LOW_ROW(ALGORITHM "/encrypt", AES_ctr128_encrypt, aes_encrypt_setup, aes_ctr_call, 0)
#define AEAD_ROWS(ALGORITHM, NAME)                                                                                     \
    {.id = ALGORITHM "/seal",                                                                                          \
     .impl = "default",                                                                                                \
     .name = "EVP_AEAD_CTX_seal EVP_aead_" #NAME,                                                                      \
     .setup = seal_setup,                                                                                              \
     .call = seal_call,                                                                                                \
     .rekey = aead_rekey,                                                                                              \
     .teardown = session_free,                                                                                         \
     .param = &(const aead_getter){EVP_aead_##NAME}},                                                                  \
    {                                                                                                                  \
        .id = ALGORITHM "/open", .impl = "default", .name = "EVP_AEAD_CTX_open_gather EVP_aead_" #NAME,                \
        .setup = open_setup, .call = open_call, .rekey = aead_rekey, .teardown = session_free,                         \
        .param = &(const aead_getter)                                                                                  \
        {                                                                                                              \
            EVP_aead_##NAME                                                                                            \
        }                                                                                                              \
    }
#define GCM(ALGORITHM, NAME)                                                                                           \
    AEAD_ROWS(ALGORITHM, NAME), EVP_ROW(ALGORITHM "/seal", "EVP_CIPHER", NAME, gcm_seal_setup, gcm_seal_call, 0),      \
        EVP_ROW(ALGORITHM "/open", "EVP_CIPHER", NAME, gcm_open_setup, gcm_open_call, 0)
#define WRAP_ROWS(ALGORITHM)                                                                                           \
    {.id = ALGORITHM "/wrap",                                                                                          \
     .impl = "default",                                                                                                \
     .name = "AES_wrap_key",                                                                                           \
     .setup = wrap_setup,                                                                                              \
     .call = wrap_call,                                                                                                \
     .rekey = cs_setup_again,                                                                                          \
     .teardown = session_free,                                                                                         \
     .block = 8},                                                                                                      \
        {.id = ALGORITHM "/unwrap",                                                                                    \
         .impl = "default",                                                                                            \
         .name = "AES_unwrap_key",                                                                                     \
         .setup = unwrap_setup,                                                                                        \
         .call = unwrap_call,                                                                                          \
         .rekey = cs_setup_again,                                                                                      \
         .teardown = session_free,                                                                                     \
         .block = 8}

static const cs_op rows[] = {
    AES_CBC("aes-128-cbc", aes_128_cbc),
    AES_CBC("aes-192-cbc", aes_192_cbc),
    AES_CBC("aes-256-cbc", aes_256_cbc),
    BLOCKS("3des-cbc", des_ede3_cbc, 8),
    LOW_ROW("3des-cbc/encrypt", DES_ede3_cbc_encrypt, des_setup, des_encrypt_call, 8),
    LOW_ROW("3des-cbc/decrypt", DES_ede3_cbc_encrypt, des_setup, des_decrypt_call, 8),
    AES_CTR("aes-128-ctr", aes_128_ctr),
    AES_CTR("aes-192-ctr", aes_192_ctr),
    AES_CTR("aes-256-ctr", aes_256_ctr),
    {.id = "chacha20/encrypt",
     .impl = "default",
     .name = "CRYPTO_chacha_20",
     .setup = cs_setup_msg_length,
     .call = chacha20_call,
     .rekey = cs_key_in_call},
    GCM("aes-128-gcm", aes_128_gcm),
    GCM("aes-192-gcm", aes_192_gcm),
    GCM("aes-256-gcm", aes_256_gcm),
    AEAD_ROWS("chacha20-poly1305", chacha20_poly1305),
    AEAD_ROWS("xchacha20-poly1305", xchacha20_poly1305),
    AEAD_ROWS("aes-128-gcm-siv", aes_128_gcm_siv),
    AEAD_ROWS("aes-256-gcm-siv", aes_256_gcm_siv),
    WRAP_ROWS("aes-128-kw"),
    WRAP_ROWS("aes-256-kw"),
#ifdef OPENSSL_IS_AWSLC
    BLOCKS("aes-256-xts", aes_256_xts, 16),
#else
    AEAD_ROWS("aes-128-eax", aes_128_eax),
    AEAD_ROWS("aes-256-eax", aes_256_eax),
#endif
};
const cs_table boringssl_ciphers = CS_TABLE(rows);
