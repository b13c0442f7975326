/* SPDX-License-Identifier: Apache-2.0
 *
 * Mbed TLS: CCM, XTS and key wrap; Camellia and ARIA.
 */
#include <string.h>

#include <mbedtls/aes.h>
#include <mbedtls/aria.h>
#include <mbedtls/camellia.h>
#include <mbedtls/ccm.h>
#include <mbedtls/cipher.h>
#include <mbedtls/nist_kw.h>

#include "adapter.h"

/* ---- CCM ---- */

static void teardown_ccm(cs_case *c)
{
    mbedtls_ccm_free(c->state);
    cs_free(c->state);
}

static int rekey_ccm(cs_case *c)
{
    return from_mbedtls(mbedtls_ccm_setkey(c->state, MBEDTLS_CIPHER_ID_AES, c->key.data, (unsigned)(8 * c->key.len)));
}

static int setup_ccm_open(cs_case *c)
{
    mbedtls_ccm_context *ctx = cs_alloc(sizeof *ctx);
    if (ctx == NULL)
        return CS_ERROR;
    c->state = ctx;
    mbedtls_ccm_init(ctx);
    const int ret = mbedtls_ccm_setkey(ctx, MBEDTLS_CIPHER_ID_AES, c->key.data, (unsigned)(8 * c->key.len));
    if (ret != 0)
        return give_up(c, "mbedtls_ccm_setkey", ret);
    c->out_len = c->msg.len;
    return CS_OK;
}

static int setup_ccm_seal(cs_case *c)
{
    const int status = setup_ccm_open(c);
    c->out_len = c->msg.len + AEAD_TAG;
    return status;
}

static int call_ccm_seal(cs_case *c)
{
    return from_mbedtls(mbedtls_ccm_encrypt_and_tag(c->state, c->msg.len, c->iv.data, c->iv.len, c->aad.data,
                                                    c->aad.len, c->msg.data, c->out, c->out + c->msg.len, AEAD_TAG));
}

static int call_ccm_open(cs_case *c)
{
    const int ret = mbedtls_ccm_auth_decrypt(c->state, c->msg.len, c->iv.data, c->iv.len, c->aad.data, c->aad.len,
                                             c->msg.data, c->out, c->tag.data, c->tag.len);
    return ret == MBEDTLS_ERR_CCM_AUTH_FAILED ? CS_REJECTED : from_mbedtls(ret);
}

/* ---- XTS ---- */

static void teardown_xts(cs_case *c)
{
    mbedtls_aes_xts_free(c->state);
    cs_free(c->state);
}

static int set_xts_key(cs_case *c)
{
    const int *direction = c->op->param;
    const unsigned bits = (unsigned)(8 * c->key.len);
    return *direction == MBEDTLS_AES_ENCRYPT ? mbedtls_aes_xts_setkey_enc(c->state, c->key.data, bits)
                                             : mbedtls_aes_xts_setkey_dec(c->state, c->key.data, bits);
}

static int rekey_xts(cs_case *c)
{
    return from_mbedtls(set_xts_key(c));
}

static int setup_xts(cs_case *c)
{
    mbedtls_aes_xts_context *ctx = cs_alloc(sizeof *ctx);
    if (ctx == NULL)
        return CS_ERROR;
    c->state = ctx;
    mbedtls_aes_xts_init(ctx);
    const int ret = set_xts_key(c);
    if (ret != 0)
        return give_up(c, "mbedtls_aes_xts_setkey", ret);
    c->out_len = c->msg.len;
    return CS_OK;
}

static int call_xts(cs_case *c)
{
    const int *direction = c->op->param;
    return from_mbedtls(mbedtls_aes_crypt_xts(c->state, *direction, c->msg.len, c->iv.data, c->msg.data, c->out));
}

/* ---- Camellia ---- */

static void teardown_camellia(cs_case *c)
{
    mbedtls_camellia_free(c->state);
    cs_free(c->state);
}

static int set_camellia_key(cs_case *c)
{
    const int *direction = c->op->param;
    const unsigned bits = (unsigned)(8 * c->key.len);
    return *direction == MBEDTLS_AES_ENCRYPT ? mbedtls_camellia_setkey_enc(c->state, c->key.data, bits)
                                             : mbedtls_camellia_setkey_dec(c->state, c->key.data, bits);
}

static int rekey_camellia_cbc(cs_case *c)
{
    return from_mbedtls(set_camellia_key(c));
}

static int setup_camellia_cbc(cs_case *c)
{
    mbedtls_camellia_context *ctx = cs_alloc(sizeof *ctx);
    if (ctx == NULL)
        return CS_ERROR;
    c->state = ctx;
    mbedtls_camellia_init(ctx);
    const int ret = set_camellia_key(c);
    if (ret != 0)
        return give_up(c, "mbedtls_camellia_setkey", ret);
    c->out_len = c->msg.len;
    return CS_OK;
}

static int call_camellia_cbc(cs_case *c)
{
    const int *direction = c->op->param;
    const int mode = *direction == MBEDTLS_AES_ENCRYPT ? MBEDTLS_CAMELLIA_ENCRYPT : MBEDTLS_CAMELLIA_DECRYPT;
    uint8_t iv[AES_BLOCK];
    memcpy(iv, c->iv.data, sizeof iv);
    return from_mbedtls(mbedtls_camellia_crypt_cbc(c->state, mode, c->msg.len, iv, c->msg.data, c->out));
}

/* ---- key wrap ---- */

/* The configuration of 2.28 that upstream and distributions have leaves key wrap and ARIA out. */
#if MBEDTLS_VERSION_MAJOR >= 3
static void teardown_kw(cs_case *c)
{
    mbedtls_nist_kw_free(c->state);
    cs_free(c->state);
}

