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

enum { SHA256_SIZE = 32, X25519_SIZE = 32 };

/* ---- X25519 ---- */

void teardown_x25519(cs_case *c)
{
    mbedtls_ecdh_free(c->state);
    cs_free(c->state);
}

static int load_x25519_private(mbedtls_ecdh_context *ctx, cs_span key)
{
    mbedtls_ecp_keypair pair;
    mbedtls_ecp_keypair_init(&pair);
    int ret = mbedtls_ecp_read_key(MBEDTLS_ECP_DP_CURVE25519, &pair, key.data, key.len);
    if (ret == 0)
        ret = mbedtls_ecdh_get_params(ctx, &pair, MBEDTLS_ECDH_OURS);
    mbedtls_ecp_keypair_free(&pair);
    return ret;
}

/* The peer's value comes as it stands in a TLS message: one byte of length, then the value. */
static int load_x25519_public(mbedtls_ecdh_context *ctx, cs_span pub)
{
    uint8_t message[1 + X25519_SIZE] = {X25519_SIZE};
    memcpy(message + 1, pub.data, X25519_SIZE);
    return mbedtls_ecdh_read_public(ctx, message, sizeof message);
}

int setup_x25519(cs_case *c)
{
    mbedtls_ecdh_context *ctx = cs_alloc(sizeof *ctx);
    if (ctx == NULL)
        return CS_ERROR;
    c->state = ctx;
    mbedtls_ecdh_init(ctx);
    int ret = mbedtls_ecdh_setup(ctx, MBEDTLS_ECP_DP_CURVE25519);
    if (ret != 0)
        return give_up(c, "mbedtls_ecdh_setup", ret);
    ret = load_x25519_private(ctx, c->key);
    if (ret != 0)
        return give_up(c, "loading the private key", ret);
    ret = load_x25519_public(ctx, c->pub);
    if (ret != 0)
        return give_up(c, "mbedtls_ecdh_read_public", ret);
    return CS_OK;
}

/* Points of small order are refused, either as keys or because the secret is zero. */
int call_x25519(cs_case *c)
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
    const mbedtls_md_info_t *sha256;
} ecdsa_state;

#if MBEDTLS_VERSION_MAJOR >= 3
static int write_signature(cs_case *c, const uint8_t *hash)
{
    ecdsa_state *s = c->state;
    return mbedtls_ecdsa_write_signature(&s->ecdsa, MBEDTLS_MD_SHA256, hash, SHA256_SIZE, c->out, c->out_cap,
                                         &c->out_len, cs_mbedtls_random, &cs_mbedtls_drbg);
}
#else
static int write_signature(cs_case *c, const uint8_t *hash)
{
    ecdsa_state *s = c->state;
    return mbedtls_ecdsa_write_signature(&s->ecdsa, MBEDTLS_MD_SHA256, hash, SHA256_SIZE, c->out, &c->out_len,
                                         cs_mbedtls_random, &cs_mbedtls_drbg);
}
#endif

void teardown_ecdsa(cs_case *c)
{
    ecdsa_state *s = c->state;
    mbedtls_ecdsa_free(&s->ecdsa);
    cs_free(s);
}

static ecdsa_state *new_ecdsa_state(void)
{
    ecdsa_state *s = cs_alloc(sizeof *s);
    if (s == NULL)
        return NULL;
    mbedtls_ecdsa_init(&s->ecdsa);
    s->sha256 = mbedtls_md_info_from_type(MBEDTLS_MD_SHA256);
    return s;
}

/* The row's `param`; P-256 without it. */
static mbedtls_ecp_group_id curve_of(const cs_case *c)
{
    const mbedtls_ecp_group_id *id = c->op->param;
    return id != NULL ? *id : MBEDTLS_ECP_DP_SECP256R1;
}

