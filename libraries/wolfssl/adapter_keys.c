/* SPDX-License-Identifier: Apache-2.0
 *
 * wolfSSL: key generation, agreement with ephemeral keys, and ML-KEM.
 *
 * Entry points: wc_curve25519_make_key, wc_ed25519_make_key, wc_ecc_make_key_ex, wc_MakeRsaKey, wc_MlKemKey_*.
 */
#include "adapter.h"

#include <string.h>

#include <wolfssl/wolfcrypt/curve25519.h>
#include <wolfssl/wolfcrypt/ecc.h>
#include <wolfssl/wolfcrypt/ed25519.h>
#include <wolfssl/wolfcrypt/rsa.h>

enum { RSA_PUBLIC_EXPONENT = 65537 };

/* ---- X25519 ---- */

static int x25519_keygen_setup(cs_case *c)
{
    c->out_len = (size_t)2 * CURVE25519_KEYSIZE;
    return cs_new_state(c, sizeof(curve25519_key)) == NULL ? CS_ERROR : from_wc(wc_curve25519_init(c->state));
}

static int x25519_keygen_call(cs_case *c)
{
    word32 private_len = CURVE25519_KEYSIZE, public_len = CURVE25519_KEYSIZE;
    int error = wc_curve25519_make_key(&random_state, CURVE25519_KEYSIZE, c->state);

    if (error == 0)
        error = wc_curve25519_export_key_raw_ex(c->state, c->out, &private_len, c->out + CURVE25519_KEYSIZE,
                                                &public_len, EC25519_LITTLE_ENDIAN);
    return from_wc(error);
}

static void x25519_keygen_teardown(cs_case *c)
{
    wc_curve25519_free(c->state);
    cs_teardown_state(c);
}

/* ---- Ed25519 ---- */

static int ed25519_keygen_setup(cs_case *c)
{
    c->out_len = ED25519_KEY_SIZE + ED25519_PUB_KEY_SIZE;
    return cs_new_state(c, sizeof(ed25519_key)) == NULL ? CS_ERROR : from_wc(wc_ed25519_init(c->state));
}

static int ed25519_keygen_call(cs_case *c)
{
    word32 private_len = ED25519_KEY_SIZE, public_len = ED25519_PUB_KEY_SIZE;
    int error = wc_ed25519_make_key(&random_state, ED25519_KEY_SIZE, c->state);

    if (error == 0)
        error = wc_ed25519_export_private_only(c->state, c->out, &private_len);
    if (error == 0)
        error = wc_ed25519_export_public(c->state, c->out + ED25519_KEY_SIZE, &public_len);
    return from_wc(error);
}

static void ed25519_keygen_teardown(cs_case *c)
{
    wc_ed25519_free(c->state);
    cs_teardown_state(c);
}

/* ---- curves in short Weierstrass form ---- */

static int ec_keygen_setup(cs_case *c)
{
    c->out_len = 3 * (size_t)wc_ecc_get_curve_size_from_id(*(const int *)c->op->param) + 1;
    return cs_new_state(c, sizeof(ecc_key)) == NULL ? CS_ERROR : from_wc(wc_ecc_init_ex(c->state, NULL, INVALID_DEVID));
}

static int ec_keygen_call(cs_case *c)
{
    const word32 bytes = (word32)(c->out_len / 3);
    word32 private_len = bytes, public_len = 2 * bytes + 1;
    int error = wc_ecc_make_key_ex(&random_state, (int)bytes, c->state, *(const int *)c->op->param);

    if (error == 0)
        error = wc_ecc_export_private_only(c->state, c->out, &private_len);
    if (error == 0)
        error = wc_ecc_export_x963(c->state, c->out + bytes, &public_len);
    return from_wc(error);
}

static void ec_keygen_teardown(cs_case *c)
{
    wc_ecc_free(c->state);
    cs_teardown_state(c);
}

/* ---- multiples of the generator ---- */

/* The library wants the scalar of Curve25519 as RFC 7748 section 5 clamps it. */
static int x25519_base_setup(cs_case *c)
{
    uint8_t *clamped = cs_new_state(c, CURVE25519_KEYSIZE);

    if (clamped == NULL)
        return CS_ERROR;
    memcpy(clamped, c->key.data, CURVE25519_KEYSIZE);
    clamped[0] &= 0xf8;
    clamped[CURVE25519_KEYSIZE - 1] = (uint8_t)((clamped[CURVE25519_KEYSIZE - 1] & 0x7f) | 0x40);
    c->out_len = CURVE25519_KEYSIZE;
    return CS_OK;
}

