/* SPDX-License-Identifier: Apache-2.0
 *
 * HACL*: secp256k1. Points are two numbers, without the byte that says what they are.
 *
 * Entry points: Hacl_K256_ECDSA_ecdsa_sign_sha256, Hacl_K256_ECDSA_secp256k1_ecdsa_sign_sha256,
 * Hacl_K256_ECDSA_ecdsa_verify_sha256, Hacl_K256_ECDSA_ecdh, Hacl_K256_ECDSA_secret_to_public.
 */
#include <string.h>

#include <Hacl_K256_ECDSA.h>

#include "adapter.h"

enum { SIGNATURE = 64, RAW = 2 * CS_P256_BYTES, MARK = 1 };

/* A number from 1 to the order less 1. */
static int draw_scalar(uint8_t out[CS_P256_BYTES])
{
    do {
        if (!draw(out, CS_P256_BYTES))
            return cs_fail("EverCrypt_DRBG_generate");
    } while (!Hacl_K256_ECDSA_is_private_key_valid(out));
    return CS_OK;
}

static int setup_k256_sign(cs_case *c)
{
    c->out_len = SIGNATURE;
    return Hacl_K256_ECDSA_is_private_key_valid(bytes_of(c->key)) ? CS_OK : CS_BAD_KEY;
}

/* The secret number is the caller's to bring. */
static int call_k256_sign(cs_case *c)
{
    uint8_t once[CS_P256_BYTES];

    if (draw_scalar(once) != CS_OK)
        return CS_ERROR;
    return Hacl_K256_ECDSA_ecdsa_sign_sha256(c->out, (uint32_t)c->msg.len, bytes_of(c->msg), bytes_of(c->key), once)
               ? CS_OK
               : cs_fail("Hacl_K256_ECDSA_ecdsa_sign_sha256");
}

/* Of the two signatures that there are the one with the smaller s, as Bitcoin wants it. */
static int call_k256_sign_low(cs_case *c)
{
    uint8_t once[CS_P256_BYTES];

    if (draw_scalar(once) != CS_OK)
        return CS_ERROR;
    return Hacl_K256_ECDSA_secp256k1_ecdsa_sign_sha256(c->out, (uint32_t)c->msg.len, bytes_of(c->msg), bytes_of(c->key),
                                                       once)
               ? CS_OK
               : cs_fail("Hacl_K256_ECDSA_secp256k1_ecdsa_sign_sha256");
}

static int setup_k256_verify(cs_case *c)
{
    if (cs_p256_point(c->pub) != CS_OK)
        return CS_ERROR;
    return Hacl_K256_ECDSA_is_public_key_valid(bytes_of(c->pub) + MARK) ? CS_OK : CS_BAD_KEY;
}

/* It reads 64 bytes whatever it is given, hence the length check. */
static int call_k256_verify(cs_case *c)
{
    if (c->sig.len != SIGNATURE)
        return CS_REJECTED;
    return Hacl_K256_ECDSA_ecdsa_verify_sha256((uint32_t)c->msg.len, bytes_of(c->msg), bytes_of(c->pub) + MARK,
                                               bytes_of(c->sig))
               ? CS_OK
               : CS_REJECTED;
}

static int setup_k256_derive(cs_case *c)
{
    c->out_len = CS_P256_BYTES;
    if (cs_p256_point(c->pub) != CS_OK)
        return CS_ERROR;
    return Hacl_K256_ECDSA_is_private_key_valid(bytes_of(c->key)) ? CS_OK : CS_BAD_KEY;
}

/* It checks both keys in every call, and gives both numbers of the shared point; x is the secret. */
static int call_k256_derive(cs_case *c)
{
    uint8_t point[RAW];

    if (!Hacl_K256_ECDSA_ecdh(point, bytes_of(c->pub) + MARK, bytes_of(c->key)))
        return CS_BAD_KEY;
    memcpy(c->out, point, CS_P256_BYTES);
    return CS_OK;
}

static int setup_k256_base(cs_case *c)
{
    c->out_len = CS_P256_POINT;
    return CS_OK;
}

static int call_k256_base(cs_case *c)
{
    c->out[0] = 4;
    return Hacl_K256_ECDSA_secret_to_public(c->out + MARK, bytes_of(c->key))
               ? CS_OK
               : cs_fail("Hacl_K256_ECDSA_secret_to_public");
}

static int setup_k256_keygen(cs_case *c)
{
    c->out_len = CS_P256_BYTES + CS_P256_POINT;
    return CS_OK;
}

static int call_k256_keygen(cs_case *c)
{
    uint8_t *point = c->out + CS_P256_BYTES;

    if (draw_scalar(c->out) != CS_OK)
        return CS_ERROR;
    point[0] = 4;
    return Hacl_K256_ECDSA_secret_to_public(point + MARK, c->out) ? CS_OK : cs_fail("Hacl_K256_ECDSA_secret_to_public");
}

/* clang-format off */
#define K256_SIGN(IMPL, NAME, CALL) \
    {.id = "ecdsa-secp256k1-sha256/sign", .impl = IMPL, .name = "EverCrypt_DRBG_generate, " NAME, .setup = setup_k256_sign, .call = CALL, .rekey = cs_key_in_call, .form = "p1363", .seed = seed, .counts_random = 1}

static const cs_op rows[] = {
    K256_SIGN("default", "Hacl_K256_ECDSA_ecdsa_sign_sha256", call_k256_sign),
    K256_SIGN("low_s", "Hacl_K256_ECDSA_secp256k1_ecdsa_sign_sha256", call_k256_sign_low),
    {.id = "ecdsa-secp256k1-sha256/verify", .impl = "default", .name = "Hacl_K256_ECDSA_ecdsa_verify_sha256", .setup = setup_k256_verify, .call = call_k256_verify, .rekey = cs_setup_again, .form = "p1363"},
    {.id = "secp256k1/derive", .impl = "default", .name = "Hacl_K256_ECDSA_ecdh", .setup = setup_k256_derive, .call = call_k256_derive, .rekey = cs_key_in_call},
    {.id = "secp256k1/multiply-base", .impl = "default", .name = "Hacl_K256_ECDSA_secret_to_public", .setup = setup_k256_base, .call = call_k256_base},
    {.id = "secp256k1/keygen", .impl = "default", .name = "EverCrypt_DRBG_generate, Hacl_K256_ECDSA_secret_to_public", .setup = setup_k256_keygen, .call = call_k256_keygen, .seed = seed, .counts_random = 1},
};
const cs_table hacl_k256 = CS_TABLE(rows);
/* clang-format on */
