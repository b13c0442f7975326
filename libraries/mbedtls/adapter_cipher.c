/* SPDX-License-Identifier: Apache-2.0
 *
 * Mbed TLS: ciphers and AEAD.
 */
#include <string.h>

#include <mbedtls/aes.h>
#include <mbedtls/chacha20.h>
#include <mbedtls/chachapoly.h>
#include <mbedtls/des.h>
#include <mbedtls/gcm.h>

#include "adapter.h"

/* ---- AES and 3DES ---- */

const int cipher_encrypt = MBEDTLS_AES_ENCRYPT;
const int cipher_decrypt = MBEDTLS_AES_DECRYPT;

void teardown_aes(cs_case *c)
{
    mbedtls_aes_free(c->state);
    cs_free(c->state);
}

/* Counter mode encrypts the counter in both directions, hence `direction` apart from the row's. */
static int setup_aes(cs_case *c, int direction)
{
    mbedtls_aes_context *ctx = cs_alloc(sizeof *ctx);
    if (ctx == NULL)
        return CS_ERROR;
    c->state = ctx;
    mbedtls_aes_init(ctx);
    const unsigned bits = (unsigned)(8 * c->key.len);
    const int ret = direction == MBEDTLS_AES_ENCRYPT ? mbedtls_aes_setkey_enc(ctx, c->key.data, bits)
                                                     : mbedtls_aes_setkey_dec(ctx, c->key.data, bits);
    if (ret != 0)
        return give_up(c, "mbedtls_aes_setkey", ret);
    c->out_len = c->msg.len;
    return CS_OK;
}

int setup_aes_cbc(cs_case *c)
{
    const int *direction = c->op->param;
    return setup_aes(c, *direction);
}

int rekey_aes_cbc(cs_case *c)
{
    const int *direction = c->op->param;
    const unsigned bits = (unsigned)(8 * c->key.len);
    return from_mbedtls(*direction == MBEDTLS_AES_ENCRYPT ? mbedtls_aes_setkey_enc(c->state, c->key.data, bits)
                                                          : mbedtls_aes_setkey_dec(c->state, c->key.data, bits));
}

int call_aes_cbc(cs_case *c)
{
    const int *direction = c->op->param;
    uint8_t iv[AES_BLOCK];
    memcpy(iv, c->iv.data, sizeof iv);
    return from_mbedtls(mbedtls_aes_crypt_cbc(c->state, *direction, c->msg.len, iv, c->msg.data, c->out));
}

int setup_aes_ctr(cs_case *c)
{
    return setup_aes(c, MBEDTLS_AES_ENCRYPT);
}

int rekey_aes_ctr(cs_case *c)
{
    return from_mbedtls(mbedtls_aes_setkey_enc(c->state, c->key.data, (unsigned)(8 * c->key.len)));
}

int call_aes_ctr(cs_case *c)
{
    uint8_t counter[AES_BLOCK], key_stream[AES_BLOCK];
    size_t offset = 0;
    memcpy(counter, c->iv.data, sizeof counter);
    return from_mbedtls(mbedtls_aes_crypt_ctr(c->state, c->msg.len, &offset, counter, key_stream, c->msg.data, c->out));
}

void teardown_des3(cs_case *c)
{
    mbedtls_des3_free(c->state);
    cs_free(c->state);
}

int setup_des3_cbc(cs_case *c)
{
    const int *direction = c->op->param;
    mbedtls_des3_context *ctx = cs_alloc(sizeof *ctx);
    if (ctx == NULL)
        return CS_ERROR;
    c->state = ctx;
    mbedtls_des3_init(ctx);
    const int ret = *direction == MBEDTLS_DES_ENCRYPT ? mbedtls_des3_set3key_enc(ctx, c->key.data)
                                                      : mbedtls_des3_set3key_dec(ctx, c->key.data);
    if (ret != 0)
        return give_up(c, "mbedtls_des3_set3key", ret);
    c->out_len = c->msg.len;
    return CS_OK;
}

int rekey_des3_cbc(cs_case *c)
{
    const int *direction = c->op->param;
    return from_mbedtls(*direction == MBEDTLS_DES_ENCRYPT ? mbedtls_des3_set3key_enc(c->state, c->key.data)
                                                          : mbedtls_des3_set3key_dec(c->state, c->key.data));
}

int call_des3_cbc(cs_case *c)
{
    const int *direction = c->op->param;
    uint8_t iv[DES_BLOCK];
    memcpy(iv, c->iv.data, sizeof iv);
    return from_mbedtls(mbedtls_des3_crypt_cbc(c->state, *direction, c->msg.len, iv, c->msg.data, c->out));
}

/* ---- ChaCha20 ---- */

void teardown_chacha20(cs_case *c)
{
    mbedtls_chacha20_free(c->state);
    cs_free(c->state);
}

