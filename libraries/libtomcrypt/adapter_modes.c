/* SPDX-License-Identifier: Apache-2.0
 *
 * LibTomCrypt: CCM, EAX, OCB and XTS.
 *
 * A state of CCM keeps the key, one of EAX or OCB takes it with the nonce. Tags are compared by the caller.
 */
#include "adapter.h"

#include <string.h>

enum { TAG = 16, TWEAK = 16 };

static size_t sealed_len(const cs_case *c)
{
    return c->tag.data == NULL ? c->msg.len + TAG : c->msg.len;
}

static int compared(const cs_case *c, int error, const unsigned char tag[TAG])
{
    if (error != CRYPT_OK)
        return from_ltc(error);
    return mem_neq(tag, c->tag.data, TAG) == 0 ? CS_OK : CS_REJECTED;
}

/* ---- CCM: the lengths are given with the key ---- */

static int ccm_rekey(cs_case *c)
{
    return from_ltc(
        ccm_init(c->state, aes_cipher, c->key.data, (int)c->key.len, (int)c->msg.len, TAG, (int)c->aad.len));
}

static int ccm_setup(cs_case *c)
{
    c->out_len = sealed_len(c);
    if (cs_new_state(c, sizeof(ccm_state)) == NULL)
        return CS_ERROR;
    if (ccm_rekey(c) == CS_OK)
        return CS_OK;
    cs_teardown_state(c);
    return CS_ERROR;
}

static int ccm_begin(cs_case *c)
{
    int error = ccm_reset(c->state);

    if (error == CRYPT_OK)
        error = ccm_add_nonce(c->state, c->iv.data, c->iv.len);
    return error == CRYPT_OK ? ccm_add_aad(c->state, c->aad.data, c->aad.len) : error;
}

/* Input and output have parameters of one type, and the direction says which is read. */
static int ccm_seal_call(cs_case *c)
{
    unsigned long len = TAG;
    int error = ccm_begin(c);

    if (error == CRYPT_OK)
        error = ccm_process(c->state, (unsigned char *)c->msg.data, c->msg.len, c->out, CCM_ENCRYPT);
    return from_ltc(error == CRYPT_OK ? ccm_done(c->state, c->out + c->msg.len, &len) : error);
}

static int ccm_open_call(cs_case *c)
{
    unsigned char tag[TAG];
    unsigned long len = TAG;
    int error = ccm_begin(c);

    if (error == CRYPT_OK)
        error = ccm_process(c->state, c->out, c->msg.len, (unsigned char *)c->msg.data, CCM_DECRYPT);
    if (error == CRYPT_OK)
        error = ccm_done(c->state, tag, &len);
    return compared(c, error, tag);
}

/* ---- EAX ---- */

static int eax_setup(cs_case *c)
{
    c->out_len = sealed_len(c);
    return cs_new_state(c, sizeof(eax_state)) == NULL ? CS_ERROR : CS_OK;
}

static int eax_begin(cs_case *c)
{
    return eax_init(c->state, aes_cipher, c->key.data, c->key.len, c->iv.data, c->iv.len, c->aad.data, c->aad.len);
}

static int eax_seal_call(cs_case *c)
{
    unsigned long len = TAG;
    int error = eax_begin(c);

    if (error == CRYPT_OK)
        error = eax_encrypt(c->state, c->msg.data, c->out, c->msg.len);
    return from_ltc(error == CRYPT_OK ? eax_done(c->state, c->out + c->msg.len, &len) : error);
}

static int eax_open_call(cs_case *c)
{
    unsigned char tag[TAG];
    unsigned long len = TAG;
    int error = eax_begin(c);

    if (error == CRYPT_OK)
        error = eax_decrypt(c->state, c->msg.data, c->out, c->msg.len);
    if (error == CRYPT_OK)
        error = eax_done(c->state, tag, &len);
    return compared(c, error, tag);
}

/* ---- OCB ---- */

static int ocb_setup(cs_case *c)
{
    c->out_len = sealed_len(c);
    return cs_new_state(c, sizeof(ocb3_state)) == NULL ? CS_ERROR : CS_OK;
}

static int ocb_begin(cs_case *c)
{
    int error = ocb3_init(c->state, aes_cipher, c->key.data, c->key.len, c->iv.data, c->iv.len, TAG);

    return error == CRYPT_OK && c->aad.len > 0 ? ocb3_add_aad(c->state, c->aad.data, c->aad.len) : error;
}