static int set_kw_key(cs_case *c, int wrap)
{
    return mbedtls_nist_kw_setkey(c->state, MBEDTLS_CIPHER_ID_AES, c->key.data, (unsigned)(8 * c->key.len), wrap);
}

static int rekey_wrap(cs_case *c)
{
    return from_mbedtls(set_kw_key(c, 1));
}

static int rekey_unwrap(cs_case *c)
{
    return from_mbedtls(set_kw_key(c, 0));
}

static int setup_kw(cs_case *c, int wrap)
{
    mbedtls_nist_kw_context *ctx = cs_alloc(sizeof *ctx);
    if (ctx == NULL)
        return CS_ERROR;
    c->state = ctx;
    mbedtls_nist_kw_init(ctx);
    const int ret = set_kw_key(c, wrap);
    return ret == 0 ? CS_OK : give_up(c, "mbedtls_nist_kw_setkey", ret);
}

static int setup_wrap(cs_case *c)
{
    return setup_kw(c, 1);
}

static int setup_unwrap(cs_case *c)
{
    return setup_kw(c, 0);
}

static int call_wrap(cs_case *c)
{
    return from_mbedtls(
        mbedtls_nist_kw_wrap(c->state, MBEDTLS_KW_MODE_KW, c->msg.data, c->msg.len, c->out, &c->out_len, c->out_cap));
}

static int call_unwrap(cs_case *c)
{
    const int ret =
        mbedtls_nist_kw_unwrap(c->state, MBEDTLS_KW_MODE_KW, c->msg.data, c->msg.len, c->out, &c->out_len, c->out_cap);
    return ret == MBEDTLS_ERR_CIPHER_AUTH_FAILED ? CS_REJECTED : from_mbedtls(ret);
}

/* ---- ARIA ---- */

static void teardown_aria(cs_case *c)
{
    mbedtls_aria_free(c->state);
    cs_free(c->state);
}

static int rekey_aria(cs_case *c)
{
    return from_mbedtls(mbedtls_aria_setkey_enc(c->state, c->key.data, (unsigned)(8 * c->key.len)));
}

static int setup_aria(cs_case *c)
{
    mbedtls_aria_context *ctx = cs_alloc(sizeof *ctx);
    if (ctx == NULL)
        return CS_ERROR;
    c->state = ctx;
    mbedtls_aria_init(ctx);
    const int ret = mbedtls_aria_setkey_enc(ctx, c->key.data, (unsigned)(8 * c->key.len));
    if (ret != 0)
        return give_up(c, "mbedtls_aria_setkey_enc", ret);
    c->out_len = c->msg.len;
    return CS_OK;
}

static int call_aria(cs_case *c)
{
    uint8_t counter[AES_BLOCK], key_stream[AES_BLOCK];
    size_t offset = 0;
    memcpy(counter, c->iv.data, sizeof counter);
    return from_mbedtls(
        mbedtls_aria_crypt_ctr(c->state, c->msg.len, &offset, counter, key_stream, c->msg.data, c->out));
}
#endif

/* `param` is the direction. */
#define XTS_ROW(ID, DIRECTION)                                                                                         \
    {.id = ID,                                                                                                         \
     .impl = "default",                                                                                                \
     .name = "mbedtls_aes_crypt_xts",                                                                                  \
     .setup = setup_xts,                                                                                               \
     .call = call_xts,                                                                                                 \
     .rekey = rekey_xts,                                                                                               \
     .teardown = teardown_xts,                                                                                         \
     .param = &(DIRECTION),                                                                                            \
     .block = AES_BLOCK}
#define SIZED_ROWS(BITS)                                                                                               \
    ROW("aes-" #BITS "-ccm/seal", "mbedtls_ccm_encrypt_and_tag", ccm_seal, ccm, rekey_ccm),                            \
        ROW("aes-" #BITS "-ccm/open", "mbedtls_ccm_auth_decrypt", ccm_open, ccm, rekey_ccm),                           \
        XTS_ROW("aes-" #BITS "-xts/encrypt", cipher_encrypt), XTS_ROW("aes-" #BITS "-xts/decrypt", cipher_decrypt)
#define WRAP_ROW(ID, VERB)                                                                                             \
    {.id = ID "/" #VERB,                                                                                               \
     .impl = "default",                                                                                                \
     .name = "mbedtls_nist_kw_" #VERB,                                                                                 \
     .setup = setup_##VERB,                                                                                            \
     .call = call_##VERB,                                                                                              \
     .rekey = rekey_##VERB,                                                                                            \
     .teardown = teardown_kw,                                                                                          \
     .block = 8}

static const cs_op rows[] = {
    CBC_ROW("camellia-128-cbc/encrypt", "mbedtls_camellia_crypt_cbc", camellia, cipher_encrypt, AES_BLOCK),
    CBC_ROW("camellia-128-cbc/decrypt", "mbedtls_camellia_crypt_cbc", camellia, cipher_decrypt, AES_BLOCK),
    SIZED_ROWS(128),
    SIZED_ROWS(256),
#if MBEDTLS_VERSION_MAJOR >= 3
    ROW("aria-128-ctr/encrypt", "mbedtls_aria_crypt_ctr", aria, aria, rekey_aria),
    WRAP_ROW("aes-128-kw", wrap),
    WRAP_ROW("aes-128-kw", unwrap),
    WRAP_ROW("aes-256-kw", wrap),
    WRAP_ROW("aes-256-kw", unwrap),
#endif
};
const cs_table mbedtls_modes = CS_TABLE(rows);
