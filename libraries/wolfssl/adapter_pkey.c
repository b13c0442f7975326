/* SPDX-License-Identifier: Apache-2.0
 *
 * wolfSSL: key agreement and signatures.
 *
 * Entry points: wc_curve25519_*, wc_ed25519_*, wc_ecc_*.
 */
#include "adapter.h"

#include <wolfssl/wolfcrypt/curve25519.h>
#include <wolfssl/wolfcrypt/ecc.h>
#include <wolfssl/wolfcrypt/ed25519.h>
#include <wolfssl/wolfcrypt/hash.h>

/* What an error of a verification says: the signature is not good, or there was no memory to find out. */
static int verdict(int error, int good)
{
    if (error == MEMORY_E || error == MP_MEM)
        return from_wc(error);
    return error == 0 && good ? CS_OK : CS_REJECTED;
}

/* ---- dh ---- */

struct agreement {
    curve25519_key key;
    curve25519_key peer;
};

static void x25519_teardown(cs_case *c)
{
    struct agreement *s = c->state;

    wc_curve25519_free(&s->key);
    wc_curve25519_free(&s->peer);
    cs_teardown_state(c);
}

static int take_x25519_keys(const cs_case *c, struct agreement *s)
{
    int error = wc_curve25519_init(&s->key);

    if (error == 0)
        error = wc_curve25519_init(&s->peer);
#ifdef WOLFSSL_CURVE25519_BLINDING
    if (error == 0)
        error = wc_curve25519_set_rng(&s->key, &random_state);
#endif
    if (error == 0)
        error = wc_curve25519_import_private_ex(c->key.data, (word32)c->key.len, &s->key, EC25519_LITTLE_ENDIAN);
    if (error == 0)
        error = wc_curve25519_import_public_ex(c->pub.data, (word32)c->pub.len, &s->peer, EC25519_LITTLE_ENDIAN);
    return error;
}

static int x25519_setup(cs_case *c)
{
    struct agreement *s = cs_new_state(c, sizeof *s);
    int error;

    if (s == NULL)
        return CS_ERROR;
    error = take_x25519_keys(c, s);
    c->out_len = CURVE25519_KEYSIZE;
    if (error != 0)
        x25519_teardown(c);
    return from_wc(error);
}

static int x25519_call(cs_case *c)
{
    struct agreement *s = c->state;
    word32 len = CURVE25519_KEYSIZE;
    int error = wc_curve25519_shared_secret_ex(&s->key, &s->peer, c->out, &len, EC25519_LITTLE_ENDIAN);

    return error == ECC_BAD_ARG_E || error == ECC_OUT_OF_RANGE_E ? CS_BAD_KEY : from_wc(error);
}

/* ---- Ed25519 ---- */

static void ed25519_teardown(cs_case *c)
{
    wc_ed25519_free(c->state);
    cs_teardown_state(c);
}

static int ed25519_open(cs_case *c)
{
    int error;

    if (cs_new_state(c, sizeof(ed25519_key)) == NULL)
        return CS_ERROR;
    error = wc_ed25519_init(c->state);
    if (error == 0)
        error = c->key.data == NULL ? wc_ed25519_import_public(c->pub.data, (word32)c->pub.len, c->state)
                                    : wc_ed25519_import_private_key(c->key.data, (word32)c->key.len, c->pub.data,
                                                                    (word32)c->pub.len, c->state);
    if (error != 0)
        ed25519_teardown(c);
    return from_wc(error);
}

static int ed25519_sign_setup(cs_case *c)
{
    c->out_len = ED25519_SIG_SIZE;
    return ed25519_open(c);
}

static int ed25519_verify_setup(cs_case *c)
{
    return ed25519_open(c);
}

static int ed25519_sign_call(cs_case *c)
{
    word32 len = ED25519_SIG_SIZE;

    return from_wc(wc_ed25519_sign_msg(c->msg.data, (word32)c->msg.len, c->out, &len, c->state));
}