int setup_ecdsa_sign(cs_case *c)
{
    ecdsa_state *s = c->state = new_ecdsa_state();
    if (s == NULL)
        return CS_ERROR;
    const int ret = mbedtls_ecp_read_key(curve_of(c), &s->ecdsa, c->key.data, c->key.len);
    return ret == 0 ? CS_OK : give_up(c, "mbedtls_ecp_read_key", ret);
}

/* A point is readable in every version only as SubjectPublicKeyInfo: later versions hide the structure's members. */
struct public_info {
    uint8_t der[CS_P256_SPKI];
    size_t len;
};

static int wrap_public(const cs_case *c, struct public_info *info)
{
    if (curve_of(c) == MBEDTLS_ECP_DP_SECP256K1) {
        info->len = CS_SECP256K1_SPKI;
        return cs_secp256k1_spki(c->pub, info->der);
    }
    info->len = CS_P256_SPKI;
    return cs_p256_spki(c->pub, info->der);
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

int setup_ecdsa_verify(cs_case *c)
{
    struct public_info info;
    if (wrap_public(c, &info) != CS_OK)
        return CS_ERROR;
    ecdsa_state *s = c->state = new_ecdsa_state();
    if (s == NULL)
        return CS_ERROR;
    const int ret = load_public(&s->ecdsa, &info);
    return ret == 0 ? CS_OK : give_up(c, "loading the public key", ret);
}

int call_ecdsa_sign(cs_case *c)
{
    const ecdsa_state *s = c->state;
    uint8_t hash[SHA256_SIZE];
    const int ret = mbedtls_md(s->sha256, c->msg.data, c->msg.len, hash);
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

int call_ecdsa_verify(cs_case *c)
{
    ecdsa_state *s = c->state;
    uint8_t hash[SHA256_SIZE];
    const int ret = mbedtls_md(s->sha256, c->msg.data, c->msg.len, hash);
    if (ret != 0)
        return CS_ERROR;
    return from_verify(mbedtls_ecdsa_read_signature(&s->ecdsa, hash, sizeof hash, c->sig.data, c->sig.len));
}

/* ---- ECDSA with a new context in every call ---- */

typedef struct fresh_state {
    mbedtls_pk_context key;
    const mbedtls_md_info_t *sha256;
} fresh_state;

void teardown_ecdsa_fresh(cs_case *c)
{
    fresh_state *s = c->state;
    mbedtls_pk_free(&s->key);
    cs_free(s);
}

int setup_ecdsa_fresh(cs_case *c)
{
    struct public_info info;
    if (wrap_public(c, &info) != CS_OK)
        return CS_ERROR;
    fresh_state *s = c->state = cs_alloc(sizeof *s);
    if (s == NULL)
        return CS_ERROR;
    mbedtls_pk_init(&s->key);
    s->sha256 = mbedtls_md_info_from_type(MBEDTLS_MD_SHA256);
    const int ret = mbedtls_pk_parse_public_key(&s->key, info.der, info.len);
    return ret == 0 ? CS_OK : give_up(c, "mbedtls_pk_parse_public_key", ret);
}

/* The group is loaded anew; where multiples of the base point are not constants of the library, they are computed. */
int call_ecdsa_verify_fresh(cs_case *c)
{
    fresh_state *s = c->state;
    uint8_t hash[SHA256_SIZE];
    mbedtls_ecdsa_context ecdsa;
    mbedtls_ecdsa_init(&ecdsa);
    int ret = mbedtls_md(s->sha256, c->msg.data, c->msg.len, hash);
    if (ret == 0)
        ret = mbedtls_ecdsa_from_keypair(&ecdsa, mbedtls_pk_ec(s->key));
    const int status =
        ret != 0 ? from_mbedtls(ret)
                 : from_verify(mbedtls_ecdsa_read_signature(&ecdsa, hash, sizeof hash, c->sig.data, c->sig.len));
    mbedtls_ecdsa_free(&ecdsa);
    return status;
}
