/* SPDX-License-Identifier: Apache-2.0
 *
 * Mbed TLS: key agreement and signatures.
 */
#include <string.h>

#include <mbedtls/version.h>

#include <mbedtls/ecdh.h>
#include <mbedtls/ecdsa.h>
#include <mbedtls/ecp.h>
#include <mbedtls/md.h>
#include <mbedtls/pk.h>

#include "adapter.h"

enum { X448_SIZE = 56 };

/* ---- X25519 and X448 ---- */

static void teardown_x25519(cs_case *c)
{
    mbedtls_ecdh_free(c->state);
    cs_free(c->state);
}

/* The row's `param`; Curve25519 without it. */
static mbedtls_ecp_group_id montgomery_of(const cs_case *c)
{
    const mbedtls_ecp_group_id *id = c->op->param;
    return id != NULL ? *id : MBEDTLS_ECP_DP_CURVE25519;
}

/* 2.28 has Curve448 and reads no key on it; its structures are open, and the scalar is clamped here (RFC 7748 section
 * 5). */
static int read_scalar(mbedtls_ecp_group_id id, mbedtls_ecp_keypair *pair, cs_span key)
{
#if MBEDTLS_VERSION_MAJOR < 3
    uint8_t scalar[X448_SIZE];
    if (id == MBEDTLS_ECP_DP_CURVE448) {
        memcpy(scalar, key.data, sizeof scalar);
        scalar[0] &= 0xfc;
        scalar[X448_SIZE - 1] |= 0x80;
        const int ret = mbedtls_ecp_group_load(&pair->grp, id);
        return ret == 0 ? mbedtls_mpi_read_binary_le(&pair->d, scalar, sizeof scalar) : ret;
    }
#endif
    return mbedtls_ecp_read_key(id, pair, key.data, key.len);
}

static int load_x25519_private(mbedtls_ecp_group_id id, mbedtls_ecdh_context *ctx, cs_span key)
{
    mbedtls_ecp_keypair pair;
    mbedtls_ecp_keypair_init(&pair);
    int ret = read_scalar(id, &pair, key);
    if (ret == 0)
        ret = mbedtls_ecdh_get_params(ctx, &pair, MBEDTLS_ECDH_OURS);
    mbedtls_ecp_keypair_free(&pair);
    return ret;
}

/* The peer's value comes as it stands in a TLS message: one byte of length, then the value. */
static int load_x25519_public(mbedtls_ecdh_context *ctx, cs_span pub)
{
    uint8_t message[1 + X448_SIZE] = {(uint8_t)pub.len};
    memcpy(message + 1, pub.data, pub.len);
    return mbedtls_ecdh_read_public(ctx, message, 1 + pub.len);
}

static int setup_x25519(cs_case *c)
{
    mbedtls_ecdh_context *ctx = cs_alloc(sizeof *ctx);
    if (ctx == NULL)
        return CS_ERROR;
    c->state = ctx;
    mbedtls_ecdh_init(ctx);
    int ret = mbedtls_ecdh_setup(ctx, montgomery_of(c));
    if (ret != 0)
        return give_up(c, "mbedtls_ecdh_setup", ret);
    ret = load_x25519_private(montgomery_of(c), ctx, c->key);
    if (ret != 0)
        return give_up(c, "loading the private key", ret);
    ret = load_x25519_public(ctx, c->pub);
    if (ret != 0)
        return give_up(c, "mbedtls_ecdh_read_public", ret);
    return CS_OK;
}

/* Points of small order are refused, either as keys or because the secret is zero. */
static int call_x25519(cs_case *c)
{
    const int ret =
        mbedtls_ecdh_calc_secret(c->state, &c->out_len, c->out, c->out_cap, cs_mbedtls_random, &cs_mbedtls_drbg);
    if (ret == MBEDTLS_ERR_ECP_INVALID_KEY || ret == MBEDTLS_ERR_ECP_BAD_INPUT_DATA)
        return CS_REJECTED;
    return from_mbedtls(ret);
}

/* ---- ECDSA ---- */

typedef struct ecdsa_state {
    mbedtls_ecdsa_context ecdsa;
    mbedtls_md_type_t md; /* the hash that goes with the curve */
    const mbedtls_md_info_t *md_info;
} ecdsa_state;

