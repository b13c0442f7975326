/* SPDX-License-Identifier: Apache-2.0
 *
 * HACL*: X25519, Ed25519, ECDSA over P-256, and their keys.
 *
 * Entry points: EverCrypt_Curve25519_ecdh, EverCrypt_Ed25519_sign_expanded, EverCrypt_Ed25519_verify,
 * Hacl_P256_ecdsa_sign_p256_sha2, Hacl_P256_ecdsa_verif_p256_sha2; Hacl_Curve25519_51_ecdh, Hacl_Curve25519_64_ecdh.
 */
#include <EverCrypt_Curve25519.h>
#include <EverCrypt_DRBG.h>
#include <EverCrypt_Ed25519.h>
#include <Hacl_Curve25519_51.h>
#include <Hacl_P256.h>
#include <Hacl_Streaming_Types.h>
#ifdef HACL_CAN_COMPILE_VALE
#include <Hacl_Curve25519_64.h>
#endif

#include "adapter.h"

/* Both X25519 functions of an implementation. */
struct ladder {
    void (*public_key)(uint8_t *public_key, uint8_t *key);
    _Bool (*derive)(uint8_t *out, uint8_t *key, uint8_t *point);
};

enum { X25519 = 32, ED25519_KEY = 32, ED25519_EXPANDED = 96, SIGNATURE = 64, RAW = 2 * CS_P256_BYTES, MARK = 1 };

/* ---- randomness ---- */

static EverCrypt_DRBG_state_s *generator;

const char *seed(void)
{
    static uint8_t nothing[1];

    generator = EverCrypt_DRBG_create(Spec_Hash_Definitions_SHA2_256);
    if (generator == NULL || !EverCrypt_DRBG_instantiate(generator, nothing, 0))
        return "EverCrypt_DRBG_instantiate: the system has no random bytes";
    return NULL;
}

int draw(uint8_t *out, uint32_t len)
{
    static uint8_t nothing[1];

    if (cs_counts_random())
        cs_random_drawn(len);
    return EverCrypt_DRBG_generate(out, generator, len, nothing, 0);
}

/* ---- X25519 ---- */

static const struct ladder ladder = {.public_key = EverCrypt_Curve25519_secret_to_public,
                                     .derive = EverCrypt_Curve25519_ecdh};
static const struct ladder ladder_51 = {.public_key = Hacl_Curve25519_51_secret_to_public,
                                        .derive = Hacl_Curve25519_51_ecdh};
#ifdef HACL_CAN_COMPILE_VALE
static const struct ladder ladder_64 = {.public_key = Hacl_Curve25519_64_secret_to_public,
                                        .derive = Hacl_Curve25519_64_ecdh};
#endif

static int setup_x25519(cs_case *c)
{
    c->out_len = X25519;
    return CS_OK;
}

/* A secret of zeros is refused, and nothing else. */
static int call_x25519(cs_case *c)
{
    const struct ladder *one = c->op->param;

    return one->derive(c->out, bytes_of(c->key), bytes_of(c->pub)) ? CS_OK : CS_REJECTED;
}

static int setup_x25519_keygen(cs_case *c)
{
    c->out_len = X25519 + X25519;
    return CS_OK;
}

static int call_x25519_keygen(cs_case *c)
{
    const struct ladder *one = c->op->param;

    if (!draw(c->out, X25519))
        return cs_fail("EverCrypt_DRBG_generate");
    one->public_key(c->out + X25519, c->out);
    return CS_OK;
}

static int call_x25519_base(cs_case *c)
{
    const struct ladder *one = c->op->param;

    one->public_key(c->out, bytes_of(c->key));
    return CS_OK;
}

/* ---- Ed25519 ---- */

static int rekey_ed25519_sign(cs_case *c)
{
    EverCrypt_Ed25519_expand_keys(c->state, bytes_of(c->key));
    return CS_OK;
}

static int setup_ed25519_sign(cs_case *c)
{
    c->state = cs_alloc(ED25519_EXPANDED);
    c->out_len = SIGNATURE;
    return c->state == NULL ? CS_ERROR : rekey_ed25519_sign(c);
}

static int call_ed25519_sign(cs_case *c)
{
    EverCrypt_Ed25519_sign_expanded(c->out, c->state, (uint32_t)c->msg.len, bytes_of(c->msg));
    return CS_OK;
}

static int setup_ed25519_anew(cs_case *c)
{
    c->out_len = SIGNATURE;
    return CS_OK;
}

static int call_ed25519_anew(cs_case *c)
{
    EverCrypt_Ed25519_sign(c->out, bytes_of(c->key), (uint32_t)c->msg.len, bytes_of(c->msg));
    return CS_OK;
}

