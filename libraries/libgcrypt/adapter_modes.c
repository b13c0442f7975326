/* SPDX-License-Identifier: Apache-2.0
 *
 * Libgcrypt: modes that want more than an IV before a message: CCM its lengths, OCB to know the last piece, GCM-SIV the
 * tag, and EAX and GCM-SIV a reset. And key wrap, whose output is longer than its input.
 */
#include "adapter_modes.h"

enum { TAG = 16, CHECK_VALUE = 8 };

static int opened(gcry_error_t error)
{
    if (error == 0)
        return CS_OK;
    return gcry_err_code(error) == GPG_ERR_CHECKSUM ? CS_REJECTED : fail("Libgcrypt open", error);
}

/* ---- CCM ---- */

static gcry_error_t ccm_start(cs_case *c)
{
    uint64_t lengths[3] = {c->msg.len, c->aad.len, TAG};
    gcry_error_t error = gcry_cipher_setiv(c->state, c->iv.data, c->iv.len);

    if (error == 0)
        error = gcry_cipher_ctl(c->state, GCRYCTL_SET_CCM_LENGTHS, lengths, sizeof lengths);
    return error == 0 ? gcry_cipher_authenticate(c->state, c->aad.data, c->aad.len) : error;
}

int ccm_seal_call(cs_case *c)
{
    gcry_error_t error = ccm_start(c);

    if (error == 0)
        error = gcry_cipher_encrypt(c->state, c->out, c->msg.len, c->msg.data, c->msg.len);
    if (error == 0)
        error = gcry_cipher_gettag(c->state, c->out + c->msg.len, TAG);
    return error == 0 ? CS_OK : fail("Libgcrypt seal", error);
}

int ccm_open_call(cs_case *c)
{
    gcry_error_t error = ccm_start(c);

    if (error == 0)
        error = gcry_cipher_decrypt(c->state, c->out, c->msg.len, c->msg.data, c->msg.len);
    if (error == 0)
        error = gcry_cipher_checktag(c->state, c->tag.data, TAG);
    return opened(error);
}

/* ---- OCB ---- */

static gcry_error_t ocb_start(cs_case *c)
{
    gcry_error_t error = gcry_cipher_setiv(c->state, c->iv.data, c->iv.len);

    if (error == 0)
        error = gcry_cipher_authenticate(c->state, c->aad.data, c->aad.len);
    return error == 0 ? gcry_cipher_final(c->state) : error;
}

int ocb_seal_call(cs_case *c)
{
    gcry_error_t error = ocb_start(c);

    if (error == 0)
        error = gcry_cipher_encrypt(c->state, c->out, c->msg.len, c->msg.data, c->msg.len);
    if (error == 0)
        error = gcry_cipher_gettag(c->state, c->out + c->msg.len, TAG);
    return error == 0 ? CS_OK : fail("Libgcrypt seal", error);
}

int ocb_open_call(cs_case *c)
{
    gcry_error_t error = ocb_start(c);

    if (error == 0)
        error = gcry_cipher_decrypt(c->state, c->out, c->msg.len, c->msg.data, c->msg.len);
    if (error == 0)
        error = gcry_cipher_checktag(c->state, c->tag.data, TAG);
    return opened(error);
}

/* ---- EAX, GCM-SIV: a nonce alone does not begin a message on a handle that has finished one ---- */

static gcry_error_t anew(cs_case *c)
{
    gcry_error_t error = gcry_cipher_reset(c->state);

    if (error == 0)
        error = gcry_cipher_setiv(c->state, c->iv.data, c->iv.len);
    return error == 0 ? gcry_cipher_authenticate(c->state, c->aad.data, c->aad.len) : error;
}

static int seal_anew(cs_case *c)
{
    gcry_error_t error = anew(c);

    if (error == 0)
        error = gcry_cipher_encrypt(c->state, c->out, c->msg.len, c->msg.data, c->msg.len);
    if (error == 0)
        error = gcry_cipher_gettag(c->state, c->out + c->msg.len, TAG);
    return error == 0 ? CS_OK : fail("Libgcrypt seal", error);
}

int eax_seal_call(cs_case *c)
{
    return seal_anew(c);
}

int eax_open_call(cs_case *c)
{
    gcry_error_t error = anew(c);

    if (error == 0)
        error = gcry_cipher_decrypt(c->state, c->out, c->msg.len, c->msg.data, c->msg.len);
    if (error == 0)
        error = gcry_cipher_checktag(c->state, c->tag.data, TAG);
    return opened(error);
}

int siv_seal_call(cs_case *c)
{
    return seal_anew(c);
}

int siv_open_call(cs_case *c)
{
    gcry_error_t error = anew(c);

    if (error == 0)
        error = gcry_cipher_set_decryption_tag(c->state, c->tag.data, TAG);
    if (error == 0)
        error = gcry_cipher_decrypt(c->state, c->out, c->msg.len, c->msg.data, c->msg.len);
    if (error == 0)
        error = gcry_cipher_checktag(c->state, c->tag.data, TAG);
    return opened(error);
}

/* ---- key wrap ---- */

int wrap_call(cs_case *c)
{
    gcry_error_t error;

    c->out_len = c->msg.len + CHECK_VALUE;
    error = gcry_cipher_encrypt(c->state, c->out, c->out_len, c->msg.data, c->msg.len);
    return error == 0 ? CS_OK : fail("gcry_cipher_encrypt", error);
}

int unwrap_call(cs_case *c)
{
    c->out_len = c->msg.len - CHECK_VALUE;
    return opened(gcry_cipher_decrypt(c->state, c->out, c->out_cap, c->msg.data, c->msg.len));
}
