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

static void teardown_aes(cs_case *c)
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

static int setup_aes_cbc(cs_case *c)
{
    const int *direction = c->op->param;
    return setup_aes(c, *direction);
}

static int rekey_aes_cbc(cs_case *c)
{
    const int *direction = c->op->param;
    const unsigned bits = (unsigned)(8 * c->key.len);
    return from_mbedtls(*direction == MBEDTLS_AES_ENCRYPT ? mbedtls_aes_setkey_enc(c->state, c->key.data, bits)
                                                          : mbedtls_aes_setkey_dec(c->state, c->key.data, bits));
}

static int call_aes_cbc(cs_case *c)
{
    const int *direction = c->op->param;
    uint8_t iv[AES_BLOCK];
    memcpy(iv, c->iv.data, sizeof iv);
    return from_mbedtls(mbedtls_aes_crypt_cbc(c->state, *direction, c->msg.len, iv, c->msg.data, c->out));
}

static int setup_aes_ctr(cs_case *c)
{
    return setup_aes(c, MBEDTLS_AES_ENCRYPT);
}

static int rekey_aes_ctr(cs_case *c)
{
    return from_mbedtls(mbedtls_aes_setkey_enc(c->state, c->key.data, (unsigned)(8 * c->key.len)));
}

static int call_aes_ctr(cs_case *c)
{
    uint8_t counter[AES_BLOCK], key_stream[AES_BLOCK];
    size_t offset = 0;
    memcpy(counter, c->iv.data, sizeof counter);
    return from_mbedtls(mbedtls_aes_crypt_ctr(c->state, c->msg.len, &offset, counter, key_stream, c->msg.data, c->out));
}

static void teardown_des3(cs_case *c)
{
    mbedtls_des3_free(c->state);
    cs_free(c->state);
}

static int setup_des3_cbc(cs_case *c)
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

static int rekey_des3_cbc(cs_case *c)
{
    const int *direction = c->op->param;
    return from_mbedtls(*direction == MBEDTLS_DES_ENCRYPT ? mbedtls_des3_set3key_enc(c->state, c->key.data)
                                                          : mbedtls_des3_set3key_dec(c->state, c->key.data));
}

static int call_des3_cbc(cs_case *c)
{
    const int *direction = c->op->param;
    uint8_t iv[DES_BLOCK];
    memcpy(iv, c->iv.data, sizeof iv);
    return from_mbedtls(mbedtls_des3_crypt_cbc(c->state, *direction, c->msg.len, iv, c->msg.data, c->out));
}

/* ---- ChaCha20 ---- */

static void teardown_chacha20(cs_case *c)
{
    mbedtls_chacha20_free(c->state);
    cs_free(c->state);
}

static int setup_chacha20(cs_case *c)
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

static int rekey_chacha20(cs_case *c)
{
    return from_mbedtls(mbedtls_chacha20_setkey(c->state, c->key.data));
}

static int call_chacha20(cs_case *c)
{
    mbedtls_chacha20_context *ctx = c->state;
    int ret = mbedtls_chacha20_starts(ctx, c->iv.data, 0);
    if (ret == 0)
        ret = mbedtls_chacha20_update(ctx, c->msg.len, c->msg.data, c->out);
    return from_mbedtls(ret);
}

/* ---- AEAD ---- */

static void teardown_gcm(cs_case *c)
{
    mbedtls_gcm_free(c->state);
    cs_free(c->state);
}

static int setup_gcm_seal(cs_case *c)
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

static int setup_gcm_open(cs_case *c)
{
    const int status = setup_gcm_seal(c);
    c->out_len = c->msg.len;
    return status;
}

/* mbedtls_gcm_setkey frees the cipher's context that there was and makes another. */
static int rekey_gcm(cs_case *c)
{
    return from_mbedtls(mbedtls_gcm_setkey(c->state, MBEDTLS_CIPHER_ID_AES, c->key.data, (unsigned)(8 * c->key.len)));
}

static int call_gcm_seal(cs_case *c)
{
    return from_mbedtls(mbedtls_gcm_crypt_and_tag(c->state, MBEDTLS_GCM_ENCRYPT, c->msg.len, c->iv.data, c->iv.len,
                                                  c->aad.data, c->aad.len, c->msg.data, c->out, AEAD_TAG,
                                                  c->out + c->msg.len));
}

