/* SPDX-License-Identifier: Apache-2.0
 *
 * OpenSSL: CCM, GCM-SIV and key wrap, through EVP_CIPHER. https://docs.openssl.org/3.0/man3/EVP_EncryptInit/
 */
#include <limits.h>
#include <string.h>

#include <openssl/core_names.h>
#include <openssl/err.h>

#include "session.h"

enum { TAG = 16 };

static int rejected(void)
{
    ERR_clear_error();
    return CS_REJECTED;
}

/* ---- CCM: lengths of nonce and tag before the key, of the message before its first byte ---- */

static int ccm_setup(cs_case *c, int encrypt)
{
    struct session *s = session_new(c);

    if (s == NULL)
        return CS_ERROR;
    if (c->msg.len > INT_MAX || c->aad.len > INT_MAX)
        return session_give_up(c, "input longer than EVP takes in one update");
    memcpy(s->iv, c->iv.data, c->iv.len);
    if (c->tag.data != NULL)
        memcpy(s->tag, c->tag.data, sizeof s->tag);
    s->cipher = c->fetched;
    s->cipher_ctx = EVP_CIPHER_CTX_new();
    if (s->cipher_ctx == NULL || EVP_CipherInit_ex2(s->cipher_ctx, s->cipher, NULL, NULL, encrypt, NULL) != 1 ||
        EVP_CIPHER_CTX_ctrl(s->cipher_ctx, EVP_CTRL_AEAD_SET_IVLEN, (int)c->iv.len, NULL) != 1 ||
        EVP_CIPHER_CTX_ctrl(s->cipher_ctx, EVP_CTRL_AEAD_SET_TAG, TAG, encrypt ? NULL : s->tag) != 1 ||
        EVP_CipherInit_ex2(s->cipher_ctx, NULL, c->key.data, s->iv, encrypt, NULL) != 1)
        return session_give_up(c, "EVP_CipherInit_ex2");
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

static int ccm_open_rekey(cs_case *c)
{
    struct session *s = c->state;

    memcpy(s->tag, c->tag.data, sizeof s->tag);
    return EVP_CipherInit_ex2(s->cipher_ctx, NULL, c->key.data, NULL, -1, NULL) == 1
               ? CS_OK
               : session_fail("EVP_CipherInit_ex2");
}

/* Nonce, length and additional data. */
static int ccm_start(cs_case *c)
{
    struct session *s = c->state;
    int len = 0;

    return EVP_CipherInit_ex2(s->cipher_ctx, NULL, NULL, s->iv, -1, NULL) == 1 &&
           (c->tag.data == NULL || EVP_CIPHER_CTX_ctrl(s->cipher_ctx, EVP_CTRL_AEAD_SET_TAG, TAG, s->tag) == 1) &&
           EVP_CipherUpdate(s->cipher_ctx, NULL, &len, NULL, (int)c->msg.len) == 1 &&
           (c->aad.len == 0 || EVP_CipherUpdate(s->cipher_ctx, NULL, &len, c->aad.data, (int)c->aad.len) == 1);
}

static int ccm_seal_call(cs_case *c)
{
    struct session *s = c->state;
    int len = 0;

    if (!ccm_start(c) || EVP_CipherUpdate(s->cipher_ctx, c->out, &len, c->msg.data, (int)c->msg.len) != 1 ||
        EVP_CIPHER_CTX_ctrl(s->cipher_ctx, EVP_CTRL_AEAD_GET_TAG, TAG, c->out + c->msg.len) != 1)
        return session_fail("EVP seal");
    return CS_OK;
}

/* The update compares the tag. */
static int ccm_open_call(cs_case *c)
{
    struct session *s = c->state;
    int len = 0;

    if (!ccm_start(c))
        return session_fail("EVP open");
    return EVP_CipherUpdate(s->cipher_ctx, c->out, &len, c->msg.data, (int)c->msg.len) == 1 ? CS_OK : rejected();
}

#if OPENSSL_VERSION_NUMBER >= 0x30200000L
/* ---- GCM-SIV: the counter comes from the tag ---- */

static int siv_rekey(cs_case *c)
{
    struct session *s = c->state;

    return EVP_CipherInit_ex2(s->cipher_ctx, NULL, c->key.data, s->iv, -1, NULL) == 1
               ? CS_OK
               : session_fail("EVP_CipherInit_ex2");
}

static int siv_open_rekey(cs_case *c)
{
    struct session *s = c->state;

    memcpy(s->tag, c->tag.data, sizeof s->tag);
    return siv_rekey(c);
}

/* Additional data are kept from message to message until an empty update removes them. */
static int siv_start(cs_case *c)
{
    struct session *s = c->state;
    int len = 0;

    return EVP_CipherInit_ex2(s->cipher_ctx, NULL, NULL, s->iv, -1, NULL) == 1 &&
           EVP_CipherUpdate(s->cipher_ctx, NULL, &len, c->aad.data, 0) == 1 &&
           (c->tag.data == NULL || EVP_CIPHER_CTX_ctrl(s->cipher_ctx, EVP_CTRL_AEAD_SET_TAG, TAG, s->tag) == 1) &&
           (c->aad.len == 0 || EVP_CipherUpdate(s->cipher_ctx, NULL, &len, c->aad.data, (int)c->aad.len) == 1);
}

static int siv_seal_call(cs_case *c)
{
    struct session *s = c->state;
    int len = 0;
    int rest = 0;

    if (!siv_start(c) || EVP_CipherUpdate(s->cipher_ctx, c->out, &len, c->msg.data, (int)c->msg.len) != 1 ||
        EVP_CipherFinal_ex(s->cipher_ctx, c->out + len, &rest) != 1 ||
        EVP_CIPHER_CTX_ctrl(s->cipher_ctx, EVP_CTRL_AEAD_GET_TAG, TAG, c->out + c->msg.len) != 1)
        return session_fail("EVP seal");
    return CS_OK;
}

static int siv_open_call(cs_case *c)
{
    struct session *s = c->state;
    int len = 0;
    int rest = 0;

    if (!siv_start(c))
        return session_fail("EVP open");
    if (EVP_CipherUpdate(s->cipher_ctx, c->out, &len, c->msg.data, (int)c->msg.len) != 1 ||
        EVP_CipherFinal_ex(s->cipher_ctx, c->out + len, &rest) != 1)
        return rejected();
    return CS_OK;
}

#endif

/* ---- key wrap: EVP needs a flag that allows it ---- */

static int wrap_open(cs_case *c, int encrypt)
{
    struct session *s = session_new(c);

    if (s == NULL)
        return CS_ERROR;
    s->cipher = c->fetched;
    s->cipher_ctx = EVP_CIPHER_CTX_new();
    if (s->cipher_ctx == NULL)
        return session_give_up(c, "EVP_CIPHER_CTX_new");
    EVP_CIPHER_CTX_set_flags(s->cipher_ctx, EVP_CIPHER_CTX_FLAG_WRAP_ALLOW);
    if (EVP_CipherInit_ex2(s->cipher_ctx, s->cipher, c->key.data, NULL, encrypt, NULL) != 1)
        return session_give_up(c, "EVP_CipherInit_ex2");
    return CS_OK;
}

static int wrap_setup(cs_case *c)
{
    c->out_len = c->msg.len + 8;
    return wrap_open(c, 1);
}

static int unwrap_setup(cs_case *c)
{
    c->out_len = c->msg.len - 8;
    return wrap_open(c, 0);
}

static int wrap_run(cs_case *c)
{
    struct session *s = c->state;
    int len = 0;
    int rest = 0;

    return EVP_CipherInit_ex2(s->cipher_ctx, NULL, NULL, NULL, -1, NULL) == 1 &&
           EVP_CipherUpdate(s->cipher_ctx, c->out, &len, c->msg.data, (int)c->msg.len) == 1 &&
           EVP_CipherFinal_ex(s->cipher_ctx, c->out + len, &rest) == 1;
}

static int wrap_call(cs_case *c)
{
    return wrap_run(c) ? CS_OK : session_fail("EVP wrap");
}

static int unwrap_call(cs_case *c)
{
    return wrap_run(c) ? CS_OK : rejected();
}

/* ---- rows ---- */

#define CCM_ROWS(ALGORITHM, NAME)                                                                                      \
    CIPHER_ROW(ALGORITHM "/seal", NAME, ccm_seal_setup, ccm_seal_call, cipher_rekey, 0),                               \
        CIPHER_ROW(ALGORITHM "/open", NAME, ccm_open_setup, ccm_open_call, ccm_open_rekey, 0)
#define SIV_ROWS(ALGORITHM, NAME)                                                                                      \
    CIPHER_ROW(ALGORITHM "/seal", NAME, seal_setup, siv_seal_call, siv_rekey, 0),                                      \
        CIPHER_ROW(ALGORITHM "/open", NAME, open_setup, siv_open_call, siv_open_rekey, 0)
#define WRAP_ROWS(ALGORITHM, NAME)                                                                                     \
    CIPHER_ROW(ALGORITHM "/wrap", NAME, wrap_setup, wrap_call, cipher_rekey, 8),                                       \
        CIPHER_ROW(ALGORITHM "/unwrap", NAME, unwrap_setup, unwrap_call, cipher_rekey, 8)

static const cs_op rows[] = {
    CCM_ROWS("aes-128-ccm", "AES-128-CCM"),         CCM_ROWS("aes-256-ccm", "AES-256-CCM"),
    WRAP_ROWS("aes-128-kw", "AES-128-WRAP"),        WRAP_ROWS("aes-256-kw", "AES-256-WRAP"),
#if OPENSSL_VERSION_NUMBER >= 0x30200000L
    SIV_ROWS("aes-128-gcm-siv", "AES-128-GCM-SIV"), SIV_ROWS("aes-256-gcm-siv", "AES-256-GCM-SIV"),
#endif
};
const cs_table openssl_modes = CS_TABLE(rows);
