/* SPDX-License-Identifier: Apache-2.0
 *
 * wolfSSL: ciphers and authenticated encryption.
 *
 * Entry points: wc_AesCbc*, wc_AesCtrEncrypt, wc_Des3_Cbc*, wc_Chacha_Process, wc_AesGcm*, wc_ChaCha20Poly1305_*.
 */
#include "adapter.h"

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

static int gcm_rekey(cs_case *c)
{
    return from_wc(wc_AesGcmSetKey(c->state, c->key.data, (word32)c->key.len));
}

void aes_teardown(cs_case *c)
{
    wc_AesFree(c->state);
    cs_teardown_state(c);
}

static int aes_setup(cs_case *c, int (*set_key)(cs_case *), size_t out_len)
{
    int status;

    if (cs_new_state(c, sizeof(Aes)) == NULL)
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

static int cbc_encrypt_call(cs_case *c)
{
    int error = wc_AesSetIV(c->state, c->iv.data);

    return from_wc(error == 0 ? wc_AesCbcEncrypt(c->state, c->out, c->msg.data, (word32)c->msg.len) : error);
}

static int cbc_decrypt_call(cs_case *c)
{
    int error = wc_AesSetIV(c->state, c->iv.data);

    return from_wc(error == 0 ? wc_AesCbcDecrypt(c->state, c->out, c->msg.data, (word32)c->msg.len) : error);
}

static int ctr_call(cs_case *c)
{
    int error = wc_AesSetIV(c->state, c->iv.data);

    return from_wc(error == 0 ? wc_AesCtrEncrypt(c->state, c->out, c->msg.data, (word32)c->msg.len) : error);
}

/* ---- DES ---- */

static int des3_encrypt_rekey(cs_case *c)
{
    return from_wc(wc_Des3_SetKey(c->state, c->key.data, c->iv.data, DES_ENCRYPTION));
}

static int des3_decrypt_rekey(cs_case *c)
{
    return from_wc(wc_Des3_SetKey(c->state, c->key.data, c->iv.data, DES_DECRYPTION));
}

static void des3_teardown(cs_case *c)
{
    wc_Des3Free(c->state);
    cs_teardown_state(c);
}

static int des3_setup(cs_case *c, int (*set_key)(cs_case *))
{
    int status;

    if (cs_new_state(c, sizeof(Des3)) == NULL)
        return CS_ERROR;
    status = from_wc(wc_Des3Init(c->state, NULL, INVALID_DEVID));
    if (status == CS_OK)
        status = set_key(c);
    c->out_len = c->msg.len;
    if (status != CS_OK)
        des3_teardown(c);
    return status;
}

static int des3_encrypt_setup(cs_case *c)
{
    return des3_setup(c, des3_encrypt_rekey);
}

static int des3_decrypt_setup(cs_case *c)
{
    return des3_setup(c, des3_decrypt_rekey);
}

static int des3_encrypt_call(cs_case *c)
{
    int error = wc_Des3_SetIV(c->state, c->iv.data);

    return from_wc(error == 0 ? wc_Des3_CbcEncrypt(c->state, c->out, c->msg.data, (word32)c->msg.len) : error);
}

static int des3_decrypt_call(cs_case *c)
{
    int error = wc_Des3_SetIV(c->state, c->iv.data);

    return from_wc(error == 0 ? wc_Des3_CbcDecrypt(c->state, c->out, c->msg.data, (word32)c->msg.len) : error);
}

/* ---- ChaCha20 ---- */

static int chacha_rekey(cs_case *c)
{
    return from_wc(wc_Chacha_SetKey(c->state, c->key.data, (word32)c->key.len));
}

static int chacha_setup(cs_case *c)
{
    c->out_len = c->msg.len;
    if (cs_new_state(c, sizeof(ChaCha)) == NULL)
        return CS_ERROR;
    if (chacha_rekey(c) == CS_OK)
        return CS_OK;
    cs_teardown_state(c);
    return CS_ERROR;
}

static int chacha_call(cs_case *c)
{
    int error = wc_Chacha_SetIV(c->state, c->iv.data, 0);

    return from_wc(error == 0 ? wc_Chacha_Process(c->state, c->out, c->msg.data, (word32)c->msg.len) : error);
}

/* ---- aead ---- */

static int gcm_seal_setup(cs_case *c)
{
    return aes_setup(c, gcm_rekey, c->msg.len + TAG);
}

static int gcm_open_setup(cs_case *c)
{
    return aes_setup(c, gcm_rekey, c->msg.len);
}

static int gcm_seal_call(cs_case *c)
{
    return from_wc(wc_AesGcmEncrypt(c->state, c->out, c->msg.data, (word32)c->msg.len, c->iv.data, (word32)c->iv.len,
                                    c->out + c->msg.len, TAG, c->aad.data, (word32)c->aad.len));
}

static int gcm_open_call(cs_case *c)
{
    int error = wc_AesGcmDecrypt(c->state, c->out, c->msg.data, (word32)c->msg.len, c->iv.data, (word32)c->iv.len,
                                 c->tag.data, TAG, c->aad.data, (word32)c->aad.len);

    return error == AES_GCM_AUTH_E ? CS_REJECTED : from_wc(error);
}

static int chachapoly_seal_setup(cs_case *c)
{
    c->out_len = c->msg.len + TAG;
    return CS_OK;
}

static int chachapoly_seal_call(cs_case *c)
{
    return from_wc(wc_ChaCha20Poly1305_Encrypt(c->key.data, c->iv.data, c->aad.data, (word32)c->aad.len, c->msg.data,
                                               (word32)c->msg.len, c->out, c->out + c->msg.len));
}

static int chachapoly_open_call(cs_case *c)
{
    int error = wc_ChaCha20Poly1305_Decrypt(c->key.data, c->iv.data, c->aad.data, (word32)c->aad.len, c->msg.data,
                                            (word32)c->msg.len, c->tag.data, c->out);

    return error == MAC_CMP_FAILED_E ? CS_REJECTED : from_wc(error);
}

/* Functions that take a context which keeps the key came with 5.9. */
#if LIBWOLFSSL_VERSION_HEX >= 0x05009004
#define HAS_KEPT 1

struct kept {
    ChaCha chacha; /* with the key */
    Poly1305 poly;
};

static int kept_rekey(cs_case *c)
{
    struct kept *s = c->state;

    return from_wc(wc_Chacha_SetKey(&s->chacha, c->key.data, (word32)c->key.len));
}

static int kept_setup(cs_case *c, size_t out_len)
{
    c->out_len = out_len;
    if (cs_new_state(c, sizeof(struct kept)) == NULL)
        return CS_ERROR;
    if (kept_rekey(c) == CS_OK)
        return CS_OK;
    cs_teardown_state(c);
    return CS_ERROR;
}

static int kept_seal_setup(cs_case *c)
{
    return kept_setup(c, c->msg.len + TAG);
}

static int kept_open_setup(cs_case *c)
{
    return kept_setup(c, c->msg.len);
}

static int kept_seal_call(cs_case *c)
{
    struct kept *s = c->state;

    return from_wc(wc_ChaCha20Poly1305_Encrypt_ex(&s->chacha, &s->poly, c->out, c->msg.data, (word32)c->msg.len,
                                                  c->iv.data, c->out + c->msg.len, c->aad.data, (word32)c->aad.len));
}

static int kept_open_call(cs_case *c)
{
    struct kept *s = c->state;
    int error = wc_ChaCha20Poly1305_Decrypt_ex(&s->chacha, &s->poly, c->out, c->msg.data, (word32)c->msg.len,
                                               c->iv.data, c->tag.data, c->aad.data, (word32)c->aad.len);

    return error == MAC_CMP_FAILED_E ? CS_REJECTED : from_wc(error);
}
#endif

/* clang-format off */
#define AES_CIPHER_ROWS(SIZE)                                                                                          \
    {.id = "aes-" SIZE "-cbc/encrypt", .impl = "default", .name = "wc_AesCbcEncrypt", .setup = aes_encrypt_setup, .call = cbc_encrypt_call, .rekey = aes_encrypt_rekey, .teardown = aes_teardown, .block = 16}, \
    {.id = "aes-" SIZE "-cbc/decrypt", .impl = "default", .name = "wc_AesCbcDecrypt", .setup = aes_decrypt_setup, .call = cbc_decrypt_call, .rekey = aes_decrypt_rekey, .teardown = aes_teardown, .block = 16}, \
    {.id = "aes-" SIZE "-ctr/encrypt", .impl = "default", .name = "wc_AesCtrEncrypt", .setup = aes_encrypt_setup, .call = ctr_call, .rekey = aes_encrypt_rekey, .teardown = aes_teardown}
#define GCM_ROWS(SIZE)                                                                                                 \
    {.id = "aes-" SIZE "-gcm/seal", .impl = "default", .name = "wc_AesGcmEncrypt", .setup = gcm_seal_setup, .call = gcm_seal_call, .rekey = gcm_rekey, .teardown = aes_teardown}, \
    {.id = "aes-" SIZE "-gcm/open", .impl = "default", .name = "wc_AesGcmDecrypt", .setup = gcm_open_setup, .call = gcm_open_call, .rekey = gcm_rekey, .teardown = aes_teardown}
#define CHACHAPOLY_ROWS(IMPL)                                                                                          \
    {.id = "chacha20-poly1305/seal", .impl = IMPL, .name = "wc_ChaCha20Poly1305_Encrypt", .setup = chachapoly_seal_setup, .call = chachapoly_seal_call, .rekey = cs_key_in_call}, \
    {.id = "chacha20-poly1305/open", .impl = IMPL, .name = "wc_ChaCha20Poly1305_Decrypt", .setup = cs_setup_msg_length, .call = chachapoly_open_call, .rekey = cs_key_in_call}

static const cs_op rows[] = {
    AES_CIPHER_ROWS("128"),
    AES_CIPHER_ROWS("192"),
    AES_CIPHER_ROWS("256"),
    {.id = "3des-cbc/encrypt", .impl = "default", .name = "wc_Des3_CbcEncrypt", .setup = des3_encrypt_setup, .call = des3_encrypt_call, .rekey = des3_encrypt_rekey, .teardown = des3_teardown, .block = 8},
    {.id = "3des-cbc/decrypt", .impl = "default", .name = "wc_Des3_CbcDecrypt", .setup = des3_decrypt_setup, .call = des3_decrypt_call, .rekey = des3_decrypt_rekey, .teardown = des3_teardown, .block = 8},
    {.id = "chacha20/encrypt", .impl = "default", .name = "wc_Chacha_Process", .setup = chacha_setup, .call = chacha_call, .rekey = chacha_rekey, .teardown = cs_teardown_state},
    GCM_ROWS("128"),
    GCM_ROWS("192"),
    GCM_ROWS("256"),
#ifdef HAS_KEPT
    CHACHAPOLY_ROWS("oneshot"),
    {.id = "chacha20-poly1305/seal", .impl = "default", .name = "wc_ChaCha20Poly1305_Encrypt_ex", .setup = kept_seal_setup, .call = kept_seal_call, .rekey = kept_rekey, .teardown = cs_teardown_state},
    {.id = "chacha20-poly1305/open", .impl = "default", .name = "wc_ChaCha20Poly1305_Decrypt_ex", .setup = kept_open_setup, .call = kept_open_call, .rekey = kept_rekey, .teardown = cs_teardown_state},
#else
    CHACHAPOLY_ROWS("default"),
#endif
};
/* clang-format on */

const cs_table wolfssl_ciphers = CS_TABLE(rows);