#if MBEDTLS_VERSION_MAJOR >= 3
static int write_signature(cs_case *c, const uint8_t *hash)
{
    ecdsa_state *s = c->state;
    return mbedtls_ecdsa_write_signature(&s->ecdsa, s->md, hash, mbedtls_md_get_size(s->md_info), c->out, c->out_cap,
                                         &c->out_len, cs_mbedtls_random, &cs_mbedtls_drbg);
}
#else
static int write_signature(cs_case *c, const uint8_t *hash)
{
    ecdsa_state *s = c->state;
    return mbedtls_ecdsa_write_signature(&s->ecdsa, s->md, hash, mbedtls_md_get_size(s->md_info), c->out, &c->out_len,
                                         cs_mbedtls_random, &cs_mbedtls_drbg);
}
#endif

static void teardown_ecdsa(cs_case *c)
{
    ecdsa_state *s = c->state;
    mbedtls_ecdsa_free(&s->ecdsa);
    cs_free(s);
}

/* The row's `param`; P-256 without it. */
static mbedtls_ecp_group_id curve_of(const cs_case *c)
{
    const mbedtls_ecp_group_id *id = c->op->param;
    return id != NULL ? *id : MBEDTLS_ECP_DP_SECP256R1;
}

static mbedtls_md_type_t md_of(const cs_case *c)
{
    switch (curve_of(c)) {
    case MBEDTLS_ECP_DP_SECP384R1:
        return MBEDTLS_MD_SHA384;
    case MBEDTLS_ECP_DP_SECP521R1:
        return MBEDTLS_MD_SHA512;
    default:
        return MBEDTLS_MD_SHA256;
    }
}

static ecdsa_state *new_ecdsa_state(const cs_case *c)
{
    ecdsa_state *s = cs_alloc(sizeof *s);
    if (s == NULL)
        return NULL;
    mbedtls_ecdsa_init(&s->ecdsa);
    s->md = md_of(c);
    s->md_info = mbedtls_md_info_from_type(s->md);
    return s;
}

static int setup_ecdsa_sign(cs_case *c)
{
    ecdsa_state *s = c->state = new_ecdsa_state(c);
    if (s == NULL)
        return CS_ERROR;
    const int ret = mbedtls_ecp_read_key(curve_of(c), &s->ecdsa, c->key.data, c->key.len);
    return ret == 0 ? CS_OK : give_up(c, "mbedtls_ecp_read_key", ret);
}

/* A point is readable in every version only as SubjectPublicKeyInfo: later versions hide the structure's members. */
struct public_info {
    uint8_t der[CS_P521_SPKI];
    size_t len;
};

static int wrap_public(const cs_case *c, struct public_info *info)
{
    switch (curve_of(c)) {
    case MBEDTLS_ECP_DP_SECP256K1:
        info->len = CS_SECP256K1_SPKI;
        return cs_secp256k1_spki(c->pub, info->der);
    case MBEDTLS_ECP_DP_BP256R1:
        info->len = CS_BRAINPOOL_P256_SPKI;
        return cs_brainpool_p256_spki(c->pub, info->der);
    case MBEDTLS_ECP_DP_SECP384R1:
        info->len = CS_P384_SPKI;
        return cs_p384_spki(c->pub, info->der);
    case MBEDTLS_ECP_DP_SECP521R1:
        info->len = CS_P521_SPKI;
        return cs_p521_spki(c->pub, info->der);
    default:
        info->len = CS_P256_SPKI;
        return cs_p256_spki(c->pub, info->der);
    }
}

static int load_public(mbedtls_ecdsa_context *ctx, const struct public_info *info)
{
    mbedtls_pk_context pk;
    mbedtls_pk_init(&pk);
    int ret = mbedtls_pk_parse_public_key(&pk, info->der, info->len);
    if (ret == 0)
        ret = mbedtls_ecdsa_from_keypair(ctx, mbedtls_pk_ec(pk));
    mbedtls_pk_free(&pk);
    return ret;
}

static int setup_ecdsa_verify(cs_case *c)
{
    struct public_info info;
    if (wrap_public(c, &info) != CS_OK)
        return CS_ERROR;
    ecdsa_state *s = c->state = new_ecdsa_state(c);
    if (s == NULL)
        return CS_ERROR;
    const int ret = load_public(&s->ecdsa, &info);
    return ret == 0 ? CS_OK : give_up(c, "loading the public key", ret);
}

static int call_ecdsa_sign(cs_case *c)
{
    const ecdsa_state *s = c->state;
    uint8_t hash[MBEDTLS_MD_MAX_SIZE];
    const int ret = mbedtls_md(s->md_info, c->msg.data, c->msg.len, hash);
    return from_mbedtls(ret != 0 ? ret : write_signature(c, hash));
}