static int x25519_base_call(cs_case *c)
{
    return from_wc(wc_curve25519_make_pub(CURVE25519_KEYSIZE, c->out, CURVE25519_KEYSIZE, c->state));
}

static int ec_base_setup(cs_case *c)
{
    int error;

    if (cs_new_state(c, sizeof(ecc_key)) == NULL)
        return CS_ERROR;
    error = wc_ecc_init_ex(c->state, NULL, INVALID_DEVID);
    if (error == 0)
        error = wc_ecc_import_private_key_ex(c->key.data, (word32)c->key.len, NULL, 0, c->state,
                                             *(const int *)c->op->param);
    c->out_len = 2 * c->key.len + 1;
    if (error == 0)
        return CS_OK;
    ec_keygen_teardown(c);
    return from_wc(error);
}

static int ec_base_call(cs_case *c)
{
    word32 len = (word32)c->out_len;
    int error = wc_ecc_make_pub_ex(c->state, NULL, &random_state);

    return from_wc(error == 0 ? wc_ecc_export_x963(c->state, c->out, &len) : error);
}

/* ---- agreement with an ephemeral key ---- */

struct x25519_agreement {
    curve25519_key own;
    curve25519_key peer;
};

static void x25519_agree_teardown(cs_case *c)
{
    struct x25519_agreement *s = c->state;

    wc_curve25519_free(&s->own);
    wc_curve25519_free(&s->peer);
    cs_teardown_state(c);
}

static int x25519_agree_setup(cs_case *c)
{
    struct x25519_agreement *s = cs_new_state(c, sizeof *s);
    int error;

    if (s == NULL)
        return CS_ERROR;
    error = wc_curve25519_init(&s->own);
    if (error == 0)
        error = wc_curve25519_init(&s->peer);
#ifdef WOLFSSL_CURVE25519_BLINDING
    if (error == 0)
        error = wc_curve25519_set_rng(&s->own, &random_state);
#endif
    c->out_len = (size_t)2 * CURVE25519_KEYSIZE;
    if (error != 0)
        x25519_agree_teardown(c);
    return from_wc(error);
}

static int x25519_agree_call(cs_case *c)
{
    struct x25519_agreement *s = c->state;
    word32 public_len = CURVE25519_KEYSIZE, len = CURVE25519_KEYSIZE;
    int error = wc_curve25519_make_key(&random_state, CURVE25519_KEYSIZE, &s->own);

    if (error == 0)
        error = wc_curve25519_export_public_ex(&s->own, c->out, &public_len, EC25519_LITTLE_ENDIAN);
    if (error == 0)
        error = wc_curve25519_import_public_ex(c->pub.data, (word32)c->pub.len, &s->peer, EC25519_LITTLE_ENDIAN);
    if (error == 0)
        error =
            wc_curve25519_shared_secret_ex(&s->own, &s->peer, c->out + CURVE25519_KEYSIZE, &len, EC25519_LITTLE_ENDIAN);
    return error == ECC_BAD_ARG_E || error == ECC_OUT_OF_RANGE_E ? CS_BAD_KEY : from_wc(error);
}

struct ec_agreement {
    ecc_key own;
    word32 bytes;
};

static void ec_agree_teardown(cs_case *c)
{
    struct ec_agreement *s = c->state;

    wc_ecc_free(&s->own);
    cs_teardown_state(c);
}

static int ec_agree_setup(cs_case *c)
{
    struct ec_agreement *s = cs_new_state(c, sizeof *s);
    int error;

    if (s == NULL)
        return CS_ERROR;
    error = wc_ecc_init_ex(&s->own, NULL, INVALID_DEVID);
    s->bytes = (word32)wc_ecc_get_curve_size_from_id(*(const int *)c->op->param);
    c->out_len = c->pub.len + s->bytes;
    if (error != 0)
        ec_agree_teardown(c);
    return from_wc(error);
}

