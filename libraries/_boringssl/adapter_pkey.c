/* SPDX-License-Identifier: Apache-2.0
 *
 * BoringSSL and AWS-LC adapter: key agreement and signatures, by the functions of each algorithm and through EVP_PKEY.
 *
 * Entry points: X25519, ED25519_sign, ED25519_verify, ECDSA_sign, ECDSA_verify; EC_POINT_mul; EVP_PKEY_derive,
 * EVP_DigestSign, EVP_DigestVerify, EVP_PKEY_sign, EVP_PKEY_verify.
 */
#include <string.h>

#include <openssl/bn.h>
#include <openssl/curve25519.h>
#include <openssl/ec.h>
#include <openssl/ecdh.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/nid.h>
#include <openssl/sha.h>

#include "adapter.h"

/* ---- dh ---- */

static int x25519_setup(cs_case *c)
{
    c->out_len = X25519_SHARED_KEY_LEN;
    return CS_OK;
}

/* It returns 0 for a secret of zeros alone (RFC 7748 section 6.1). */
static int x25519_call(cs_case *c)
{
    return X25519(c->out, c->key.data, c->pub.data) == 1 ? CS_OK : CS_REJECTED;
}

static int x25519_base_call(cs_case *c)
{
    X25519_public_from_private(c->out, c->key.data);
    return CS_OK;
}

static int evp_x25519_setup(cs_case *c)
{
    struct session *s = session_new(c);

    if (s == NULL)
        return CS_ERROR;
    s->key = EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, NULL, c->key.data, c->key.len);
    s->peer = EVP_PKEY_new_raw_public_key(EVP_PKEY_X25519, NULL, c->pub.data, c->pub.len);
    if (s->key == NULL || s->peer == NULL)
        return session_give_up(c, "EVP_PKEY_new_raw_key");
    s->key_ctx = EVP_PKEY_CTX_new(s->key, NULL);
    if (s->key_ctx == NULL || EVP_PKEY_derive_init(s->key_ctx) != 1 ||
        EVP_PKEY_derive_set_peer(s->key_ctx, s->peer) != 1)
        return session_give_up(c, "EVP_PKEY_derive_set_peer");
    c->out_len = X25519_SHARED_KEY_LEN;
    return CS_OK;
}

static int evp_x25519_call(cs_case *c)
{
    struct session *s = c->state;
    size_t len = c->out_cap;

    return EVP_PKEY_derive(s->key_ctx, c->out, &len) == 1 ? CS_OK : session_reject("EVP_PKEY_derive");
}

/* ---- Ed25519 ---- */

/* The private key of the library is the seed with the public key behind it. */
static int ed25519_sign_setup(cs_case *c)
{
    struct session *s = session_new(c);
    uint8_t pub[ED25519_PUBLIC_KEY_LEN];

    if (s == NULL)
        return CS_ERROR;
    ED25519_keypair_from_seed(pub, s->private_key, c->key.data);
    c->out_len = ED25519_SIGNATURE_LEN;
    return CS_OK;
}

static int ed25519_sign_call(cs_case *c)
{
    struct session *s = c->state;

    return ED25519_sign(c->out, c->msg.data, c->msg.len, s->private_key) == 1 ? CS_OK : session_fail("ED25519_sign");
}

/* It takes an array, so that a signature of another length does not come to it. */
static int ed25519_verify_call(cs_case *c)
{
    if (c->sig.len != ED25519_SIGNATURE_LEN)
        return CS_REJECTED;
    return ED25519_verify(c->msg.data, c->msg.len, c->sig.data, c->pub.data) == 1 ? CS_OK
                                                                                  : session_reject("ED25519_verify");
}

static int evp_ed25519_sign_setup(cs_case *c)
{
    struct session *s = session_new(c);

    if (s == NULL)
        return CS_ERROR;
    s->key = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, NULL, c->key.data, c->key.len);
    s->md_ctx = EVP_MD_CTX_new();
    if (s->key == NULL || s->md_ctx == NULL || EVP_DigestSignInit(s->md_ctx, NULL, NULL, NULL, s->key) != 1)
        return session_give_up(c, "EVP_DigestSignInit");
    c->out_len = ED25519_SIGNATURE_LEN;
    return CS_OK;
}

