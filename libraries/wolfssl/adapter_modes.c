/* SPDX-License-Identifier: Apache-2.0
 *
 * wolfSSL: CCM, EAX, GCM-SIV, XTS, XChaCha20-Poly1305, key wrap and Camellia, each where the build has it.
 */
#include "adapter.h"

#include <string.h>

#include <wolfssl/wolfcrypt/aes.h>
#ifdef HAVE_CAMELLIA
#include <wolfssl/wolfcrypt/camellia.h>
#endif
#include <wolfssl/wolfcrypt/chacha20_poly1305.h>

enum { TAG = 16, CHECK_VALUE = 8 };

/* ---- CCM ---- */

#ifdef HAVE_AESCCM
static int ccm_rekey(cs_case *c)
{
    return from_wc(wc_AesCcmSetKey(c->state, c->key.data, (word32)c->key.len));
}

static int ccm_setup(cs_case *c, size_t out_len)
{
    int status;

    if (cs_new_state(c, sizeof(Aes)) == NULL)
        return CS_ERROR;
    status = from_wc(wc_AesInit(c->state, NULL, INVALID_DEVID));
    if (status == CS_OK)
        status = ccm_rekey(c);
    c->out_len = out_len;
    if (status != CS_OK)
        aes_teardown(c);
    return status;
}

static int ccm_seal_setup(cs_case *c)
{
    return ccm_setup(c, c->msg.len + TAG);
}

static int ccm_open_setup(cs_case *c)
{
    return ccm_setup(c, c->msg.len);
}

static int ccm_seal_call(cs_case *c)
{
    return from_wc(wc_AesCcmEncrypt(c->state, c->out, c->msg.data, (word32)c->msg.len, c->iv.data, (word32)c->iv.len,
                                    c->out + c->msg.len, TAG, c->aad.data, (word32)c->aad.len));
}

static int ccm_open_call(cs_case *c)
{
    int error = wc_AesCcmDecrypt(c->state, c->out, c->msg.data, (word32)c->msg.len, c->iv.data, (word32)c->iv.len,
                                 c->tag.data, TAG, c->aad.data, (word32)c->aad.len);

    return error == AES_CCM_AUTH_E ? CS_REJECTED : from_wc(error);
}
#endif

/* ---- EAX, GCM-SIV: one function for a message, with its key ---- */

#if defined(WOLFSSL_AES_EAX) || defined(WOLFSSL_AESGCM_SIV)
static int keyed_seal_setup(cs_case *c)
{
    c->out_len = c->msg.len + TAG;
    return CS_OK;
}

#endif

#ifdef WOLFSSL_AES_EAX
static int eax_seal_call(cs_case *c)
{
    return from_wc(wc_AesEaxEncryptAuth(c->key.data, (word32)c->key.len, c->out, c->msg.data, (word32)c->msg.len,
                                        c->iv.data, (word32)c->iv.len, c->out + c->msg.len, TAG, c->aad.data,
                                        (word32)c->aad.len));
}

static int eax_open_call(cs_case *c)
{
    int error = wc_AesEaxDecryptAuth(c->key.data, (word32)c->key.len, c->out, c->msg.data, (word32)c->msg.len,
                                     c->iv.data, (word32)c->iv.len, c->tag.data, TAG, c->aad.data, (word32)c->aad.len);

    return error == AES_EAX_AUTH_E ? CS_REJECTED : from_wc(error);
}
#endif

#ifdef WOLFSSL_AESGCM_SIV
static int gcm_siv_seal_call(cs_case *c)
{
    return from_wc(wc_AesGcmSivEncrypt(c->key.data, (word32)c->key.len, c->iv.data, (word32)c->iv.len, c->aad.data,
                                       (word32)c->aad.len, c->msg.data, (word32)c->msg.len, c->out, c->out + c->msg.len,
                                       TAG));
}

static int gcm_siv_open_call(cs_case *c)
{
    int error = wc_AesGcmSivDecrypt(c->key.data, (word32)c->key.len, c->iv.data, (word32)c->iv.len, c->aad.data,
                                    (word32)c->aad.len, c->msg.data, (word32)c->msg.len, c->out, c->tag.data, TAG);

    return error == AES_GCM_AUTH_E ? CS_REJECTED : from_wc(error);
}
#endif

/* ---- XTS ---- */

#ifdef WOLFSSL_AES_XTS
static void xts_teardown(cs_case *c)
{
    (void)wc_AesXtsFree(c->state);
    cs_teardown_state(c);
}

static int xts_setup(cs_case *c, int direction)
{
    int status;

    c->out_len = c->msg.len;
    if (cs_new_state(c, sizeof(XtsAes)) == NULL)
        return CS_ERROR;
    status = from_wc(wc_AesXtsSetKey(c->state, c->key.data, (word32)c->key.len, direction, NULL, INVALID_DEVID));
    if (status != CS_OK)
        cs_teardown_state(c);
    return status;
}