static int ed25519_verify_call(cs_case *c)
{
    int good = 0;
    int error =
        wc_ed25519_verify_msg(c->sig.data, (word32)c->sig.len, c->msg.data, (word32)c->msg.len, &good, c->state);

    return verdict(error, good);
}

/* ---- ECDSA ---- */

/* The hash goes with the curve. */
struct ecdsa {
    ecc_key key;
    wc_HashAlg hash;
    enum wc_HashType type;
    word32 digest_len;
};

static void ecdsa_teardown(cs_case *c)
{
    struct ecdsa *s = c->state;

    wc_ecc_free(&s->key);
    wc_HashFree(&s->hash, s->type);
    cs_teardown_state(c);
}

const int p256_curve = ECC_SECP256R1, secp256k1_curve = ECC_SECP256K1;
const int brainpool_curve = ECC_BRAINPOOLP256R1;
const int p384_curve = ECC_SECP384R1, p521_curve = ECC_SECP521R1;

static enum wc_HashType hash_of(int curve)
{
    return curve == ECC_SECP384R1   ? WC_HASH_TYPE_SHA384
           : curve == ECC_SECP521R1 ? WC_HASH_TYPE_SHA512
                                    : WC_HASH_TYPE_SHA256;
}

/* Upstream's configure leaves all curves but the common ones out, unless asked (--enable-ecccustcurves). */
const char *curve_unavailable(const struct cs_op *op)
{
    return wc_ecc_get_curve_idx(*(const int *)op->param) >= 0 ? NULL : "this build of wolfSSL leaves the curve out";
}

/*
 * Points that were multiplied before have tables in a cache of the process (FP_ECC, 15 entries). Once it is full of
 * keys of earlier cases, it takes no others: the time of a call would depend on the cases before. A case begins as a
 * process does.
 */
static void forget_points(void)
{
#ifdef FP_ECC
    wc_ecc_fp_free();
#endif
}

static int ecdsa_open(cs_case *c)
{
    const int curve = *(const int *)c->op->param;
    struct ecdsa *s = cs_new_state(c, sizeof *s);
    int error;

    if (s == NULL)
        return CS_ERROR;
    forget_points();
    error = wc_ecc_init_ex(&s->key, NULL, INVALID_DEVID);
    s->type = hash_of(curve);
    s->digest_len = (word32)wc_HashGetDigestSize(s->type);
    if (error == 0)
        error = wc_HashInit(&s->hash, s->type);
    if (error == 0)
        error = c->key.data == NULL ? wc_ecc_import_x963_ex(c->pub.data, (word32)c->pub.len, &s->key, curve)
                                    : wc_ecc_import_private_key_ex(c->key.data, (word32)c->key.len, c->pub.data,
                                                                   (word32)c->pub.len, &s->key, curve);
    if (error != 0)
        ecdsa_teardown(c);
    return from_wc(error);
}

static int ecdsa_sign_setup(cs_case *c)
{
    return ecdsa_open(c);
}

static int ecdsa_verify_setup(cs_case *c)
{
    return ecdsa_open(c);
}

#ifdef WOLFSSL_ECDSA_DETERMINISTIC_K
static const char *rfc6979_unavailable(const struct cs_op *op)
{
    (void)op;
    return NULL;
}

static int ecdsa_rfc6979_setup(cs_case *c)
{
    int status = ecdsa_open(c);
    struct ecdsa *s = c->state;

    if (status != CS_OK)
        return status;
    status = from_wc(wc_ecc_set_deterministic(&s->key, 1));
    if (status != CS_OK)
        ecdsa_teardown(c);
    return status;
}
#else
static const char *rfc6979_unavailable(const struct cs_op *op)
{
    (void)op;
    return "this build of wolfSSL has no WOLFSSL_ECDSA_DETERMINISTIC_K";
}

