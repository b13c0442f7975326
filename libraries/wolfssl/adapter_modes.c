/* SPDX-License-Identifier: Apache-2.0
 *
 * wolfSSL: CCM, EAX, GCM-SIV, XTS, XChaCha20-Poly1305, key wrap and Camellia, each where the build has it.
 */
#include <string.h>

#include "adapter_cipher.h"
#include "adapter_modes.h"

#include <wolfssl/wolfcrypt/aes.h>
#ifdef HAVE_CAMELLIA
#include <wolfssl/wolfcrypt/camellia.h>
#endif
#include <wolfssl/wolfcrypt/chacha20_poly1305.h>

enum { TAG = 16, CHECK_VALUE = 8 };

/* ---- CCM ---- */

#ifdef HAVE_AESCCM
int ccm_rekey(cs_case *c)
{
    return from_wc(wc_AesCcmSetKey(c->state, c->key.data, (word32)c->key.len));
}

static int ccm_setup(cs_case *c, size_t out_len)
{
    int status;

    if (new_state(c, sizeof(Aes)) == NULL)
        return CS_ERROR;
    status = from_wc(wc_AesInit(c->state, NULL, INVALID_DEVID));
    if (status == CS_OK)
        status = ccm_rekey(c);
    c->out_len = out_len;
    if (status != CS_OK)
        aes_teardown(c);
    return status;
}

int ccm_seal_setup(cs_case *c)
{
    return ccm_setup(c, c->msg.len + TAG);
}

int ccm_open_setup(cs_case *c)
{
    return ccm_setup(c, c->msg.len);
}

int ccm_seal_call(cs_case *c)
{
    return from_wc(wc_AesCcmEncrypt(c->state, c->out, c->msg.data, (word32)c->msg.len, c->iv.data, (word32)c->iv.len,
                                    c->out + c->msg.len, TAG, c->aad.data, (word32)c->aad.len));
}

int ccm_open_call(cs_case *c)
{
    int error = wc_AesCcmDecrypt(c->state, c->out, c->msg.data, (word32)c->msg.len, c->iv.data, (word32)c->iv.len,
                                 c->tag.data, TAG, c->aad.data, (word32)c->aad.len);

    return error == AES_CCM_AUTH_E ? CS_REJECTED : from_wc(error);
}
#endif

/* ---- EAX, GCM-SIV: one function for a message, with its key ---- */

int keyed_seal_setup(cs_case *c)
{
    c->out_len = c->msg.len + TAG;
    return CS_OK;
}

int keyed_open_setup(cs_case *c)
{
    c->out_len = c->msg.len;
    return CS_OK;
}

#ifdef WOLFSSL_AES_EAX
int eax_seal_call(cs_case *c)
{
    return from_wc(wc_AesEaxEncryptAuth(c->key.data, (word32)c->key.len, c->out, c->msg.data, (word32)c->msg.len,
                                        c->iv.data, (word32)c->iv.len, c->out + c->msg.len, TAG, c->aad.data,
                                        (word32)c->aad.len));
}

int eax_open_call(cs_case *c)
{
    int error = wc_AesEaxDecryptAuth(c->key.data, (word32)c->key.len, c->out, c->msg.data, (word32)c->msg.len,
                                     c->iv.data, (word32)c->iv.len, c->tag.data, TAG, c->aad.data, (word32)c->aad.len);

    return error == AES_EAX_AUTH_E ? CS_REJECTED : from_wc(error);
}
#endif

#ifdef WOLFSSL_AESGCM_SIV
int gcm_siv_seal_call(cs_case *c)
{
    return from_wc(wc_AesGcmSivEncrypt(c->key.data, (word32)c->key.len, c->iv.data, (word32)c->iv.len, c->aad.data,
                                       (word32)c->aad.len, c->msg.data, (word32)c->msg.len, c->out, c->out + c->msg.len,
                                       TAG));
}

int gcm_siv_open_call(cs_case *c)
{
    int error = wc_AesGcmSivDecrypt(c->key.data, (word32)c->key.len, c->iv.data, (word32)c->iv.len, c->aad.data,
                                    (word32)c->aad.len, c->msg.data, (word32)c->msg.len, c->out, c->tag.data, TAG);

    return error == AES_GCM_AUTH_E ? CS_REJECTED : from_wc(error);
}
#endif

/* ---- XTS ---- */

#ifdef WOLFSSL_AES_XTS
void xts_teardown(cs_case *c)
{
    (void)wc_AesXtsFree(c->state);
    free_state(c);
}

