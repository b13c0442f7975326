/* SPDX-License-Identifier: Apache-2.0
 *
 * wolfSSL: ciphers and authenticated encryption.
 *
 * Entry points: wc_AesCbc*, wc_AesCtrEncrypt, wc_Des3_Cbc*, wc_Chacha_Process, wc_AesGcm*, wc_ChaCha20Poly1305_*.
 */
#include "adapter_cipher.h"

#include <wolfssl/wolfcrypt/aes.h>
#include <wolfssl/wolfcrypt/chacha.h>
#include <wolfssl/wolfcrypt/chacha20_poly1305.h>
#include <wolfssl/wolfcrypt/des3.h>
#include <wolfssl/wolfcrypt/poly1305.h>

enum { TAG = 16 };

/* ---- AES ---- */

static int aes_set_key(cs_case *c, int direction)
{
    return from_wc(wc_AesSetKey(c->state, c->key.data, (word32)c->key.len, NULL, direction));
}

int aes_encrypt_rekey(cs_case *c)
{
    return aes_set_key(c, AES_ENCRYPTION);
}

int aes_decrypt_rekey(cs_case *c)
{
    return aes_set_key(c, AES_DECRYPTION);
}

int gcm_rekey(cs_case *c)
{
    return from_wc(wc_AesGcmSetKey(c->state, c->key.data, (word32)c->key.len));
}

void aes_teardown(cs_case *c)
{
    wc_AesFree(c->state);
    free_state(c);
}

static int aes_setup(cs_case *c, int (*set_key)(cs_case *), size_t out_len)
{
    int status;

    if (new_state(c, sizeof(Aes)) == NULL)
        return CS_ERROR;
    status = from_wc(wc_AesInit(c->state, NULL, INVALID_DEVID));
    if (status == CS_OK)
        status = set_key(c);
    c->out_len = out_len;
    if (status != CS_OK)
        aes_teardown(c);
    return status;
}

int aes_encrypt_setup(cs_case *c)
{
    return aes_setup(c, aes_encrypt_rekey, c->msg.len);
}

int aes_decrypt_setup(cs_case *c)
{
    return aes_setup(c, aes_decrypt_rekey, c->msg.len);
}

int cbc_encrypt_call(cs_case *c)
{
    int error = wc_AesSetIV(c->state, c->iv.data);

    return from_wc(error == 0 ? wc_AesCbcEncrypt(c->state, c->out, c->msg.data, (word32)c->msg.len) : error);
}

int cbc_decrypt_call(cs_case *c)
{
    int error = wc_AesSetIV(c->state, c->iv.data);

    return from_wc(error == 0 ? wc_AesCbcDecrypt(c->state, c->out, c->msg.data, (word32)c->msg.len) : error);
}

int ctr_call(cs_case *c)
{
    int error = wc_AesSetIV(c->state, c->iv.data);

    return from_wc(error == 0 ? wc_AesCtrEncrypt(c->state, c->out, c->msg.data, (word32)c->msg.len) : error);
}

/* ---- DES ---- */

int des3_encrypt_rekey(cs_case *c)
{
    return from_wc(wc_Des3_SetKey(c->state, c->key.data, c->iv.data, DES_ENCRYPTION));
}

int des3_decrypt_rekey(cs_case *c)
{
    return from_wc(wc_Des3_SetKey(c->state, c->key.data, c->iv.data, DES_DECRYPTION));
}

void des3_teardown(cs_case *c)
{
    wc_Des3Free(c->state);
    free_state(c);
}

static int des3_setup(cs_case *c, int (*set_key)(cs_case *))
{
    int status;

    if (new_state(c, sizeof(Des3)) == NULL)
        return CS_ERROR;
    status = from_wc(wc_Des3Init(c->state, NULL, INVALID_DEVID));
    if (status == CS_OK)
        status = set_key(c);
    c->out_len = c->msg.len;
    if (status != CS_OK)
        des3_teardown(c);
    return status;
}

int des3_encrypt_setup(cs_case *c)
{
    return des3_setup(c, des3_encrypt_rekey);
}

int des3_decrypt_setup(cs_case *c)
{
    return des3_setup(c, des3_decrypt_rekey);
}

int des3_encrypt_call(cs_case *c)
{
    int error = wc_Des3_SetIV(c->state, c->iv.data);

    return from_wc(error == 0 ? wc_Des3_CbcEncrypt(c->state, c->out, c->msg.data, (word32)c->msg.len) : error);
}