/* What does not parse as a signature comes back as BAD_INPUT_DATA with the ASN.1 error added in the low seven bits. */
static int from_verify(int ret)
{
    const int high = -(-ret & ~0x7f);
    if (ret == MBEDTLS_ERR_ECP_VERIFY_FAILED || ret == MBEDTLS_ERR_ECP_SIG_LEN_MISMATCH ||
        high == MBEDTLS_ERR_ECP_BAD_INPUT_DATA)
        return CS_REJECTED;
    return from_mbedtls(ret);
}

static int call_ecdsa_verify(cs_case *c)
{
    ecdsa_state *s = c->state;
    uint8_t hash[MBEDTLS_MD_MAX_SIZE];
    const int ret = mbedtls_md(s->md_info, c->msg.data, c->msg.len, hash);
    if (ret != 0)
        return CS_ERROR;
    return from_verify(
        mbedtls_ecdsa_read_signature(&s->ecdsa, hash, mbedtls_md_get_size(s->md_info), c->sig.data, c->sig.len));
}

/* ---- ECDSA: the key is kept, the context made in every call ---- */

typedef struct fresh_state {
    mbedtls_pk_context key;
    const mbedtls_md_info_t *md_info;
} fresh_state;

static void teardown_ecdsa_fresh(cs_case *c)
{
    fresh_state *s = c->state;
    mbedtls_pk_free(&s->key);
    cs_free(s);
}

static int setup_ecdsa_fresh(cs_case *c)
{
    struct public_info info;
    if (wrap_public(c, &info) != CS_OK)
        return CS_ERROR;
    fresh_state *s = c->state = cs_alloc(sizeof *s);
    if (s == NULL)
        return CS_ERROR;
    mbedtls_pk_init(&s->key);
    s->md_info = mbedtls_md_info_from_type(md_of(c));
    const int ret = mbedtls_pk_parse_public_key(&s->key, info.der, info.len);
    return ret == 0 ? CS_OK : give_up(c, "mbedtls_pk_parse_public_key", ret);
}

/* The group is loaded anew; where multiples of the base point are not constants of the library, they are computed. */
static int call_ecdsa_verify_fresh(cs_case *c)
{
    fresh_state *s = c->state;
    uint8_t hash[MBEDTLS_MD_MAX_SIZE];
    mbedtls_ecdsa_context ecdsa;
    mbedtls_ecdsa_init(&ecdsa);
    int ret = mbedtls_md(s->md_info, c->msg.data, c->msg.len, hash);
    if (ret == 0)
        ret = mbedtls_ecdsa_from_keypair(&ecdsa, mbedtls_pk_ec(s->key));
    const int status = ret != 0 ? from_mbedtls(ret)
                                : from_verify(mbedtls_ecdsa_read_signature(
                                      &ecdsa, hash, mbedtls_md_get_size(s->md_info), c->sig.data, c->sig.len));
    mbedtls_ecdsa_free(&ecdsa);
    return status;
}

/* ---- ECDH ---- */

static int load_ecdh(const cs_case *c, mbedtls_ecdh_context *ctx)
{
    uint8_t message[1 + CS_P521_POINT]; /* as in TLS: one byte of length, then the point */
    mbedtls_ecp_keypair pair;
    mbedtls_ecp_keypair_init(&pair);
    int ret = mbedtls_ecdh_setup(ctx, curve_of(c));
    if (ret == 0)
        ret = mbedtls_ecp_read_key(curve_of(c), &pair, c->key.data, c->key.len);
    if (ret == 0)
        ret = mbedtls_ecdh_get_params(ctx, &pair, MBEDTLS_ECDH_OURS);
    mbedtls_ecp_keypair_free(&pair);
    message[0] = (uint8_t)c->pub.len;
    memcpy(message + 1, c->pub.data, c->pub.len);
    return ret == 0 ? mbedtls_ecdh_read_public(ctx, message, 1 + c->pub.len) : ret;
}

/* What is no point of the curve is found out here. */
static int call_ecdh(cs_case *c)
{
    const int status = call_x25519(c);
    return status == CS_REJECTED ? CS_BAD_KEY : status;
}

static int setup_ecdh(cs_case *c)
{
    mbedtls_ecdh_context *ctx = cs_alloc(sizeof *ctx);
    if (ctx == NULL)
        return CS_ERROR;
    c->state = ctx;
    mbedtls_ecdh_init(ctx);
    const int ret = load_ecdh(c, ctx);
    if (ret == 0)
        return CS_OK;
    (void)give_up(c, "loading the keys", ret);
    return ret == MBEDTLS_ERR_ECP_INVALID_KEY ? CS_BAD_KEY : CS_ERROR;
}