static int xts_encrypt_setup(cs_case *c)
{
    return xts_setup(c, AES_ENCRYPTION);
}

static int xts_decrypt_setup(cs_case *c)
{
    return xts_setup(c, AES_DECRYPTION);
}

static int xts_encrypt_call(cs_case *c)
{
    return from_wc(wc_AesXtsEncrypt(c->state, c->out, c->msg.data, (word32)c->msg.len, c->iv.data, (word32)c->iv.len));
}

static int xts_decrypt_call(cs_case *c)
{
    return from_wc(wc_AesXtsDecrypt(c->state, c->out, c->msg.data, (word32)c->msg.len, c->iv.data, (word32)c->iv.len));
}
#endif

/* ---- XChaCha20-Poly1305: ciphertext and tag are one ---- */

#ifdef HAVE_XCHACHA
static int xchacha_seal_setup(cs_case *c)
{
    c->out_len = c->msg.len + TAG;
    return CS_OK;
}

static int xchacha_open_setup(cs_case *c)
{
    uint8_t *sealed = cs_new_state(c, c->msg.len + TAG);

    c->out_len = c->msg.len;
    if (sealed == NULL)
        return CS_ERROR;
    memcpy(sealed, c->msg.data, c->msg.len);
    memcpy(sealed + c->msg.len, c->tag.data, TAG);
    return CS_OK;
}

static int xchacha_seal_call(cs_case *c)
{
    return from_wc(wc_XChaCha20Poly1305_Encrypt(c->out, c->msg.len + TAG, c->msg.data, c->msg.len, c->aad.data,
                                                c->aad.len, c->iv.data, c->iv.len, c->key.data, c->key.len));
}

static int xchacha_open_call(cs_case *c)
{
    int error = wc_XChaCha20Poly1305_Decrypt(c->out, c->msg.len, c->state, c->msg.len + TAG, c->aad.data, c->aad.len,
                                             c->iv.data, c->iv.len, c->key.data, c->key.len);

    return error == MAC_CMP_FAILED_E ? CS_REJECTED : from_wc(error);
}
#endif

/* ---- key wrap ---- */

#ifdef HAVE_AES_KEYWRAP
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

/* Both return a length. */
static int wrap_call(cs_case *c)
{
    int len = wc_AesKeyWrap_ex(c->state, c->msg.data, (word32)c->msg.len, c->out, (word32)c->out_len, NULL);

    return from_wc(len < 0 ? len : 0);
}

static int unwrap_call(cs_case *c)
{
    int len = wc_AesKeyUnWrap_ex(c->state, c->msg.data, (word32)c->msg.len, c->out, (word32)c->out_len, NULL);

    return len == BAD_KEYWRAP_IV_E ? CS_REJECTED : from_wc(len < 0 ? len : 0);
}
#endif

/* ---- Camellia ---- */

#ifdef HAVE_CAMELLIA
static int camellia_rekey(cs_case *c)
{
    return from_wc(wc_CamelliaSetKey(c->state, c->key.data, (word32)c->key.len, c->iv.data));
}

static int camellia_setup(cs_case *c)
{
    c->out_len = c->msg.len;
    if (cs_new_state(c, sizeof(Camellia)) == NULL)
        return CS_ERROR;
    if (camellia_rekey(c) == CS_OK)
        return CS_OK;
    cs_teardown_state(c);
    return CS_ERROR;
}

static int camellia_encrypt_call(cs_case *c)
{
    int error = wc_CamelliaSetIV(c->state, c->iv.data);

    return from_wc(error == 0 ? wc_CamelliaCbcEncrypt(c->state, c->out, c->msg.data, (word32)c->msg.len) : error);
}

static int camellia_decrypt_call(cs_case *c)
{
    int error = wc_CamelliaSetIV(c->state, c->iv.data);

    return from_wc(error == 0 ? wc_CamelliaCbcDecrypt(c->state, c->out, c->msg.data, (word32)c->msg.len) : error);
}
#endif

/* ---- rows ---- */

#if defined(HAVE_AESCCM) || defined(WOLFSSL_AES_EAX) || defined(WOLFSSL_AESGCM_SIV) || defined(WOLFSSL_AES_XTS) ||     \
    defined(HAVE_XCHACHA) || defined(HAVE_AES_KEYWRAP) || defined(HAVE_CAMELLIA)
