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

/* One function of ChaCha20, and of ChaCha20-Poly1305 in both directions. */
struct stream {
    void (*encrypt)(uint32_t len, uint8_t *out, uint8_t *text, uint8_t *key, uint8_t *nonce, uint32_t counter);
};
struct sealing {
    void (*seal)(uint8_t *key, uint8_t *nonce, uint32_t aad_len, uint8_t *aad, uint32_t len, uint8_t *message,
                 uint8_t *cipher, uint8_t *tag);
    uint32_t (*open)(uint8_t *key, uint8_t *nonce, uint32_t aad_len, uint8_t *aad, uint32_t len, uint8_t *message,
                     uint8_t *cipher, uint8_t *tag);
};

enum { TAG = 16 };

/* ---- ChaCha20 ---- */

static const struct stream chacha20 = {.encrypt = EverCrypt_Cipher_chacha20};
static const struct stream chacha20_32 = {.encrypt = Hacl_Chacha20_Vec32_chacha20_encrypt_32};
#ifdef HACL_CAN_COMPILE_VEC128
static const struct stream chacha20_128 = {.encrypt = Hacl_Chacha20_Vec128_chacha20_encrypt_128};
#endif
#ifdef HACL_CAN_COMPILE_VEC256
static const struct stream chacha20_256 = {.encrypt = Hacl_Chacha20_Vec256_chacha20_encrypt_256};
#endif

static int call_stream(cs_case *c)
{
    const struct stream *stream = c->op->param;

    stream->encrypt((uint32_t)c->msg.len, c->out, bytes_of(c->msg), bytes_of(c->key), bytes_of(c->iv), 0);
    return CS_OK;
}

/* ---- EverCrypt ---- */

static const uint8_t aes_128_gcm = Spec_Agile_AEAD_AES128_GCM;
static const uint8_t aes_256_gcm = Spec_Agile_AEAD_AES256_GCM;
static const uint8_t chacha20_poly1305 = Spec_Agile_AEAD_CHACHA20_POLY1305;

static int setup_open(cs_case *c)
{
    const uint8_t *algorithm = c->op->param;
    EverCrypt_AEAD_state_s *state;

    if (EverCrypt_AEAD_create_in(*algorithm, &state, bytes_of(c->key)) != EverCrypt_Error_Success)
        return cs_fail("EverCrypt_AEAD_create_in");
    c->state = state;
    c->out_len = c->msg.len;
    return CS_OK;
}

static int setup_seal(cs_case *c)
{
    const int status = setup_open(c);

    c->out_len = c->msg.len + TAG;
    return status;
}

static void teardown_aead(cs_case *c)
{
    EverCrypt_AEAD_free(c->state);
    c->state = NULL;
}

static int call_seal(cs_case *c)
{
    const EverCrypt_Error_error_code error =
        EverCrypt_AEAD_encrypt(c->state, bytes_of(c->iv), (uint32_t)c->iv.len, bytes_of(c->aad), (uint32_t)c->aad.len,
                               bytes_of(c->msg), (uint32_t)c->msg.len, c->out, c->out + c->msg.len);

    return error == EverCrypt_Error_Success ? CS_OK : cs_fail("EverCrypt_AEAD_encrypt");
}

static int call_open(cs_case *c)
{
    const EverCrypt_Error_error_code error =
        EverCrypt_AEAD_decrypt(c->state, bytes_of(c->iv), (uint32_t)c->iv.len, bytes_of(c->aad), (uint32_t)c->aad.len,
                               bytes_of(c->msg), (uint32_t)c->msg.len, bytes_of(c->tag), c->out);

    if (error == EverCrypt_Error_AuthenticationFailure)
        return CS_REJECTED;
    return error == EverCrypt_Error_Success ? CS_OK : cs_fail("EverCrypt_AEAD_decrypt");
}

/* ---- each implementation ---- */

static const struct sealing sealing_32 = {.seal = Hacl_Chacha20Poly1305_32_aead_encrypt,
                                          .open = Hacl_Chacha20Poly1305_32_aead_decrypt};
#ifdef HACL_CAN_COMPILE_VEC128
static const struct sealing sealing_128 = {.seal = Hacl_Chacha20Poly1305_128_aead_encrypt,
                                           .open = Hacl_Chacha20Poly1305_128_aead_decrypt};
