/* SPDX-License-Identifier: Apache-2.0
 *
 * LibTomCrypt: ciphers and authenticated encryption.
 *
 * Entry points: cbc_*, ctr_*, chacha_*, gcm_*, chacha20poly1305_*, mem_neq.
 */
#include "adapter.h"

enum { TAG = 16, CHACHA_ROUNDS = 20 };

/* ---- CBC ---- */

static int cbc_set_key(cs_case *c)
{
    const int *cipher = c->op->param;

    return cbc_start(*cipher, c->iv.data, c->key.data, (int)c->key.len, 0, c->state);
}

static int cbc_rekey(cs_case *c)
{
    int error = cbc_done(c->state);

    return from_ltc(error == CRYPT_OK ? cbc_set_key(c) : error);
}

static int cbc_setup(cs_case *c)
{
    int error;

    c->out_len = c->msg.len;
    if (cs_new_state(c, sizeof(symmetric_CBC)) == NULL)
        return CS_ERROR;
    error = cbc_set_key(c);
    if (error != CRYPT_OK)
        cs_teardown_state(c);
    return from_ltc(error);
}

static void cbc_teardown(cs_case *c)
{
    (void)cbc_done(c->state);
    cs_teardown_state(c);
}

static int cbc_encrypt_call(cs_case *c)
{
    int error = cbc_setiv(c->iv.data, c->iv.len, c->state);

    return from_ltc(error == CRYPT_OK ? cbc_encrypt(c->msg.data, c->out, c->msg.len, c->state) : error);
}

static int cbc_decrypt_call(cs_case *c)
{
    int error = cbc_setiv(c->iv.data, c->iv.len, c->state);

    return from_ltc(error == CRYPT_OK ? cbc_decrypt(c->msg.data, c->out, c->msg.len, c->state) : error);
}

/* ---- CTR ---- */

static int ctr_set_key(cs_case *c)
{
    return ctr_start(aes_cipher, c->iv.data, c->key.data, (int)c->key.len, 0, CTR_COUNTER_BIG_ENDIAN, c->state);
}

static int ctr_rekey(cs_case *c)
{
    int error = ctr_done(c->state);

    return from_ltc(error == CRYPT_OK ? ctr_set_key(c) : error);
}

static int ctr_setup(cs_case *c)
{
    int error;

    c->out_len = c->msg.len;
    if (cs_new_state(c, sizeof(symmetric_CTR)) == NULL)
        return CS_ERROR;
    error = ctr_set_key(c);
    if (error != CRYPT_OK)
        cs_teardown_state(c);
    return from_ltc(error);
}

static void ctr_teardown(cs_case *c)
{
    (void)ctr_done(c->state);
    cs_teardown_state(c);
}

static int ctr_call(cs_case *c)
{
    int error = ctr_setiv(c->iv.data, c->iv.len, c->state);

    return from_ltc(error == CRYPT_OK ? ctr_encrypt(c->msg.data, c->out, c->msg.len, c->state) : error);
}

/* ---- ChaCha20 ---- */

static int chacha20_rekey(cs_case *c)
{
    return from_ltc(chacha_setup(c->state, c->key.data, c->key.len, CHACHA_ROUNDS));
}

static int chacha20_setup(cs_case *c)
{
    c->out_len = c->msg.len;
    if (cs_new_state(c, sizeof(chacha_state)) == NULL)
        return CS_ERROR;
    if (chacha20_rekey(c) == CS_OK)
        return CS_OK;
    cs_teardown_state(c);
    return CS_ERROR;
}

static int chacha20_call(cs_case *c)
{
    int error = chacha_ivctr32(c->state, c->iv.data, c->iv.len, 0);

    return from_ltc(error == CRYPT_OK ? chacha_crypt(c->state, c->msg.data, c->msg.len, c->out) : error);
}

/* ---- GCM ---- */

static int gcm_rekey(cs_case *c)
{
    return from_ltc(gcm_init(c->state, aes_cipher, c->key.data, (int)c->key.len));
}

static int gcm_setup(cs_case *c, size_t out_len)
{
    c->out_len = out_len;
    if (cs_new_state(c, sizeof(gcm_state)) == NULL)
        return CS_ERROR;
    if (gcm_rekey(c) == CS_OK)
        return CS_OK;
    cs_teardown_state(c);
    return CS_ERROR;
}

static int gcm_seal_setup(cs_case *c)
{
    return gcm_setup(c, c->msg.len + TAG);
}

static int gcm_open_setup(cs_case *c)
{
    return gcm_setup(c, c->msg.len);
}