/* Reading a point does not check it: the manual has wc_ecc_check_key for that. */
static int put_shared(cs_case *c, ecc_key *peer)
{
    struct ec_agreement *s = c->state;
    word32 len = s->bytes;
    int error = wc_ecc_import_x963_ex(c->pub.data, (word32)c->pub.len, peer, *(const int *)c->op->param);

    if (error == 0)
        error = wc_ecc_check_key(peer);
    if (error != 0)
        return error == MEMORY_E || error == MP_MEM ? from_wc(error) : CS_BAD_KEY;
    return from_wc(wc_ecc_shared_secret(&s->own, peer, c->out + c->pub.len, &len));
}

/* Making a key forgets what the object held, its generator too. */
static int ec_agree_call(cs_case *c)
{
    struct ec_agreement *s = c->state;
    word32 public_len = (word32)c->pub.len;
    ecc_key peer;
    int error = wc_ecc_make_key_ex(&random_state, (int)s->bytes, &s->own, *(const int *)c->op->param), status;

    if (error == 0)
        error = wc_ecc_export_x963(&s->own, c->out, &public_len);
#ifdef ECC_TIMING_RESISTANT
    if (error == 0)
        error = wc_ecc_set_rng(&s->own, &random_state);
#endif
    if (error == 0)
        error = wc_ecc_init_ex(&peer, NULL, INVALID_DEVID);
    if (error != 0)
        return from_wc(error);
    status = put_shared(c, &peer);
    wc_ecc_free(&peer);
    return status;
}

/* ---- RSA ---- */

static int rsa_keygen_setup(cs_case *c)
{
    const int *bits = c->op->param;

    c->out_len = CS_RSA_PAIR_OF(*bits);
    return cs_new_state(c, sizeof(RsaKey)) == NULL ? CS_ERROR : CS_OK;
}

static int put_rsa(RsaKey *key, uint8_t *at, int half)
{
    mp_int *const part[CS_CRT_PARTS] = {
        [CS_CRT_P] = &key->p,   [CS_CRT_Q] = &key->q,    [CS_CRT_DP] = &key->dP,
        [CS_CRT_DQ] = &key->dQ, [CS_CRT_QINV] = &key->u,
    };
    int error = 0;

    for (int i = 0; i < CS_CRT_PARTS && error == 0; i++, at += half)
        error = mp_to_unsigned_bin_len(part[i], at, half);
    if (error == 0)
        error = mp_to_unsigned_bin_len(&key->n, at, 2 * half);
    return error == 0 ? mp_to_unsigned_bin_len(&key->e, at + 2 * half, CS_RSA_EXPONENT) : error;
}

/* A key is filled once: making one is part of the call, and nothing beside the search for primes. */
static int rsa_keygen_call(cs_case *c)
{
    const int *bits = c->op->param;
    RsaKey *key = c->state;
    int error = wc_InitRsaKey(key, NULL);

    if (error == 0)
        error = wc_MakeRsaKey(key, *bits, RSA_PUBLIC_EXPONENT, &random_state);
    if (error == 0)
        error = put_rsa(key, c->out, (int)CS_RSA_PART_OF(*bits));
    wc_FreeRsaKey(key);
    return from_wc(error);
}

/* ---- ML-KEM ---- */

/* Up to 5.7 there was Kyber, by functions of other names. */
#if LIBWOLFSSL_VERSION_HEX >= 0x05009000 && defined(WOLFSSL_HAVE_MLKEM)
#define HAS_ML_KEM 1
#include <wolfssl/wolfcrypt/wc_mlkem.h>

static const int ml_kem_512 = WC_ML_KEM_512, ml_kem_768 = WC_ML_KEM_768, ml_kem_1024 = WC_ML_KEM_1024;

struct kem {
    MlKemKey key;
    cs_span seed;
    word32 first_len; /* of what a call writes: the private key, or the ciphertext */
    word32 second_len;
};

static void kem_teardown(cs_case *c)
{
    struct kem *s = c->state;

    wc_MlKemKey_Free(&s->key);
    cs_teardown_state(c);
}