static int ecdsa_rfc6979_setup(cs_case *c)
{
    return cs_fail(rfc6979_unavailable(c->op));
}
#endif

static const char *curve_rfc6979_unavailable(const struct cs_op *op)
{
    const char *reason = curve_unavailable(op);

    return reason != NULL ? reason : rfc6979_unavailable(op);
}

static int digest(struct ecdsa *s, cs_span msg, uint8_t *out)
{
    int error = wc_HashUpdate(&s->hash, s->type, msg.data, (word32)msg.len);

    return error == 0 ? wc_HashFinal(&s->hash, s->type, out) : error;
}

static int ecdsa_sign_call(cs_case *c)
{
    struct ecdsa *s = c->state;
    uint8_t hash[WC_MAX_DIGEST_SIZE];
    word32 len = (word32)c->out_cap;
    int error = digest(s, c->msg, hash);

    if (error == 0)
        error = wc_ecc_sign_hash(hash, s->digest_len, c->out, &len, &random_state, &s->key);
    c->out_len = len;
    return from_wc(error);
}

static int ecdsa_verify_call(cs_case *c)
{
    struct ecdsa *s = c->state;
    uint8_t hash[WC_MAX_DIGEST_SIZE];
    int good = 0;
    int error = digest(s, c->msg, hash);

    if (error != 0)
        return from_wc(error);
    error = wc_ecc_verify_hash(c->sig.data, (word32)c->sig.len, hash, s->digest_len, &good, &s->key);
    return verdict(error, good);
}

/* ---- ECDH ---- */

struct ecdh {
    ecc_key key;
    ecc_key peer;
};

static void ecdh_teardown(cs_case *c)
{
    struct ecdh *s = c->state;

    wc_ecc_free(&s->key);
    wc_ecc_free(&s->peer);
    cs_teardown_state(c);
}

static int take_ecdh_key(const cs_case *c, struct ecdh *s)
{
    const int curve = *(const int *)c->op->param;
    int error = wc_ecc_init_ex(&s->key, NULL, INVALID_DEVID);

    if (error == 0)
        error = wc_ecc_init_ex(&s->peer, NULL, INVALID_DEVID);
    if (error == 0)
        error = wc_ecc_import_private_key_ex(c->key.data, (word32)c->key.len, NULL, 0, &s->key, curve);
#ifdef ECC_TIMING_RESISTANT
    if (error == 0)
        error = wc_ecc_set_rng(&s->key, &random_state);
#endif
    return error;
}

/* Reading a point does not check it: the manual has wc_ecc_check_key for that. */
static int ecdh_setup(cs_case *c)
{
    const int curve = *(const int *)c->op->param;
    struct ecdh *s = cs_new_state(c, sizeof *s);
    int error;

    if (s == NULL)
        return CS_ERROR;
    forget_points();
    error = take_ecdh_key(c, s);
    c->out_len = c->key.len;
    if (error == 0 && wc_ecc_import_x963_ex(c->pub.data, (word32)c->pub.len, &s->peer, curve) == 0 &&
        wc_ecc_check_key(&s->peer) == 0)
        return CS_OK;
    ecdh_teardown(c);
    return error == 0 ? CS_BAD_KEY : from_wc(error);
}

/* Keys whose product is the point at infinity, in the library's eyes, do not go together. */
static int ecdh_call(cs_case *c)
{
    struct ecdh *s = c->state;
    word32 len = (word32)c->out_len;
    int error = wc_ecc_shared_secret(&s->key, &s->peer, c->out, &len);

    return error == ECC_INF_E ? CS_BAD_KEY : from_wc(error);
}