/* clang-format off */
#define CCM_ROWS(SIZE)                                                                                                 \
    {.id = "aes-" SIZE "-ccm/seal", .impl = "default", .name = "wc_AesCcmEncrypt", .setup = ccm_seal_setup, .call = ccm_seal_call, .rekey = ccm_rekey, .teardown = aes_teardown}, \
    {.id = "aes-" SIZE "-ccm/open", .impl = "default", .name = "wc_AesCcmDecrypt", .setup = ccm_open_setup, .call = ccm_open_call, .rekey = ccm_rekey, .teardown = aes_teardown}
#define EAX_ROWS(SIZE)                                                                                                 \
    {.id = "aes-" SIZE "-eax/seal", .impl = "default", .name = "wc_AesEaxEncryptAuth", .setup = keyed_seal_setup, .call = eax_seal_call, .rekey = cs_key_in_call}, \
    {.id = "aes-" SIZE "-eax/open", .impl = "default", .name = "wc_AesEaxDecryptAuth", .setup = cs_setup_msg_length, .call = eax_open_call, .rekey = cs_key_in_call}
#define GCM_SIV_ROWS(SIZE)                                                                                             \
    {.id = "aes-" SIZE "-gcm-siv/seal", .impl = "default", .name = "wc_AesGcmSivEncrypt", .setup = keyed_seal_setup, .call = gcm_siv_seal_call, .rekey = cs_key_in_call}, \
    {.id = "aes-" SIZE "-gcm-siv/open", .impl = "default", .name = "wc_AesGcmSivDecrypt", .setup = cs_setup_msg_length, .call = gcm_siv_open_call, .rekey = cs_key_in_call}
#define XTS_ROWS(SIZE)                                                                                                 \
    {.id = "aes-" SIZE "-xts/encrypt", .impl = "default", .name = "wc_AesXtsEncrypt", .setup = xts_encrypt_setup, .call = xts_encrypt_call, .rekey = cs_setup_again, .teardown = xts_teardown, .block = 16}, \
    {.id = "aes-" SIZE "-xts/decrypt", .impl = "default", .name = "wc_AesXtsDecrypt", .setup = xts_decrypt_setup, .call = xts_decrypt_call, .rekey = cs_setup_again, .teardown = xts_teardown, .block = 16}
#define WRAP_ROWS(SIZE)                                                                                                \
    {.id = "aes-" SIZE "-kw/wrap", .impl = "default", .name = "wc_AesKeyWrap_ex", .setup = wrap_setup, .call = wrap_call, .rekey = aes_encrypt_rekey, .teardown = aes_teardown, .block = 8}, \
    {.id = "aes-" SIZE "-kw/unwrap", .impl = "default", .name = "wc_AesKeyUnWrap_ex", .setup = unwrap_setup, .call = unwrap_call, .rekey = aes_decrypt_rekey, .teardown = aes_teardown, .block = 8}

static const cs_op rows[] = {
#ifdef HAVE_AESCCM
    CCM_ROWS("128"),
    CCM_ROWS("256"),
#endif
#ifdef WOLFSSL_AES_EAX
    EAX_ROWS("128"),
    EAX_ROWS("256"),
#endif
#ifdef WOLFSSL_AESGCM_SIV
    GCM_SIV_ROWS("128"),
    GCM_SIV_ROWS("256"),
#endif
#ifdef WOLFSSL_AES_XTS
    XTS_ROWS("128"),
    XTS_ROWS("256"),
#endif
#ifdef HAVE_XCHACHA
    {.id = "xchacha20-poly1305/seal", .impl = "default", .name = "wc_XChaCha20Poly1305_Encrypt", .setup = xchacha_seal_setup, .call = xchacha_seal_call, .rekey = cs_key_in_call},
    {.id = "xchacha20-poly1305/open", .impl = "default", .name = "wc_XChaCha20Poly1305_Decrypt", .setup = xchacha_open_setup, .call = xchacha_open_call, .rekey = cs_setup_again, .teardown = cs_teardown_state},
#endif
#ifdef HAVE_AES_KEYWRAP
    WRAP_ROWS("128"),
    WRAP_ROWS("256"),
#endif
#ifdef HAVE_CAMELLIA
    {.id = "camellia-128-cbc/encrypt", .impl = "default", .name = "wc_CamelliaCbcEncrypt", .setup = camellia_setup, .call = camellia_encrypt_call, .rekey = camellia_rekey, .teardown = cs_teardown_state, .block = 16},
    {.id = "camellia-128-cbc/decrypt", .impl = "default", .name = "wc_CamelliaCbcDecrypt", .setup = camellia_setup, .call = camellia_decrypt_call, .rekey = camellia_rekey, .teardown = cs_teardown_state, .block = 16},
#endif
};
/* clang-format on */

const cs_table wolfssl_modes = CS_TABLE(rows);
#else
const cs_table wolfssl_modes = {NULL, 0};
#endif