static int kem_open(cs_case *c)
{
    const int *type = c->op->param;
    struct kem *s = cs_new_state(c, sizeof *s);

    if (s == NULL)
        return CS_ERROR;
    s->seed = cs_input(c, "seed");
    if (wc_MlKemKey_Init(&s->key, *type, NULL, INVALID_DEVID) == 0)
        return CS_OK;
    cs_teardown_state(c);
    return cs_fail("wc_MlKemKey_Init");
}

static int kem_opened(cs_case *c, int error)
{
    struct kem *s = c->state;

    c->out_len = (size_t)s->first_len + s->second_len;
    if (error != 0)
        kem_teardown(c);
    return from_wc(error);
}

static int kem_keygen_setup(cs_case *c)
{
    int status = kem_open(c);
    struct kem *s = c->state;
    int error;

    if (status != CS_OK)
        return status;
    error = wc_MlKemKey_PrivateKeySize(&s->key, &s->first_len);
    return kem_opened(c, error == 0 ? wc_MlKemKey_PublicKeySize(&s->key, &s->second_len) : error);
}

static int kem_keygen_call(cs_case *c)
{
    struct kem *s = c->state;
    int error = s->seed.data == NULL ? wc_MlKemKey_MakeKey(&s->key, &random_state)
                                     : wc_MlKemKey_MakeKeyWithRandom(&s->key, s->seed.data, (int)s->seed.len);

    if (error == 0)
        error = wc_MlKemKey_EncodePrivateKey(&s->key, c->out, s->first_len);
    return from_wc(error == 0 ? wc_MlKemKey_EncodePublicKey(&s->key, c->out + s->first_len, s->second_len) : error);
}

/* A key that fails the checks of FIPS 203, sections 7.2 and 7.3. */
static int refused(cs_case *c)
{
    kem_teardown(c);
    return CS_BAD_KEY;
}

static int encaps_setup(cs_case *c)
{
    int status = kem_open(c);
    struct kem *s = c->state;
    int error;

    if (status != CS_OK)
        return status;
    if (wc_MlKemKey_DecodePublicKey(&s->key, c->pub.data, (word32)c->pub.len) != 0)
        return refused(c);
    error = wc_MlKemKey_CipherTextSize(&s->key, &s->first_len);
    return kem_opened(c, error == 0 ? wc_MlKemKey_SharedSecretSize(&s->key, &s->second_len) : error);
}

static int encaps_call(cs_case *c)
{
    struct kem *s = c->state;
    uint8_t *secret = c->out + s->first_len;

    return from_wc(s->seed.data == NULL
                       ? wc_MlKemKey_Encapsulate(&s->key, c->out, secret, &random_state)
                       : wc_MlKemKey_EncapsulateWithRandom(&s->key, c->out, secret, s->seed.data, (int)s->seed.len));
}

static int decaps_setup(cs_case *c)
{
    int status = kem_open(c);
    struct kem *s = c->state;

    if (status != CS_OK)
        return status;
    if (wc_MlKemKey_DecodePrivateKey(&s->key, c->key.data, (word32)c->key.len) != 0)
        return refused(c);
    return kem_opened(c, wc_MlKemKey_SharedSecretSize(&s->key, &s->second_len));
}

/* What a ciphertext of a wrong length gives. */
static int decaps_call(cs_case *c)
{
    struct kem *s = c->state;
    int error = wc_MlKemKey_Decapsulate(&s->key, c->out, c->msg.data, (word32)c->msg.len);

    return error == BUFFER_E ? CS_REJECTED : from_wc(error);
}
#endif