static int xts_setup(cs_case *c, int direction)
{
    int status;

    c->out_len = c->msg.len;
    if (new_state(c, sizeof(XtsAes)) == NULL)
        return CS_ERROR;
    status = from_wc(wc_AesXtsSetKey(c->state, c->key.data, (word32)c->key.len, direction, NULL, INVALID_DEVID));
    if (status != CS_OK)
        free_state(c);
    return status;
}

int xts_encrypt_setup(cs_case *c)
{
    return xts_setup(c, AES_ENCRYPTION);
}

int xts_decrypt_setup(cs_case *c)
{
    return xts_setup(c, AES_DECRYPTION);
}

int xts_encrypt_call(cs_case *c)
{
    return from_wc(wc_AesXtsEncrypt(c->state, c->out, c->msg.data, (word32)c->msg.len, c->iv.data, (word32)c->iv.len));
}

int xts_decrypt_call(cs_case *c)
{
    return from_wc(wc_AesXtsDecrypt(c->state, c->out, c->msg.data, (word32)c->msg.len, c->iv.data, (word32)c->iv.len));
}
#endif

/* ---- XChaCha20-Poly1305: ciphertext and tag are one ---- */

#ifdef HAVE_XCHACHA
int xchacha_seal_setup(cs_case *c)
{
    c->out_len = c->msg.len + TAG;
    return CS_OK;
}

int xchacha_open_setup(cs_case *c)
{
    uint8_t *sealed = new_state(c, c->msg.len + TAG);

    c->out_len = c->msg.len;
    if (sealed == NULL)
        return CS_ERROR;
    memcpy(sealed, c->msg.data, c->msg.len);
    memcpy(sealed + c->msg.len, c->tag.data, TAG);
    return CS_OK;
}

int xchacha_seal_call(cs_case *c)
{
    return from_wc(wc_XChaCha20Poly1305_Encrypt(c->out, c->msg.len + TAG, c->msg.data, c->msg.len, c->aad.data,
                                                c->aad.len, c->iv.data, c->iv.len, c->key.data, c->key.len));
}

int xchacha_open_call(cs_case *c)
{
    int error = wc_XChaCha20Poly1305_Decrypt(c->out, c->msg.len, c->state, c->msg.len + TAG, c->aad.data, c->aad.len,
                                             c->iv.data, c->iv.len, c->key.data, c->key.len);

    return error == MAC_CMP_FAILED_E ? CS_REJECTED : from_wc(error);
}
#endif

/* ---- key wrap ---- */

#ifdef HAVE_AES_KEYWRAP
int wrap_setup(cs_case *c)
{
    int status = aes_encrypt_setup(c);

    c->out_len = c->msg.len + CHECK_VALUE;
    return status;
}

int unwrap_setup(cs_case *c)
{
    int status = aes_decrypt_setup(c);

    c->out_len = c->msg.len - CHECK_VALUE;
    return status;
}

/* Both return a length. */
int wrap_call(cs_case *c)
{
    int len = wc_AesKeyWrap_ex(c->state, c->msg.data, (word32)c->msg.len, c->out, (word32)c->out_len, NULL);

    return from_wc(len < 0 ? len : 0);
}

int unwrap_call(cs_case *c)
{
    int len = wc_AesKeyUnWrap_ex(c->state, c->msg.data, (word32)c->msg.len, c->out, (word32)c->out_len, NULL);

    return len == BAD_KEYWRAP_IV_E ? CS_REJECTED : from_wc(len < 0 ? len : 0);
}
#endif

/* ---- Camellia ---- */

#ifdef HAVE_CAMELLIA
int camellia_rekey(cs_case *c)
{
    return from_wc(wc_CamelliaSetKey(c->state, c->key.data, (word32)c->key.len, c->iv.data));
}

int camellia_setup(cs_case *c)
{
    c->out_len = c->msg.len;
    if (new_state(c, sizeof(Camellia)) == NULL)
        return CS_ERROR;
    if (camellia_rekey(c) == CS_OK)
        return CS_OK;
    free_state(c);
    return CS_ERROR;
}

int camellia_encrypt_call(cs_case *c)
{
    int error = wc_CamelliaSetIV(c->state, c->iv.data);

    return from_wc(error == 0 ? wc_CamelliaCbcEncrypt(c->state, c->out, c->msg.data, (word32)c->msg.len) : error);
}

int camellia_decrypt_call(cs_case *c)
{
    int error = wc_CamelliaSetIV(c->state, c->iv.data);

    return from_wc(error == 0 ? wc_CamelliaCbcDecrypt(c->state, c->out, c->msg.data, (word32)c->msg.len) : error);
}
#endif