static int call_ed25519_verify(cs_case *c)
{
    if (c->sig.len != SIGNATURE)
        return CS_REJECTED;
    return EverCrypt_Ed25519_verify(bytes_of(c->pub), (uint32_t)c->msg.len, bytes_of(c->msg), bytes_of(c->sig))
               ? CS_OK
               : CS_REJECTED;
}

static int setup_ed25519_keygen(cs_case *c)
{
    c->out_len = ED25519_KEY + ED25519_KEY;
    return CS_OK;
}

static int call_ed25519_keygen(cs_case *c)
{
    if (!draw(c->out, ED25519_KEY))
        return cs_fail("EverCrypt_DRBG_generate");
    EverCrypt_Ed25519_secret_to_public(c->out + ED25519_KEY, c->out);
    return CS_OK;
}

/* ---- P-256 ---- */

/* A number from 1 to the order less 1. */
static int draw_scalar(uint8_t out[CS_P256_BYTES])
{
    do {
        if (!draw(out, CS_P256_BYTES))
            return cs_fail("EverCrypt_DRBG_generate");
    } while (!Hacl_P256_validate_private_key(out));
    return CS_OK;
}

static int setup_ecdsa_sign(cs_case *c)
{
    c->out_len = SIGNATURE;
    return Hacl_P256_validate_private_key(bytes_of(c->key)) ? CS_OK : CS_BAD_KEY;
}

/* The secret number is the caller's to bring. */
static int call_ecdsa_sign(cs_case *c)
{
    uint8_t once[CS_P256_BYTES];

    if (draw_scalar(once) != CS_OK)
        return CS_ERROR;
    return Hacl_P256_ecdsa_sign_p256_sha2(c->out, (uint32_t)c->msg.len, bytes_of(c->msg), bytes_of(c->key), once)
               ? CS_OK
               : cs_fail("Hacl_P256_ecdsa_sign_p256_sha2");
}

static int setup_ecdsa_verify(cs_case *c)
{
    if (cs_p256_point(c->pub) != CS_OK)
        return CS_ERROR;
    return Hacl_P256_validate_public_key(bytes_of(c->pub) + MARK) ? CS_OK : CS_BAD_KEY;
}

static int call_ecdsa_verify(cs_case *c)
{
    if (c->sig.len != SIGNATURE)
        return CS_REJECTED;
    return Hacl_P256_ecdsa_verif_p256_sha2((uint32_t)c->msg.len, bytes_of(c->msg), bytes_of(c->pub) + MARK,
                                           bytes_of(c->sig), bytes_of(c->sig) + CS_P256_BYTES)
               ? CS_OK
               : CS_REJECTED;
}

static int setup_p256_keygen(cs_case *c)
{
    c->out_len = CS_P256_BYTES + CS_P256_POINT;
    return CS_OK;
}

static int call_p256_keygen(cs_case *c)
{
    uint8_t *point = c->out + CS_P256_BYTES;

    if (draw_scalar(c->out) != CS_OK)
        return CS_ERROR;
    point[0] = 4;
    return Hacl_P256_dh_initiator(point + MARK, c->out) ? CS_OK : cs_fail("Hacl_P256_dh_initiator");
}

/* The shared point comes as both numbers; x is the secret. */
static int setup_p256_derive(cs_case *c)
{
    c->out_len = CS_P256_BYTES;
    if (cs_p256_point(c->pub) != CS_OK)
        return CS_ERROR;
    return Hacl_P256_validate_private_key(bytes_of(c->key)) ? CS_OK : CS_BAD_KEY;
}

/* It checks both keys in every call. */
static int call_p256_derive(cs_case *c)
{
    uint8_t point[RAW];

    if (!Hacl_P256_dh_responder(point, bytes_of(c->pub) + MARK, bytes_of(c->key)))
        return CS_BAD_KEY;
    memcpy(c->out, point, CS_P256_BYTES);
    return CS_OK;
}

static int setup_p256_base(cs_case *c)
{
    c->out_len = CS_P256_POINT;
    return CS_OK;
}

static int call_p256_base(cs_case *c)
{
    c->out[0] = 4;
    return Hacl_P256_dh_initiator(c->out + MARK, bytes_of(c->key)) ? CS_OK : cs_fail("Hacl_P256_dh_initiator");
}

/* ---- agreement with an ephemeral key ---- */

static int setup_x25519_agree(cs_case *c)
{
    c->out_len = X25519 + X25519;
    return CS_OK;
}

static int call_x25519_agree(cs_case *c)
{
    const struct ladder *one = c->op->param;
    uint8_t key[X25519];

    if (!draw(key, sizeof key))
        return cs_fail("EverCrypt_DRBG_generate");
    one->public_key(c->out, key);
    return one->derive(c->out + X25519, key, bytes_of(c->pub)) ? CS_OK : CS_BAD_KEY;
}