int setup_chacha20(cs_case *c)
{
    mbedtls_chacha20_context *ctx = cs_alloc(sizeof *ctx);
    if (ctx == NULL)
        return CS_ERROR;
    c->state = ctx;
    mbedtls_chacha20_init(ctx);
    const int ret = mbedtls_chacha20_setkey(ctx, c->key.data);
    if (ret != 0)
        return give_up(c, "mbedtls_chacha20_setkey", ret);
    c->out_len = c->msg.len;
    return CS_OK;
}

int rekey_chacha20(cs_case *c)
{
    return from_mbedtls(mbedtls_chacha20_setkey(c->state, c->key.data));
}

int call_chacha20(cs_case *c)
{
    mbedtls_chacha20_context *ctx = c->state;
    int ret = mbedtls_chacha20_starts(ctx, c->iv.data, 0);
    if (ret == 0)
        ret = mbedtls_chacha20_update(ctx, c->msg.len, c->msg.data, c->out);
    return from_mbedtls(ret);
}

/* ---- AEAD ---- */

void teardown_gcm(cs_case *c)
{
    mbedtls_gcm_free(c->state);
    cs_free(c->state);
}

int setup_gcm_seal(cs_case *c)
{
    mbedtls_gcm_context *ctx = cs_alloc(sizeof *ctx);
    if (ctx == NULL)
        return CS_ERROR;
    c->state = ctx;
    mbedtls_gcm_init(ctx);
    const int ret = mbedtls_gcm_setkey(ctx, MBEDTLS_CIPHER_ID_AES, c->key.data, (unsigned)(8 * c->key.len));
    if (ret != 0)
        return give_up(c, "mbedtls_gcm_setkey", ret);
    c->out_len = c->msg.len + AEAD_TAG;
    return CS_OK;
}

int setup_gcm_open(cs_case *c)
{
    const int status = setup_gcm_seal(c);
    c->out_len = c->msg.len;
    return status;
}

/* mbedtls_gcm_setkey frees the cipher's context that there was and makes another. */
int rekey_gcm(cs_case *c)
{
    return from_mbedtls(mbedtls_gcm_setkey(c->state, MBEDTLS_CIPHER_ID_AES, c->key.data, (unsigned)(8 * c->key.len)));
}

int call_gcm_seal(cs_case *c)
{
    return from_mbedtls(mbedtls_gcm_crypt_and_tag(c->state, MBEDTLS_GCM_ENCRYPT, c->msg.len, c->iv.data, c->iv.len,
                                                  c->aad.data, c->aad.len, c->msg.data, c->out, AEAD_TAG,
                                                  c->out + c->msg.len));
}

/* The library would compare a shorter tag as far as it goes. */
int call_gcm_open(cs_case *c)
{
    const int ret = mbedtls_gcm_auth_decrypt(c->state, c->msg.len, c->iv.data, c->iv.len, c->aad.data, c->aad.len,
                                             c->tag.data, c->tag.len, c->msg.data, c->out);
    return ret == MBEDTLS_ERR_GCM_AUTH_FAILED ? CS_REJECTED : from_mbedtls(ret);
}

void teardown_chachapoly(cs_case *c)
{
    mbedtls_chachapoly_free(c->state);
    cs_free(c->state);
}

int setup_chachapoly_seal(cs_case *c)
{
    mbedtls_chachapoly_context *ctx = cs_alloc(sizeof *ctx);
    if (ctx == NULL)
        return CS_ERROR;
    c->state = ctx;
    mbedtls_chachapoly_init(ctx);
    const int ret = mbedtls_chachapoly_setkey(ctx, c->key.data);
    if (ret != 0)
        return give_up(c, "mbedtls_chachapoly_setkey", ret);
    c->out_len = c->msg.len + AEAD_TAG;
    return CS_OK;
}

int setup_chachapoly_open(cs_case *c)
{
    const int status = setup_chachapoly_seal(c);
    c->out_len = c->msg.len;
    return status;
}

int rekey_chachapoly(cs_case *c)
{
    return from_mbedtls(mbedtls_chachapoly_setkey(c->state, c->key.data));
}

int call_chachapoly_seal(cs_case *c)
{
    return from_mbedtls(mbedtls_chachapoly_encrypt_and_tag(c->state, c->msg.len, c->iv.data, c->aad.data, c->aad.len,
                                                           c->msg.data, c->out, c->out + c->msg.len));
}

int call_chachapoly_open(cs_case *c)
{
    const int ret = mbedtls_chachapoly_auth_decrypt(c->state, c->msg.len, c->iv.data, c->aad.data, c->aad.len,
                                                    c->tag.data, c->msg.data, c->out);
    return ret == MBEDTLS_ERR_CHACHAPOLY_AUTH_FAILED ? CS_REJECTED : from_mbedtls(ret);
}