static int evp_ed25519_sign_call(cs_case *c)
{
    struct session *s = c->state;
    size_t len = c->out_cap;

    return EVP_DigestSign(s->md_ctx, c->out, &len, c->msg.data, c->msg.len) == 1 ? CS_OK
                                                                                 : session_fail("EVP_DigestSign");
}

static int evp_ed25519_verify_setup(cs_case *c)
{
    struct session *s = session_new(c);

    if (s == NULL)
        return CS_ERROR;
    s->key = EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL, c->pub.data, c->pub.len);
    s->md_ctx = EVP_MD_CTX_new();
    if (s->key == NULL || s->md_ctx == NULL || EVP_DigestVerifyInit(s->md_ctx, NULL, NULL, NULL, s->key) != 1)
        return session_give_up(c, "EVP_DigestVerifyInit");
    return CS_OK;
}

static int evp_ed25519_verify_call(cs_case *c)
{
    struct session *s = c->state;

    return EVP_DigestVerify(s->md_ctx, c->sig.data, c->sig.len, c->msg.data, c->msg.len) == 1
               ? CS_OK
               : session_reject("EVP_DigestVerify");
}

/* ---- ECDSA ---- */

/* The public point and, where `scalar` is given, the private scalar. */
static int ec_key(const cs_case *c, struct session *s, cs_span scalar)
{
    EC_POINT *point;
    BIGNUM *number = NULL;
    int done;

    s->ec = EC_KEY_new_by_curve_name(curve_of(c->op));
    if (s->ec == NULL)
        return 0;
    point = EC_POINT_new(EC_KEY_get0_group(s->ec));
    done = point != NULL && EC_POINT_oct2point(EC_KEY_get0_group(s->ec), point, c->pub.data, c->pub.len, NULL) == 1 &&
           EC_KEY_set_public_key(s->ec, point) == 1;
    if (done && scalar.data != NULL) {
        number = BN_bin2bn(scalar.data, scalar.len, NULL);
        done = number != NULL && EC_KEY_set_private_key(s->ec, number) == 1;
    }
    BN_clear_free(number);
    EC_POINT_free(point);
    return done;
}

size_t ecdsa_digest(const cs_case *c, uint8_t hash[SHA512_DIGEST_LENGTH])
{
    switch (curve_of(c->op)) {
    case NID_secp384r1:
        SHA384(c->msg.data, c->msg.len, hash);
        return SHA384_DIGEST_LENGTH;
    case NID_secp521r1:
        SHA512(c->msg.data, c->msg.len, hash);
        return SHA512_DIGEST_LENGTH;
    default:
        SHA256(c->msg.data, c->msg.len, hash);
        return SHA256_DIGEST_LENGTH;
    }
}

int ecdsa_sign_setup(cs_case *c)
{
    struct session *s = session_new(c);

    if (s == NULL)
        return CS_ERROR;
    return ec_key(c, s, c->key) ? CS_OK : session_give_up(c, "EC_KEY_set_private_key");
}

static int ecdsa_sign_call(cs_case *c)
{
    struct session *s = c->state;
    uint8_t hash[SHA512_DIGEST_LENGTH];
    const size_t hash_len = ecdsa_digest(c, hash);
    unsigned len = 0;

    if (ECDSA_sign(0, hash, hash_len, c->out, &len, s->ec) != 1)
        return session_fail("ECDSA_sign");
    c->out_len = len;
    return CS_OK;
}

int ecdsa_verify_setup(cs_case *c)
{
    struct session *s = session_new(c);
    const cs_span none = {.data = NULL, .len = 0};

    if (s == NULL)
        return CS_ERROR;
    return ec_key(c, s, none) ? CS_OK : session_give_up(c, "EC_POINT_oct2point");
}

static int ecdsa_verify_call(cs_case *c)
{
    struct session *s = c->state;
    uint8_t hash[SHA512_DIGEST_LENGTH];
    const size_t hash_len = ecdsa_digest(c, hash);

    return ECDSA_verify(0, hash, hash_len, c->sig.data, c->sig.len, s->ec) == 1 ? CS_OK
                                                                                : session_reject("ECDSA_verify");
}