/* clang-format off */
#define ECDSA_ROWS(ALGORITHM, CURVE)                                                                                   \
    {.id = ALGORITHM "/sign", .impl = "default", .name = "wc_ecc_sign_hash", .setup = ecdsa_sign_setup, .call = ecdsa_sign_call, .rekey = cs_setup_again, .teardown = ecdsa_teardown, .param = &CURVE, .form = "der", .unavailable = curve_unavailable, .seed = seed_random, .counts_random = 1}, \
    {.id = ALGORITHM "/sign", .impl = "rfc6979", .name = "wc_ecc_set_deterministic, wc_ecc_sign_hash", .setup = ecdsa_rfc6979_setup, .call = ecdsa_sign_call, .rekey = cs_setup_again, .teardown = ecdsa_teardown, .param = &CURVE, .form = "der", .seed = seed_random, .counts_random = 1, .unavailable = curve_rfc6979_unavailable}, \
    {.id = ALGORITHM "/verify", .impl = "default", .name = "wc_ecc_verify_hash", .setup = ecdsa_verify_setup, .call = ecdsa_verify_call, .rekey = cs_setup_again, .teardown = ecdsa_teardown, .param = &CURVE, .form = "der", .unavailable = curve_unavailable}
#define ECDH_ROW(KEYS, CURVE)                                                                                          \
    {.id = KEYS "/derive", .impl = "default", .name = "wc_ecc_shared_secret", .setup = ecdh_setup, .call = ecdh_call, .rekey = cs_setup_again, .teardown = ecdh_teardown, .param = &CURVE, .unavailable = curve_unavailable, .seed = seed_random, .counts_random = 1}

static const cs_op rows[] = {
    {.id = "x25519/derive", .impl = "default", .name = "wc_curve25519_shared_secret_ex", .setup = x25519_setup, .call = x25519_call, .rekey = cs_setup_again, .teardown = x25519_teardown, .seed = seed_random, .counts_random = 1},
    {.id = "ed25519/sign", .impl = "default", .name = "wc_ed25519_sign_msg", .setup = ed25519_sign_setup, .call = ed25519_sign_call, .rekey = cs_setup_again, .teardown = ed25519_teardown},
    {.id = "ed25519/verify", .impl = "default", .name = "wc_ed25519_verify_msg", .setup = ed25519_verify_setup, .call = ed25519_verify_call, .rekey = cs_setup_again, .teardown = ed25519_teardown},
    {.id = "ecdsa-p256-sha256/sign", .impl = "default", .name = "wc_ecc_sign_hash", .setup = ecdsa_sign_setup, .call = ecdsa_sign_call, .rekey = cs_setup_again, .teardown = ecdsa_teardown, .param = &p256_curve, .form = "der", .seed = seed_random, .counts_random = 1},
    {.id = "ecdsa-p256-sha256/sign", .impl = "rfc6979", .name = "wc_ecc_set_deterministic, wc_ecc_sign_hash", .setup = ecdsa_rfc6979_setup, .call = ecdsa_sign_call, .rekey = cs_setup_again, .teardown = ecdsa_teardown, .param = &p256_curve, .form = "der", .seed = seed_random, .counts_random = 1, .unavailable = rfc6979_unavailable},
    {.id = "ecdsa-p256-sha256/verify", .impl = "default", .name = "wc_ecc_verify_hash", .setup = ecdsa_verify_setup, .call = ecdsa_verify_call, .rekey = cs_setup_again, .teardown = ecdsa_teardown, .param = &p256_curve, .form = "der"},
    ECDSA_ROWS("ecdsa-secp256k1-sha256", secp256k1_curve),
    ECDSA_ROWS("ecdsa-brainpoolp256r1-sha256", brainpool_curve),
    ECDSA_ROWS("ecdsa-p384-sha384", p384_curve),
    ECDSA_ROWS("ecdsa-p521-sha512", p521_curve),
    ECDH_ROW("brainpool-p256", brainpool_curve),
    ECDH_ROW("secp256k1", secp256k1_curve),
    ECDH_ROW("p-256", p256_curve),
    ECDH_ROW("p-384", p384_curve),
    ECDH_ROW("p-521", p521_curve),
};
/* clang-format on */

const cs_table wolfssl_pkey = CS_TABLE(rows);