int des3_decrypt_call(cs_case *c)
{
    int error = wc_Des3_SetIV(c->state, c->iv.data);

    return from_wc(error == 0 ? wc_Des3_CbcDecrypt(c->state, c->out, c->msg.data, (word32)c->msg.len) : error);
}

/* ---- ChaCha20 ---- */

int chacha_rekey(cs_case *c)
{
    return from_wc(wc_Chacha_SetKey(c->state, c->key.data, (word32)c->key.len));
}

int chacha_setup(cs_case *c)
{
    c->out_len = c->msg.len;
    if (new_state(c, sizeof(ChaCha)) == NULL)
        return CS_ERROR;
    if (chacha_rekey(c) == CS_OK)
        return CS_OK;
    free_state(c);
    return CS_ERROR;
}

int chacha_call(cs_case *c)
{
    int error = wc_Chacha_SetIV(c->state, c->iv.data, 0);

    return from_wc(error == 0 ? wc_Chacha_Process(c->state, c->out, c->msg.data, (word32)c->msg.len) : error);
}

/* ---- aead ---- */

int gcm_seal_setup(cs_case *c)
{
    return aes_setup(c, gcm_rekey, c->msg.len + TAG);
}

int gcm_open_setup(cs_case *c)
{
    return aes_setup(c, gcm_rekey, c->msg.len);
}

int gcm_seal_call(cs_case *c)
{
    return from_wc(wc_AesGcmEncrypt(c->state, c->out, c->msg.data, (word32)c->msg.len, c->iv.data, (word32)c->iv.len,
                                    c->out + c->msg.len, TAG, c->aad.data, (word32)c->aad.len));
}

int gcm_open_call(cs_case *c)
{
    int error = wc_AesGcmDecrypt(c->state, c->out, c->msg.data, (word32)c->msg.len, c->iv.data, (word32)c->iv.len,
                                 c->tag.data, TAG, c->aad.data, (word32)c->aad.len);

    return error == AES_GCM_AUTH_E ? CS_REJECTED : from_wc(error);
}

int chachapoly_seal_setup(cs_case *c)
{
    c->out_len = c->msg.len + TAG;
    return CS_OK;
}

int chachapoly_open_setup(cs_case *c)
{
    c->out_len = c->msg.len;
    return CS_OK;
}

int chachapoly_seal_call(cs_case *c)
{
    return from_wc(wc_ChaCha20Poly1305_Encrypt(c->key.data, c->iv.data, c->aad.data, (word32)c->aad.len, c->msg.data,
                                               (word32)c->msg.len, c->out, c->out + c->msg.len));
}

int chachapoly_open_call(cs_case *c)
{
    int error = wc_ChaCha20Poly1305_Decrypt(c->key.data, c->iv.data, c->aad.data, (word32)c->aad.len, c->msg.data,
                                            (word32)c->msg.len, c->tag.data, c->out);

    return error == MAC_CMP_FAILED_E ? CS_REJECTED : from_wc(error);
}

#if LIBWOLFSSL_VERSION_HEX >= 0x05009004
struct kept {
    ChaCha chacha; /* with the key */
    Poly1305 poly;
};

int kept_rekey(cs_case *c)
{
    struct kept *s = c->state;

    return from_wc(wc_Chacha_SetKey(&s->chacha, c->key.data, (word32)c->key.len));
}

static int kept_setup(cs_case *c, size_t out_len)
{
    c->out_len = out_len;
    if (new_state(c, sizeof(struct kept)) == NULL)
        return CS_ERROR;
    if (kept_rekey(c) == CS_OK)
        return CS_OK;
    free_state(c);
    return CS_ERROR;
}

int kept_seal_setup(cs_case *c)
{
    return kept_setup(c, c->msg.len + TAG);
}

int kept_open_setup(cs_case *c)
{
    return kept_setup(c, c->msg.len);
}

int kept_seal_call(cs_case *c)
{
    struct kept *s = c->state;

    return from_wc(wc_ChaCha20Poly1305_Encrypt_ex(&s->chacha, &s->poly, c->out, c->msg.data, (word32)c->msg.len,
                                                  c->iv.data, c->out + c->msg.len, c->aad.data, (word32)c->aad.len));
}

int kept_open_call(cs_case *c)
{
    struct kept *s = c->state;
    int error = wc_ChaCha20Poly1305_Decrypt_ex(&s->chacha, &s->poly, c->out, c->msg.data, (word32)c->msg.len,
                                               c->iv.data, c->tag.data, c->aad.data, (word32)c->aad.len);

    return error == MAC_CMP_FAILED_E ? CS_REJECTED : from_wc(error);
}
#endif