/* clang-format off */
/* `param` of RSA is the length of the modulus in bits. */
#define KEYGEN_ROW(ALGORITHM, NAME, CALLS, TEARDOWN, PARAM, UNAVAILABLE)                                               \
    {.id = ALGORITHM "/keygen", .impl = "default", .name = NAME, .setup = CALLS##_keygen_setup, .call = CALLS##_keygen_call, .teardown = TEARDOWN, .param = PARAM, .unavailable = UNAVAILABLE, .seed = seed_random, .counts_random = 1}
#define AGREE_ROW(ALGORITHM, NAME, CALLS, PARAM, UNAVAILABLE)                                                          \
    {.id = ALGORITHM "/agree", .impl = "default", .name = NAME, .setup = CALLS##_agree_setup, .call = CALLS##_agree_call, .rekey = cs_key_in_call, .teardown = CALLS##_agree_teardown, .param = PARAM, .unavailable = UNAVAILABLE, .seed = seed_random, .counts_random = 1}
#define BASE_ROW(ALGORITHM, CURVE)                                                                                     \
    {.id = ALGORITHM "/multiply-base", .impl = "default", .name = "wc_ecc_make_pub_ex, wc_ecc_export_x963", .setup = ec_base_setup, .call = ec_base_call, .teardown = ec_keygen_teardown, .param = &CURVE, .unavailable = curve_unavailable, .seed = seed_random, .counts_random = 1}
#define KEM_ROWS(ALGORITHM, TYPE)                                                                                      \
    {.id = ALGORITHM "/keygen", .impl = "default", .name = "wc_MlKemKey_MakeKey", .setup = kem_keygen_setup, .call = kem_keygen_call, .teardown = kem_teardown, .param = &TYPE, .seed = seed_random, .counts_random = 1, .seeded = 1}, \
    {.id = ALGORITHM "/encaps", .impl = "default", .name = "wc_MlKemKey_Encapsulate", .setup = encaps_setup, .call = encaps_call, .rekey = cs_setup_again, .teardown = kem_teardown, .param = &TYPE, .seed = seed_random, .counts_random = 1, .seeded = 1}, \
    {.id = ALGORITHM "/decaps", .impl = "default", .name = "wc_MlKemKey_Decapsulate", .setup = decaps_setup, .call = decaps_call, .rekey = cs_setup_again, .teardown = kem_teardown, .param = &TYPE}

static const cs_op rows[] = {
    BASE_ROW("p-256", p256_curve),
    BASE_ROW("p-384", p384_curve),
    BASE_ROW("p-521", p521_curve),
    BASE_ROW("secp256k1", secp256k1_curve),
    {.id = "x25519/multiply-base", .impl = "default", .name = "wc_curve25519_make_pub", .setup = x25519_base_setup, .call = x25519_base_call, .teardown = cs_teardown_state},
    AGREE_ROW("x25519", "wc_curve25519_make_key, wc_curve25519_shared_secret_ex", x25519, NULL, NULL),
    AGREE_ROW("p-256", "wc_ecc_make_key_ex, wc_ecc_shared_secret", ec, &p256_curve, NULL),
    AGREE_ROW("p-384", "wc_ecc_make_key_ex, wc_ecc_shared_secret", ec, &p384_curve, curve_unavailable),
    KEYGEN_ROW("x25519", "wc_curve25519_make_key", x25519, x25519_keygen_teardown, NULL, NULL),
    KEYGEN_ROW("ed25519", "wc_ed25519_make_key", ed25519, ed25519_keygen_teardown, NULL, NULL),
    KEYGEN_ROW("p-256", "wc_ecc_make_key_ex", ec, ec_keygen_teardown, &p256_curve, NULL),
    KEYGEN_ROW("p-384", "wc_ecc_make_key_ex", ec, ec_keygen_teardown, &p384_curve, curve_unavailable),
    KEYGEN_ROW("p-521", "wc_ecc_make_key_ex", ec, ec_keygen_teardown, &p521_curve, curve_unavailable),
    KEYGEN_ROW("secp256k1", "wc_ecc_make_key_ex", ec, ec_keygen_teardown, &secp256k1_curve, curve_unavailable),
    KEYGEN_ROW("brainpool-p256", "wc_ecc_make_key_ex", ec, ec_keygen_teardown, &brainpool_curve, curve_unavailable),
    KEYGEN_ROW("rsa-2048", "wc_MakeRsaKey", rsa, cs_teardown_state, &(const int){2048}, NULL),
    KEYGEN_ROW("rsa-3072", "wc_MakeRsaKey", rsa, cs_teardown_state, &(const int){3072}, NULL),
    KEYGEN_ROW("rsa-4096", "wc_MakeRsaKey", rsa, cs_teardown_state, &(const int){4096}, NULL),
#ifdef HAS_ML_KEM
    KEM_ROWS("ml-kem-512", ml_kem_512),
    KEM_ROWS("ml-kem-768", ml_kem_768),
    KEM_ROWS("ml-kem-1024", ml_kem_1024),
#endif
};
/* clang-format on */

const cs_table wolfssl_keys = CS_TABLE(rows);