#define ECDH_ROW(ALGORITHM, CURVE)                                                                                     \
    {                                                                                                                  \
        .id = ALGORITHM "/derive", .impl = "default", .name = "mbedtls_ecdh_calc_secret", .setup = setup_ecdh,         \
        .call = call_ecdh, .rekey = cs_setup_again, .teardown = teardown_x25519, .seed = seed_drbg,                    \
        .counts_random = 1, .param = &(const mbedtls_ecp_group_id)                                                     \
        {                                                                                                              \
            CURVE                                                                                                      \
        }                                                                                                              \
    }
#define ECDSA_ROWS(ALGORITHM, CURVE)                                                                                   \
    {.id = ALGORITHM "/sign",                                                                                          \
     .impl = "default",                                                                                                \
     .name = "mbedtls_ecdsa_write_signature",                                                                          \
     .setup = setup_ecdsa_sign,                                                                                        \
     .call = call_ecdsa_sign,                                                                                          \
     .rekey = cs_setup_again,                                                                                          \
     .teardown = teardown_ecdsa,                                                                                       \
     .form = "der",                                                                                                    \
     .param = &(const mbedtls_ecp_group_id){CURVE},                                                                    \
     .seed = seed_drbg,                                                                                                \
     .counts_random = 1},                                                                                              \
        {.id = ALGORITHM "/verify",                                                                                    \
         .impl = "default",                                                                                            \
         .name = "mbedtls_ecdsa_read_signature",                                                                       \
         .setup = setup_ecdsa_verify,                                                                                  \
         .call = call_ecdsa_verify,                                                                                    \
         .rekey = cs_setup_again,                                                                                      \
         .teardown = teardown_ecdsa,                                                                                   \
         .form = "der",                                                                                                \
         .param = &(const mbedtls_ecp_group_id){CURVE}},                                                               \
    {                                                                                                                  \
        .id = ALGORITHM "/verify", .impl = "fresh_key",                                                                \
        .name = "mbedtls_ecdsa_from_keypair, mbedtls_ecdsa_read_signature", .setup = setup_ecdsa_fresh,                \
        .call = call_ecdsa_verify_fresh, .rekey = cs_setup_again, .teardown = teardown_ecdsa_fresh, .form = "der",     \
        .param = &(const mbedtls_ecp_group_id)                                                                         \
        {                                                                                                              \
            CURVE                                                                                                      \
        }                                                                                                              \
    }

static const cs_op rows[] = {
    {.id = "x25519/derive",
     .impl = "default",
     .name = "mbedtls_ecdh_calc_secret",
     .setup = setup_x25519,
     .call = call_x25519,
     .rekey = cs_setup_again,
     .teardown = teardown_x25519,
     .seed = seed_drbg,
     .counts_random = 1},
    ECDSA_ROWS("ecdsa-p256-sha256", MBEDTLS_ECP_DP_SECP256R1),
    ECDSA_ROWS("ecdsa-secp256k1-sha256", MBEDTLS_ECP_DP_SECP256K1),
    ECDH_ROW("secp256k1", MBEDTLS_ECP_DP_SECP256K1),
    ECDH_ROW("p-256", MBEDTLS_ECP_DP_SECP256R1),
    ECDH_ROW("p-384", MBEDTLS_ECP_DP_SECP384R1),
    ECDH_ROW("p-521", MBEDTLS_ECP_DP_SECP521R1),
    ECDSA_ROWS("ecdsa-p384-sha384", MBEDTLS_ECP_DP_SECP384R1),
    ECDSA_ROWS("ecdsa-p521-sha512", MBEDTLS_ECP_DP_SECP521R1),
    ECDH_ROW("brainpool-p256", MBEDTLS_ECP_DP_BP256R1),
    ECDSA_ROWS("ecdsa-brainpoolp256r1-sha256", MBEDTLS_ECP_DP_BP256R1),
    {.id = "x448/derive",
     .impl = "default",
     .name = "mbedtls_ecdh_calc_secret",
     .setup = setup_x25519,
     .call = call_x25519,
     .rekey = cs_setup_again,
     .teardown = teardown_x25519,
     .param = &(const mbedtls_ecp_group_id){MBEDTLS_ECP_DP_CURVE448},
     .seed = seed_drbg,
     .counts_random = 1},
};
const cs_table mbedtls_curves = CS_TABLE(rows);
