/* SPDX-License-Identifier: Apache-2.0
 *
 * AWS-LC: CCM through EVP_CIPHER. Its EVP_AEADs of CCM have tags and nonces of other lengths than TLS.
 */
#include <limits.h>
#include <string.h>

#include "adapter_own.h"

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

int ccm_seal_setup(cs_case *c)
{
    return ccm_setup(c, 1);
}

int ccm_open_setup(cs_case *c)
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

int ccm_seal_call(cs_case *c)
{
    struct session *s = c->state;
    int len = 0;

    if (!ccm_start(c) || EVP_CipherUpdate(s->cipher_ctx, c->out, &len, c->msg.data, (int)c->msg.len) != 1 ||
        EVP_CIPHER_CTX_ctrl(s->cipher_ctx, EVP_CTRL_AEAD_GET_TAG, TAG, c->out + c->msg.len) != 1)
        return session_fail("EVP_Cipher");
    return CS_OK;
}

/* The update compares the tag. */
int ccm_open_call(cs_case *c)
{
    struct session *s = c->state;
    int len = 0;

    if (!ccm_start(c))
        return session_fail("EVP_Cipher");
    return EVP_CipherUpdate(s->cipher_ctx, c->out, &len, c->msg.data, (int)c->msg.len) == 1
               ? CS_OK
               : session_reject("EVP_CipherUpdate");
}