#endif
#ifdef HACL_CAN_COMPILE_VEC256
static const struct sealing sealing_256 = {.seal = Hacl_Chacha20Poly1305_256_aead_encrypt,
                                           .open = Hacl_Chacha20Poly1305_256_aead_decrypt};
#endif

static int setup_direct_seal(cs_case *c)
{
    c->out_len = c->msg.len + TAG;
    return CS_OK;
}

static int call_direct_seal(cs_case *c)
{
    const struct sealing *sealing = c->op->param;

    sealing->seal(bytes_of(c->key), bytes_of(c->iv), (uint32_t)c->aad.len, bytes_of(c->aad), (uint32_t)c->msg.len,
                  bytes_of(c->msg), c->out, c->out + c->msg.len);
    return CS_OK;
}

static int call_direct_open(cs_case *c)
{
    const struct sealing *sealing = c->op->param;

    return sealing->open(bytes_of(c->key), bytes_of(c->iv), (uint32_t)c->aad.len, bytes_of(c->aad),
                         (uint32_t)c->msg.len, c->out, bytes_of(c->msg), bytes_of(c->tag)) == 0
               ? CS_OK
               : CS_REJECTED;
}

/* clang-format off */
#define CHACHA20(IMPL, NAME, STREAM, CANNOT) \
    {.id = "chacha20/encrypt", .impl = IMPL, .name = NAME, .setup = cs_setup_msg_length, .call = call_stream, .rekey = cs_key_in_call, .param = &STREAM, .unavailable = CANNOT}
#define AEAD(ID, ALGORITHM, CANNOT) \
    {.id = ID "/seal", .impl = "default", .name = "EverCrypt_AEAD_encrypt", .setup = setup_seal, .call = call_seal, .rekey = cs_setup_again, .teardown = teardown_aead, .param = &ALGORITHM, .unavailable = CANNOT}, \
    {.id = ID "/open", .impl = "default", .name = "EverCrypt_AEAD_decrypt", .setup = setup_open, .call = call_open, .rekey = cs_setup_again, .teardown = teardown_aead, .param = &ALGORITHM, .unavailable = CANNOT}
#define SEALING(IMPL, SEALING, CANNOT) \
    {.id = "chacha20-poly1305/seal", .impl = IMPL, .name = "Hacl_" IMPL "_aead_encrypt", .setup = setup_direct_seal, .call = call_direct_seal, .rekey = cs_key_in_call, .param = &SEALING, .unavailable = CANNOT}, \
    {.id = "chacha20-poly1305/open", .impl = IMPL, .name = "Hacl_" IMPL "_aead_decrypt", .setup = cs_setup_msg_length, .call = call_direct_open, .rekey = cs_key_in_call, .param = &SEALING, .unavailable = CANNOT}

static const cs_op rows[] = {
    CHACHA20("default", "EverCrypt_Cipher_chacha20", chacha20, NULL),
    CHACHA20("Chacha20_Vec32", "Hacl_Chacha20_Vec32_chacha20_encrypt_32", chacha20_32, NULL),
    AEAD("aes-128-gcm", aes_128_gcm, no_aes_gcm),
    AEAD("aes-256-gcm", aes_256_gcm, no_aes_gcm),
    AEAD("chacha20-poly1305", chacha20_poly1305, NULL),
    SEALING("Chacha20Poly1305_32", sealing_32, NULL),
#ifdef HACL_CAN_COMPILE_VEC128
    CHACHA20("Chacha20_Vec128", "Hacl_Chacha20_Vec128_chacha20_encrypt_128", chacha20_128, no_vec128),
    SEALING("Chacha20Poly1305_128", sealing_128, no_vec128),
#endif
#ifdef HACL_CAN_COMPILE_VEC256
    CHACHA20("Chacha20_Vec256", "Hacl_Chacha20_Vec256_chacha20_encrypt_256", chacha20_256, no_vec256),
    SEALING("Chacha20Poly1305_256", sealing_256, no_vec256),
#endif
};
const cs_table hacl_aead = CS_TABLE(rows);
/* clang-format on */