/* gcm_reset goes back to where the key was set, the end of a message included. */
static int gcm_begin(cs_case *c)
{
    int error = gcm_reset(c->state);

    if (error == CRYPT_OK)
        error = gcm_add_iv(c->state, c->iv.data, c->iv.len);
    return error == CRYPT_OK ? gcm_add_aad(c->state, c->aad.data, c->aad.len) : error;
}

/* Input and output have parameters of one type, and the direction says which is read. */
static int gcm_seal_call(cs_case *c)
{
    unsigned long len = TAG;
    int error = gcm_begin(c);

    if (error == CRYPT_OK)
        error = gcm_process(c->state, (unsigned char *)c->msg.data, c->msg.len, c->out, GCM_ENCRYPT);
    return from_ltc(error == CRYPT_OK ? gcm_done(c->state, c->out + c->msg.len, &len) : error);
}

/* The caller compares, and mem_neq is for that. */
static int compared(const cs_case *c, int error, const unsigned char tag[TAG])
{
    if (error != CRYPT_OK)
        return from_ltc(error);
    return mem_neq(tag, c->tag.data, TAG) == 0 ? CS_OK : CS_REJECTED;
}

static int gcm_open_call(cs_case *c)
{
    unsigned char tag[TAG];
    unsigned long len = TAG;
    int error = gcm_begin(c);

    if (error == CRYPT_OK)
        error = gcm_process(c->state, c->out, c->msg.len, (unsigned char *)c->msg.data, GCM_DECRYPT);
    if (error == CRYPT_OK)
        error = gcm_done(c->state, tag, &len);
    return compared(c, error, tag);
}

/* ---- one call, which leaves its own tag in the place of the one to compare ---- */

static int seal_setup(cs_case *c)
{
    c->out_len = c->msg.len + TAG;
    return CS_OK;
}

static int gcm_oneshot_seal(cs_case *c)
{
    unsigned long len = TAG;

    return from_ltc(gcm_memory(aes_cipher, c->key.data, c->key.len, c->iv.data, c->iv.len, c->aad.data, c->aad.len,
                               (unsigned char *)c->msg.data, c->msg.len, c->out, c->out + c->msg.len, &len,
                               GCM_ENCRYPT));
}

static int gcm_oneshot_open(cs_case *c)
{
    unsigned char tag[TAG];
    unsigned long len = TAG;
    int error = gcm_memory(aes_cipher, c->key.data, c->key.len, c->iv.data, c->iv.len, c->aad.data, c->aad.len, c->out,
                           c->msg.len, (unsigned char *)c->msg.data, tag, &len, GCM_DECRYPT);

    return compared(c, error, tag);
}

static int chachapoly_oneshot_seal(cs_case *c)
{
    unsigned long len = TAG;

    return from_ltc(chacha20poly1305_memory(c->key.data, c->key.len, c->iv.data, c->iv.len, c->aad.data, c->aad.len,
                                            c->msg.data, c->msg.len, c->out, c->out + c->msg.len, &len,
                                            CHACHA20POLY1305_ENCRYPT));
}

static int chachapoly_oneshot_open(cs_case *c)
{
    unsigned char tag[TAG];
    unsigned long len = TAG;
    int error = chacha20poly1305_memory(c->key.data, c->key.len, c->iv.data, c->iv.len, c->aad.data, c->aad.len,
                                        c->msg.data, c->msg.len, c->out, tag, &len, CHACHA20POLY1305_DECRYPT);

    return compared(c, error, tag);
}

/* ---- ChaCha20-Poly1305: taking the tag wipes the state, key included ---- */

static int chachapoly_seal_setup(cs_case *c)
{
    return cs_new_state(c, sizeof(chacha20poly1305_state)) == NULL ? CS_ERROR : seal_setup(c);
}

static int chachapoly_open_setup(cs_case *c)
{
    return cs_new_state(c, sizeof(chacha20poly1305_state)) == NULL ? CS_ERROR : cs_setup_msg_length(c);
}

static int chachapoly_begin(cs_case *c)
{
    int error = chacha20poly1305_init(c->state, c->key.data, c->key.len);

    if (error == CRYPT_OK)
        error = chacha20poly1305_setiv(c->state, c->iv.data, c->iv.len);
    return error == CRYPT_OK && c->aad.len > 0 ? chacha20poly1305_add_aad(c->state, c->aad.data, c->aad.len) : error;
}

static int chachapoly_seal_call(cs_case *c)
{
    unsigned long len = TAG;
    int error = chachapoly_begin(c);

    if (error == CRYPT_OK)
        error = chacha20poly1305_encrypt(c->state, c->msg.data, c->msg.len, c->out);
    return from_ltc(error == CRYPT_OK ? chacha20poly1305_done(c->state, c->out + c->msg.len, &len) : error);
}