/* EVP_PKEY_sign and EVP_PKEY_verify may be called on one context any number of times. */
static int evp_ecdsa_open(struct session *s)
{
    s->key = EVP_PKEY_new();
    if (s->key == NULL || EVP_PKEY_set1_EC_KEY(s->key, s->ec) != 1)
        return 0;
    s->key_ctx = EVP_PKEY_CTX_new(s->key, NULL);
    return s->key_ctx != NULL;
}

static int evp_ecdsa_sign_setup(cs_case *c)
{
    struct session *s;

    if (ecdsa_sign_setup(c) != CS_OK)
        return CS_ERROR;
    s = c->state;
    return evp_ecdsa_open(s) && EVP_PKEY_sign_init(s->key_ctx) == 1 ? CS_OK : session_give_up(c, "EVP_PKEY_sign_init");
}

static int evp_ecdsa_sign_call(cs_case *c)
{
    struct session *s = c->state;
    uint8_t hash[SHA512_DIGEST_LENGTH];
    const size_t hash_len = ecdsa_digest(c, hash);

    c->out_len = c->out_cap;
    return EVP_PKEY_sign(s->key_ctx, c->out, &c->out_len, hash, hash_len) == 1 ? CS_OK : session_fail("EVP_PKEY_sign");
}

static int evp_ecdsa_verify_setup(cs_case *c)
{
    struct session *s;

    if (ecdsa_verify_setup(c) != CS_OK)
        return CS_ERROR;
    s = c->state;
    return evp_ecdsa_open(s) && EVP_PKEY_verify_init(s->key_ctx) == 1 ? CS_OK
                                                                      : session_give_up(c, "EVP_PKEY_verify_init");
}

static int evp_ecdsa_verify_call(cs_case *c)
{
    struct session *s = c->state;
    uint8_t hash[SHA512_DIGEST_LENGTH];
    const size_t hash_len = ecdsa_digest(c, hash);

    return EVP_PKEY_verify(s->key_ctx, c->sig.data, c->sig.len, hash, hash_len) == 1
               ? CS_OK
               : session_reject("EVP_PKEY_verify");
}

/* ---- ECDH ---- */

/* A key of the private scalar alone, and room for a point of its curve; the state is freed where that fails. */
static int scalar_setup(cs_case *c)
{
    struct session *s = session_new(c);
    BIGNUM *number;
    int done;

    if (s == NULL)
        return CS_ERROR;
    s->ec = EC_KEY_new_by_curve_name(curve_of(c->op));
    number = BN_bin2bn(c->key.data, c->key.len, NULL);
    done = s->ec != NULL && number != NULL && EC_KEY_set_private_key(s->ec, number) == 1;
    BN_clear_free(number);
    if (!done)
        return session_give_up(c, "EC_KEY_set_private_key");
    s->point = EC_POINT_new(EC_KEY_get0_group(s->ec));
    return s->point != NULL ? CS_OK : session_give_up(c, "EC_POINT_new");
}

/* Reading a point checks that it is on the curve. */
static int ecdh_setup(cs_case *c)
{
    const struct session *s;

    if (scalar_setup(c) != CS_OK)
        return CS_ERROR;
    s = c->state;
    if (EC_POINT_oct2point(EC_KEY_get0_group(s->ec), s->point, c->pub.data, c->pub.len, NULL) != 1)
        return session_refuse_key(c);
    c->out_len = c->key.len;
    return CS_OK;
}

static int ecdh_call(cs_case *c)
{
    struct session *s = c->state;

    return ECDH_compute_key(c->out, c->out_len, s->point, s->ec, NULL) == (int)c->out_len
               ? CS_OK
               : session_fail("ECDH_compute_key");
}

/* ---- multiples of the generator ---- */

static int base_setup(cs_case *c)
{
    struct session *s;

    if (scalar_setup(c) != CS_OK)
        return CS_ERROR;
    s = c->state;
    s->bn_ctx = BN_CTX_new();
    c->out_len = 2 * c->key.len + 1;
    return s->bn_ctx != NULL ? CS_OK : session_give_up(c, "BN_CTX_new");
}

