/* SPDX-License-Identifier: Apache-2.0
 *
 * HACL*: ChaCha20 and authenticated encryption, through EverCrypt and by each implementation's own name.
 *
 * Entry points: EverCrypt_Cipher_chacha20, EverCrypt_AEAD_encrypt, EverCrypt_AEAD_decrypt; Hacl_Chacha20_Vec*,
 * Hacl_Chacha20Poly1305_*.
 */
#include <string.h>

#include <EverCrypt_AEAD.h>
#include <EverCrypt_Cipher.h>
#include <EverCrypt_Error.h>
#include <Hacl_Chacha20Poly1305_32.h>
#include <Hacl_Chacha20_Vec32.h>
#ifdef HACL_CAN_COMPILE_VEC128
#include <Hacl_Chacha20Poly1305_128.h>
#include <Hacl_Chacha20_Vec128.h>
#endif
#ifdef HACL_CAN_COMPILE_VEC256
#include <Hacl_Chacha20Poly1305_256.h>
#include <Hacl_Chacha20_Vec256.h>
#endif

#include "adapter.h"

enum { TAG = 16 };

/* ---- ChaCha20 ---- */

const struct stream chacha20 = {.encrypt = EverCrypt_Cipher_chacha20};
const struct stream chacha20_32 = {.encrypt = Hacl_Chacha20_Vec32_chacha20_encrypt_32};
#ifdef HACL_CAN_COMPILE_VEC128
const struct stream chacha20_128 = {.encrypt = Hacl_Chacha20_Vec128_chacha20_encrypt_128};
#endif
#ifdef HACL_CAN_COMPILE_VEC256
const struct stream chacha20_256 = {.encrypt = Hacl_Chacha20_Vec256_chacha20_encrypt_256};
#endif

int setup_stream(cs_case *c)
{
    c->out_len = c->msg.len;
    return CS_OK;
}

int call_stream(cs_case *c)
{
    const struct stream *stream = c->op->param;

    stream->encrypt((uint32_t)c->msg.len, c->out, bytes_of(c->msg), bytes_of(c->key), bytes_of(c->iv), 0);
    return CS_OK;
}

/* ---- EverCrypt ---- */

const uint8_t aes_128_gcm = Spec_Agile_AEAD_AES128_GCM;
const uint8_t aes_256_gcm = Spec_Agile_AEAD_AES256_GCM;
const uint8_t chacha20_poly1305 = Spec_Agile_AEAD_CHACHA20_POLY1305;

int setup_open(cs_case *c)
{
    const uint8_t *algorithm = c->op->param;
    EverCrypt_AEAD_state_s *state;

    if (EverCrypt_AEAD_create_in(*algorithm, &state, bytes_of(c->key)) != EverCrypt_Error_Success)
        return cs_fail("EverCrypt_AEAD_create_in");
    c->state = state;
    c->out_len = c->msg.len;
    return CS_OK;
}

int setup_seal(cs_case *c)
{
    const int status = setup_open(c);

    c->out_len = c->msg.len + TAG;
    return status;
}

void teardown_aead(cs_case *c)
{
    EverCrypt_AEAD_free(c->state);
    c->state = NULL;
}

int call_seal(cs_case *c)
{
    const EverCrypt_Error_error_code error =
        EverCrypt_AEAD_encrypt(c->state, bytes_of(c->iv), (uint32_t)c->iv.len, bytes_of(c->aad), (uint32_t)c->aad.len,
                               bytes_of(c->msg), (uint32_t)c->msg.len, c->out, c->out + c->msg.len);

    return error == EverCrypt_Error_Success ? CS_OK : cs_fail("EverCrypt_AEAD_encrypt");
}

int call_open(cs_case *c)
{
    const EverCrypt_Error_error_code error =
        EverCrypt_AEAD_decrypt(c->state, bytes_of(c->iv), (uint32_t)c->iv.len, bytes_of(c->aad), (uint32_t)c->aad.len,
                               bytes_of(c->msg), (uint32_t)c->msg.len, bytes_of(c->tag), c->out);

    if (error == EverCrypt_Error_AuthenticationFailure)
        return CS_REJECTED;
    return error == EverCrypt_Error_Success ? CS_OK : cs_fail("EverCrypt_AEAD_decrypt");
}

/* ---- each implementation ---- */

const struct sealing sealing_32 = {.seal = Hacl_Chacha20Poly1305_32_aead_encrypt,
                                   .open = Hacl_Chacha20Poly1305_32_aead_decrypt};
#ifdef HACL_CAN_COMPILE_VEC128
const struct sealing sealing_128 = {.seal = Hacl_Chacha20Poly1305_128_aead_encrypt,
                                    .open = Hacl_Chacha20Poly1305_128_aead_decrypt};
#endif
#ifdef HACL_CAN_COMPILE_VEC256
const struct sealing sealing_256 = {.seal = Hacl_Chacha20Poly1305_256_aead_encrypt,
                                    .open = Hacl_Chacha20Poly1305_256_aead_decrypt};
#endif

int setup_direct_seal(cs_case *c)
{
    c->out_len = c->msg.len + TAG;
    return CS_OK;
}

int setup_direct_open(cs_case *c)
{
    c->out_len = c->msg.len;
    return CS_OK;
}

int call_direct_seal(cs_case *c)
{
    const struct sealing *sealing = c->op->param;

    sealing->seal(bytes_of(c->key), bytes_of(c->iv), (uint32_t)c->aad.len, bytes_of(c->aad), (uint32_t)c->msg.len,
                  bytes_of(c->msg), c->out, c->out + c->msg.len);
    return CS_OK;
}

int call_direct_open(cs_case *c)
{
    const struct sealing *sealing = c->op->param;

    return sealing->open(bytes_of(c->key), bytes_of(c->iv), (uint32_t)c->aad.len, bytes_of(c->aad),
                         (uint32_t)c->msg.len, c->out, bytes_of(c->msg), bytes_of(c->tag)) == 0
               ? CS_OK
               : CS_REJECTED;
}