/* The library would compare a shorter tag as far as it goes. */
static int call_gcm_open(cs_case *c)
{
    const int ret = mbedtls_gcm_auth_decrypt(c->state, c->msg.len, c->iv.data, c->iv.len, c->aad.data, c->aad.len,
                                             c->tag.data, c->tag.len, c->msg.data, c->out);
    return ret == MBEDTLS_ERR_GCM_AUTH_FAILED ? CS_REJECTED : from_mbedtls(ret);
}

static void teardown_chachapoly(cs_case *c)
{
    mbedtls_chachapoly_free(c->state);
    cs_free(c->state);
}

static int setup_chachapoly_seal(cs_case *c)
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

static int setup_chachapoly_open(cs_case *c)
{
    const int status = setup_chachapoly_seal(c);
    c->out_len = c->msg.len;
    return status;
}

static int rekey_chachapoly(cs_case *c)
{
    return from_mbedtls(mbedtls_chachapoly_setkey(c->state, c->key.data));
}

static int call_chachapoly_seal(cs_case *c)
{
    return from_mbedtls(mbedtls_chachapoly_encrypt_and_tag(c->state, c->msg.len, c->iv.data, c->aad.data, c->aad.len,
                                                           c->msg.data, c->out, c->out + c->msg.len));
}

static int call_chachapoly_open(cs_case *c)
{
    const int ret = mbedtls_chachapoly_auth_decrypt(c->state, c->msg.len, c->iv.data, c->aad.data, c->aad.len,
                                                    c->tag.data, c->msg.data, c->out);
    return ret == MBEDTLS_ERR_CHACHAPOLY_AUTH_FAILED ? CS_REJECTED : from_mbedtls(ret);
}

static const cs_op rows[] = {
    CBC_ROW("aes-128-cbc/encrypt", "mbedtls_aes_crypt_cbc", aes, cipher_encrypt, AES_BLOCK),
    CBC_ROW("aes-192-cbc/encrypt", "mbedtls_aes_crypt_cbc", aes, cipher_encrypt, AES_BLOCK),
    CBC_ROW("aes-128-cbc/decrypt", "mbedtls_aes_crypt_cbc", aes, cipher_decrypt, AES_BLOCK),
    CBC_ROW("aes-192-cbc/decrypt", "mbedtls_aes_crypt_cbc", aes, cipher_decrypt, AES_BLOCK),
    CBC_ROW("aes-256-cbc/encrypt", "mbedtls_aes_crypt_cbc", aes, cipher_encrypt, AES_BLOCK),
    CBC_ROW("aes-256-cbc/decrypt", "mbedtls_aes_crypt_cbc", aes, cipher_decrypt, AES_BLOCK),
    CBC_ROW("3des-cbc/encrypt", "mbedtls_des3_crypt_cbc", des3, cipher_encrypt, DES_BLOCK),
    CBC_ROW("3des-cbc/decrypt", "mbedtls_des3_crypt_cbc", des3, cipher_decrypt, DES_BLOCK),
    ROW("aes-128-ctr/encrypt", "mbedtls_aes_crypt_ctr", aes_ctr, aes, rekey_aes_ctr),
    ROW("aes-192-ctr/encrypt", "mbedtls_aes_crypt_ctr", aes_ctr, aes, rekey_aes_ctr),
    ROW("aes-256-ctr/encrypt", "mbedtls_aes_crypt_ctr", aes_ctr, aes, rekey_aes_ctr),
    ROW("chacha20/encrypt", "mbedtls_chacha20_update", chacha20, chacha20, rekey_chacha20),
    ROW("aes-128-gcm/seal", "mbedtls_gcm_crypt_and_tag", gcm_seal, gcm, rekey_gcm),
    ROW("aes-192-gcm/seal", "mbedtls_gcm_crypt_and_tag", gcm_seal, gcm, rekey_gcm),
    ROW("aes-128-gcm/open", "mbedtls_gcm_auth_decrypt", gcm_open, gcm, rekey_gcm),
    ROW("aes-192-gcm/open", "mbedtls_gcm_auth_decrypt", gcm_open, gcm, rekey_gcm),
    ROW("aes-256-gcm/seal", "mbedtls_gcm_crypt_and_tag", gcm_seal, gcm, rekey_gcm),
    ROW("aes-256-gcm/open", "mbedtls_gcm_auth_decrypt", gcm_open, gcm, rekey_gcm),
    ROW("chacha20-poly1305/seal", "mbedtls_chachapoly_encrypt_and_tag", chachapoly_seal, chachapoly, rekey_chachapoly),
    ROW("chacha20-poly1305/open", "mbedtls_chachapoly_auth_decrypt", chachapoly_open, chachapoly, rekey_chachapoly),
};
const cs_table mbedtls_ciphers = CS_TABLE(rows);
