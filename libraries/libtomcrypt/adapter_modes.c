/* SPDX-License-Identifier: Apache-2.0
 *
 * LibTomCrypt: CCM, EAX, OCB and XTS.
 *
 * A state of CCM keeps the key, one of EAX or OCB takes it with the nonce. Tags are compared by the caller.
 */
#include <string.h>

#include "adapter_modes.h"

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

int ccm_rekey(cs_case *c)
{
    return from_ltc(
        ccm_init(c->state, aes_cipher, c->key.data, (int)c->key.len, (int)c->msg.len, TAG, (int)c->aad.len));
}

int ccm_setup(cs_case *c)
{
    c->out_len = sealed_len(c);
    if (new_state(c, sizeof(ccm_state)) == NULL)
        return CS_ERROR;
    if (ccm_rekey(c) == CS_OK)
        return CS_OK;
    free_state(c);
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
int ccm_seal_call(cs_case *c)
{
    unsigned long len = TAG;
    int error = ccm_begin(c);

    if (error == CRYPT_OK)
        error = ccm_process(c->state, (unsigned char *)c->msg.data, c->msg.len, c->out, CCM_ENCRYPT);
    return from_ltc(error == CRYPT_OK ? ccm_done(c->state, c->out + c->msg.len, &len) : error);
}

int ccm_open_call(cs_case *c)
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

int eax_setup(cs_case *c)
{
    c->out_len = sealed_len(c);
    return new_state(c, sizeof(eax_state)) == NULL ? CS_ERROR : CS_OK;
}

static int eax_begin(cs_case *c)
{
    return eax_init(c->state, aes_cipher, c->key.data, c->key.len, c->iv.data, c->iv.len, c->aad.data, c->aad.len);
}

int eax_seal_call(cs_case *c)
{
    unsigned long len = TAG;
    int error = eax_begin(c);

    if (error == CRYPT_OK)
        error = eax_encrypt(c->state, c->msg.data, c->out, c->msg.len);
    return from_ltc(error == CRYPT_OK ? eax_done(c->state, c->out + c->msg.len, &len) : error);
}

int eax_open_call(cs_case *c)
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

int ocb_setup(cs_case *c)
{
    c->out_len = sealed_len(c);
    return new_state(c, sizeof(ocb3_state)) == NULL ? CS_ERROR : CS_OK;
}

static int ocb_begin(cs_case *c)
{
    int error = ocb3_init(c->state, aes_cipher, c->key.data, c->key.len, c->iv.data, c->iv.len, TAG);

    return error == CRYPT_OK && c->aad.len > 0 ? ocb3_add_aad(c->state, c->aad.data, c->aad.len) : error;
}

int ocb_seal_call(cs_case *c)
{
    unsigned long len = TAG;
    int error = ocb_begin(c);

    if (error == CRYPT_OK)
        error = ocb3_encrypt_last(c->state, c->msg.data, c->msg.len, c->out);
    return from_ltc(error == CRYPT_OK ? ocb3_done(c->state, c->out + c->msg.len, &len) : error);
}

int ocb_open_call(cs_case *c)
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

int xts_setup(cs_case *c)
{
    const unsigned long half = c->key.len / 2;
    int error;

    c->out_len = c->msg.len;
    if (new_state(c, sizeof(symmetric_xts)) == NULL)
        return CS_ERROR;
    error = xts_start(aes_cipher, c->key.data, c->key.data + half, half, 0, c->state);
    if (error != CRYPT_OK)
        free_state(c);
    return from_ltc(error);
}

void xts_teardown(cs_case *c)
{
    xts_done(c->state);
    free_state(c);
}

/* The tweak of the next data unit is left in the place of this one's. */
int xts_encrypt_call(cs_case *c)
{
    unsigned char tweak[TWEAK];

    memcpy(tweak, c->iv.data, sizeof tweak);
    return from_ltc(xts_encrypt(c->msg.data, c->msg.len, c->out, tweak, c->state));
}

int xts_decrypt_call(cs_case *c)
{
    unsigned char tweak[TWEAK];

    memcpy(tweak, c->iv.data, sizeof tweak);
    return from_ltc(xts_decrypt(c->msg.data, c->msg.len, c->out, tweak, c->state));
}