static int chachapoly_open_call(cs_case *c)
{
    unsigned char tag[TAG];
    unsigned long len = TAG;
    int error = chachapoly_begin(c);

    if (error == CRYPT_OK)
        error = chacha20poly1305_decrypt(c->state, c->msg.data, c->msg.len, c->out);
    if (error == CRYPT_OK)
        error = chacha20poly1305_done(c->state, tag, &len);
    return compared(c, error, tag);
}

/* ---- rows ---- */

/* clang-format off */
#define CBC_ROWS(ALGORITHM, CIPHER, BLOCK)                                                                             \
    {.id = ALGORITHM "/encrypt", .impl = "default", .name = "cbc_encrypt", .setup = cbc_setup, .call = cbc_encrypt_call, .rekey = cbc_rekey, .teardown = cbc_teardown, .param = &CIPHER, .block = BLOCK}, \
    {.id = ALGORITHM "/decrypt", .impl = "default", .name = "cbc_decrypt", .setup = cbc_setup, .call = cbc_decrypt_call, .rekey = cbc_rekey, .teardown = cbc_teardown, .param = &CIPHER, .block = BLOCK}
#define CTR_ROW(ALGORITHM)                                                                                             \
    {.id = ALGORITHM "/encrypt", .impl = "default", .name = "ctr_encrypt", .setup = ctr_setup, .call = ctr_call, .rekey = ctr_rekey, .teardown = ctr_teardown}
#define GCM_ROWS(ALGORITHM)                                                                                            \
    {.id = ALGORITHM "/seal", .impl = "default", .name = "gcm_reset, gcm_add_iv, gcm_add_aad, gcm_process, gcm_done", .setup = gcm_seal_setup, .call = gcm_seal_call, .rekey = gcm_rekey, .teardown = cs_teardown_state}, \
    {.id = ALGORITHM "/open", .impl = "default", .name = "gcm_reset, gcm_add_iv, gcm_add_aad, gcm_process, gcm_done", .setup = gcm_open_setup, .call = gcm_open_call, .rekey = gcm_rekey, .teardown = cs_teardown_state}, \
    {.id = ALGORITHM "/seal", .impl = "oneshot", .name = "gcm_memory", .setup = seal_setup, .call = gcm_oneshot_seal, .rekey = cs_key_in_call}, \
    {.id = ALGORITHM "/open", .impl = "oneshot", .name = "gcm_memory", .setup = cs_setup_msg_length, .call = gcm_oneshot_open, .rekey = cs_key_in_call}

static const cs_op rows[] = {
    CBC_ROWS("aes-128-cbc", aes_cipher, 16),
    CBC_ROWS("aes-192-cbc", aes_cipher, 16),
    CBC_ROWS("aes-256-cbc", aes_cipher, 16),
    CBC_ROWS("3des-cbc", des3_cipher, 8),
    CBC_ROWS("camellia-128-cbc", camellia_cipher, 16),
    CTR_ROW("aes-128-ctr"),
    CTR_ROW("aes-192-ctr"),
    CTR_ROW("aes-256-ctr"),
    {.id = "chacha20/encrypt", .impl = "default", .name = "chacha_crypt", .setup = chacha20_setup, .call = chacha20_call, .rekey = chacha20_rekey, .teardown = cs_teardown_state},
    GCM_ROWS("aes-128-gcm"),
    GCM_ROWS("aes-192-gcm"),
    GCM_ROWS("aes-256-gcm"),
    {.id = "chacha20-poly1305/seal", .impl = "default", .name = "chacha20poly1305_init, _setiv, _add_aad, _encrypt, _done", .setup = chachapoly_seal_setup, .call = chachapoly_seal_call, .rekey = cs_key_in_call, .teardown = cs_teardown_state},
    {.id = "chacha20-poly1305/open", .impl = "default", .name = "chacha20poly1305_init, _setiv, _add_aad, _decrypt, _done", .setup = chachapoly_open_setup, .call = chachapoly_open_call, .rekey = cs_key_in_call, .teardown = cs_teardown_state},
    {.id = "chacha20-poly1305/seal", .impl = "oneshot", .name = "chacha20poly1305_memory", .setup = seal_setup, .call = chachapoly_oneshot_seal, .rekey = cs_key_in_call},
    {.id = "chacha20-poly1305/open", .impl = "oneshot", .name = "chacha20poly1305_memory", .setup = cs_setup_msg_length, .call = chachapoly_oneshot_open, .rekey = cs_key_in_call},
};
/* clang-format on */

const cs_table libtomcrypt_ciphers = CS_TABLE(rows);