static int setup_p256_agree(cs_case *c)
{
    c->out_len = CS_P256_POINT + CS_P256_BYTES;
    return CS_OK;
}

static int call_p256_agree(cs_case *c)
{
    uint8_t key[CS_P256_BYTES], point[RAW];

    if (draw_scalar(key) != CS_OK)
        return CS_ERROR;
    c->out[0] = 4;
    if (!Hacl_P256_dh_initiator(c->out + MARK, key))
        return cs_fail("Hacl_P256_dh_initiator");
    if (!Hacl_P256_dh_responder(point, bytes_of(c->pub) + MARK, key))
        return CS_BAD_KEY;
    memcpy(c->out + CS_P256_POINT, point, CS_P256_BYTES);
    return CS_OK;
}

/* clang-format off */
#define CURVE(IMPL, NAME, LADDER, CANNOT) \
    {.id = "x25519/derive", .impl = IMPL, .name = NAME "_ecdh", .setup = setup_x25519, .call = call_x25519, .rekey = cs_key_in_call, .param = &LADDER, .unavailable = CANNOT}, \
    {.id = "x25519/multiply-base", .impl = IMPL, .name = NAME "_secret_to_public", .setup = setup_x25519, .call = call_x25519_base, .param = &LADDER, .unavailable = CANNOT}, \
    {.id = "x25519/keygen", .impl = IMPL, .name = "EverCrypt_DRBG_generate, " NAME "_secret_to_public", .setup = setup_x25519_keygen, .call = call_x25519_keygen, .param = &LADDER, .unavailable = CANNOT, .seed = seed, .counts_random = 1}, \
    {.id = "x25519/agree", .impl = IMPL, .name = NAME "_secret_to_public, _ecdh", .setup = setup_x25519_agree, .call = call_x25519_agree, .rekey = cs_key_in_call, .param = &LADDER, .unavailable = CANNOT, .seed = seed, .counts_random = 1}

static const cs_op rows[] = {
    CURVE("default", "EverCrypt_Curve25519", ladder, NULL),
    CURVE("Curve25519_51", "Hacl_Curve25519_51", ladder_51, NULL),
#ifdef HACL_CAN_COMPILE_VALE
    CURVE("Curve25519_64", "Hacl_Curve25519_64", ladder_64, no_adx),
#endif
    {.id = "ed25519/sign", .impl = "default", .name = "EverCrypt_Ed25519_sign_expanded", .setup = setup_ed25519_sign, .call = call_ed25519_sign, .rekey = rekey_ed25519_sign, .teardown = cs_teardown_state},
    {.id = "ed25519/sign", .impl = "EverCrypt_Ed25519_sign", .name = "EverCrypt_Ed25519_sign", .setup = setup_ed25519_anew, .call = call_ed25519_anew, .rekey = cs_key_in_call},
    {.id = "ed25519/verify", .impl = "default", .name = "EverCrypt_Ed25519_verify", .call = call_ed25519_verify, .rekey = cs_key_in_call},
    {.id = "ed25519/keygen", .impl = "default", .name = "EverCrypt_DRBG_generate, EverCrypt_Ed25519_secret_to_public", .setup = setup_ed25519_keygen, .call = call_ed25519_keygen, .seed = seed, .counts_random = 1},
    {.id = "ecdsa-p256-sha256/sign", .impl = "default", .name = "EverCrypt_DRBG_generate, Hacl_P256_ecdsa_sign_p256_sha2", .setup = setup_ecdsa_sign, .call = call_ecdsa_sign, .rekey = cs_key_in_call, .form = "p1363", .seed = seed, .counts_random = 1},
    {.id = "ecdsa-p256-sha256/verify", .impl = "default", .name = "Hacl_P256_ecdsa_verif_p256_sha2", .setup = setup_ecdsa_verify, .call = call_ecdsa_verify, .rekey = cs_setup_again, .form = "p1363"},
    {.id = "p-256/derive", .impl = "default", .name = "Hacl_P256_dh_responder", .setup = setup_p256_derive, .call = call_p256_derive, .rekey = cs_key_in_call},
    {.id = "p-256/multiply-base", .impl = "default", .name = "Hacl_P256_dh_initiator", .setup = setup_p256_base, .call = call_p256_base},
    {.id = "p-256/agree", .impl = "default", .name = "EverCrypt_DRBG_generate, Hacl_P256_dh_initiator, Hacl_P256_dh_responder", .setup = setup_p256_agree, .call = call_p256_agree, .rekey = cs_key_in_call, .seed = seed, .counts_random = 1},
    {.id = "p-256/keygen", .impl = "default", .name = "EverCrypt_DRBG_generate, Hacl_P256_dh_initiator", .setup = setup_p256_keygen, .call = call_p256_keygen, .seed = seed, .counts_random = 1},
};
const cs_table hacl_keys = CS_TABLE(rows);
/* clang-format on */