static int base_call(cs_case *c)
{
    const struct session *s = c->state;
    const EC_GROUP *group = EC_KEY_get0_group(s->ec);

    if (EC_POINT_mul(group, s->point, EC_KEY_get0_private_key(s->ec), NULL, NULL, s->bn_ctx) != 1)
        return session_fail("EC_POINT_mul");
    return EC_POINT_point2oct(group, s->point, POINT_CONVERSION_UNCOMPRESSED, c->out, c->out_len, s->bn_ctx) ==
                   c->out_len
               ? CS_OK
               : session_fail("EC_POINT_point2oct");
}

/* ---- rows ---- */

#define CURVE(NID) &(const int){NID}
#define PKEY_ROW(ID, IMPL, NAME, FUNCTIONS, ...)                                                                       \
    {.id = ID,                                                                                                         \
     .impl = IMPL,                                                                                                     \
     .name = NAME,                                                                                                     \
     .setup = FUNCTIONS##_setup,                                                                                       \
     .call = FUNCTIONS##_call,                                                                                         \
     .rekey = cs_setup_again,                                                                                          \
     .teardown = session_free,                                                                                         \
     __VA_ARGS__}
#define ECDSA_ROWS(ALGORITHM, HASH, PARAM)                                                                             \
    PKEY_ROW(ALGORITHM "/sign", "default", HASH ", ECDSA_sign", ecdsa_sign, .param = PARAM, .form = "der",             \
             .seed = random_seed),                                                                                     \
        PKEY_ROW(ALGORITHM "/sign", "EVP_PKEY", HASH ", EVP_PKEY_sign", evp_ecdsa_sign, .param = PARAM, .form = "der", \
                 .seed = random_seed),                                                                                 \
        PKEY_ROW(ALGORITHM "/verify", "default", HASH ", ECDSA_verify", ecdsa_verify, .param = PARAM, .form = "der"),  \
        PKEY_ROW(ALGORITHM "/verify", "EVP_PKEY", HASH ", EVP_PKEY_verify", evp_ecdsa_verify, .param = PARAM,          \
                 .form = "der")
#define CURVE_ROWS(NAME, NID)                                                                                          \
    PKEY_ROW(NAME "/derive", "default", "ECDH_compute_key", ecdh, .param = CURVE(NID)),                                \
    {                                                                                                                  \
        .id = NAME "/multiply-base", .impl = "default", .name = "EC_POINT_mul", .setup = base_setup,                   \
        .call = base_call, .teardown = session_free, .param = CURVE(NID)                                               \
    }

static const cs_op rows[] = {
    {.id = "x25519/derive",
     .impl = "default",
     .name = "X25519",
     .setup = x25519_setup,
     .call = x25519_call,
     .rekey = cs_key_in_call},
    {.id = "x25519/multiply-base",
     .impl = "default",
     .name = "X25519_public_from_private",
     .setup = x25519_setup,
     .call = x25519_base_call},
    PKEY_ROW("x25519/derive", "EVP_PKEY", "EVP_PKEY_derive", evp_x25519, .seeded = 0),
    PKEY_ROW("ed25519/sign", "default", "ED25519_sign", ed25519_sign, .seeded = 0),
    PKEY_ROW("ed25519/sign", "EVP_PKEY", "EVP_DigestSign", evp_ed25519_sign, .seeded = 0),
    {.id = "ed25519/verify",
     .impl = "default",
     .name = "ED25519_verify",
     .call = ed25519_verify_call,
     .rekey = cs_key_in_call},
    PKEY_ROW("ed25519/verify", "EVP_PKEY", "EVP_DigestVerify", evp_ed25519_verify, .seeded = 0),
    ECDSA_ROWS("ecdsa-p256-sha256", "SHA256", NULL),
    ECDSA_ROWS("ecdsa-p384-sha384", "SHA384", CURVE(NID_secp384r1)),
    ECDSA_ROWS("ecdsa-p521-sha512", "SHA512", CURVE(NID_secp521r1)),
    CURVE_ROWS("p-256", NID_X9_62_prime256v1),
    CURVE_ROWS("p-384", NID_secp384r1),
    CURVE_ROWS("p-521", NID_secp521r1),
#ifdef OPENSSL_IS_AWSLC
    ECDSA_ROWS("ecdsa-secp256k1-sha256", "SHA256", CURVE(NID_secp256k1)),
    CURVE_ROWS("secp256k1", NID_secp256k1),
#endif
};
const cs_table boringssl_pkey = CS_TABLE(rows);