static int ocb_seal_call(cs_case *c)
{
    unsigned long len = TAG;
    int error = ocb_begin(c);

    if (error == CRYPT_OK)
        error = ocb3_encrypt_last(c->state, c->msg.data, c->msg.len, c->out);
    return from_ltc(error == CRYPT_OK ? ocb3_done(c->state, c->out + c->msg.len, &len) : error);
}

static int ocb_open_call(cs_case *c)
{
    unsigned char tag[TAG];
    unsigned long len = TAG;
    int error = ocb_begin(c);

    if (error == CRYPT_OK)
        error = ocb3_decrypt_last(c->state, c->msg.data, c->msg.len, c->out);
    if (error == CRYPT_OK)
        error = ocb3_done(c->state, tag, &len);
    return compared(c, error, tag);
}

/* ---- XTS ---- */

static int xts_setup(cs_case *c)
{
    const unsigned long half = c->key.len / 2;
    int error;

    c->out_len = c->msg.len;
    if (cs_new_state(c, sizeof(symmetric_xts)) == NULL)
        return CS_ERROR;
    error = xts_start(aes_cipher, c->key.data, c->key.data + half, half, 0, c->state);
    if (error != CRYPT_OK)
        cs_teardown_state(c);
    return from_ltc(error);
}

static void xts_teardown(cs_case *c)
{
    xts_done(c->state);
    cs_teardown_state(c);
}

/* The tweak of the next data unit is left in the place of this one's. */
static int xts_encrypt_call(cs_case *c)
{
    unsigned char tweak[TWEAK];

    memcpy(tweak, c->iv.data, sizeof tweak);
    return from_ltc(xts_encrypt(c->msg.data, c->msg.len, c->out, tweak, c->state));
}

static int xts_decrypt_call(cs_case *c)
{
    unsigned char tweak[TWEAK];

    memcpy(tweak, c->iv.data, sizeof tweak);
    return from_ltc(xts_decrypt(c->msg.data, c->msg.len, c->out, tweak, c->state));
}

/* ---- rows ---- */

/* clang-format off */
#define MODE_ROWS(BITS)                                                                                                \
    {.id = "aes-" BITS "-ccm/seal", .impl = "default", .name = "ccm_reset, ccm_add_nonce, ccm_add_aad, ccm_process, ccm_done", .setup = ccm_setup, .call = ccm_seal_call, .rekey = ccm_rekey, .teardown = cs_teardown_state}, \
    {.id = "aes-" BITS "-ccm/open", .impl = "default", .name = "ccm_reset, ccm_add_nonce, ccm_add_aad, ccm_process, ccm_done", .setup = ccm_setup, .call = ccm_open_call, .rekey = ccm_rekey, .teardown = cs_teardown_state}, \
    {.id = "aes-" BITS "-eax/seal", .impl = "default", .name = "eax_init, eax_encrypt, eax_done", .setup = eax_setup, .call = eax_seal_call, .rekey = cs_key_in_call, .teardown = cs_teardown_state}, \
    {.id = "aes-" BITS "-eax/open", .impl = "default", .name = "eax_init, eax_decrypt, eax_done", .setup = eax_setup, .call = eax_open_call, .rekey = cs_key_in_call, .teardown = cs_teardown_state}, \
    {.id = "aes-" BITS "-ocb/seal", .impl = "default", .name = "ocb3_init, ocb3_add_aad, ocb3_encrypt_last, ocb3_done", .setup = ocb_setup, .call = ocb_seal_call, .rekey = cs_key_in_call, .teardown = cs_teardown_state}, \
    {.id = "aes-" BITS "-ocb/open", .impl = "default", .name = "ocb3_init, ocb3_add_aad, ocb3_decrypt_last, ocb3_done", .setup = ocb_setup, .call = ocb_open_call, .rekey = cs_key_in_call, .teardown = cs_teardown_state}, \
    {.id = "aes-" BITS "-xts/encrypt", .impl = "default", .name = "xts_encrypt", .setup = xts_setup, .call = xts_encrypt_call, .rekey = cs_setup_again, .teardown = xts_teardown, .block = 16}, \
    {.id = "aes-" BITS "-xts/decrypt", .impl = "default", .name = "xts_decrypt", .setup = xts_setup, .call = xts_decrypt_call, .rekey = cs_setup_again, .teardown = xts_teardown, .block = 16}

static const cs_op rows[] = {
    MODE_ROWS("128"),
    MODE_ROWS("256"),
};
/* clang-format on */

const cs_table libtomcrypt_modes = CS_TABLE(rows);
