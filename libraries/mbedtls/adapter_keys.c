/* SPDX-License-Identifier: Apache-2.0
 *
 * Mbed TLS: key generation, and agreement with ephemeral keys. The caller supplies the generator: the library's
 * CTR_DRBG, or a seed.
 */
#include "adapter.h"

#include <string.h>

#include <mbedtls/bignum.h>
#include <mbedtls/ecdh.h>
#include <mbedtls/ecp.h>
#include <mbedtls/rsa.h>

enum { RSA_PUBLIC_EXPONENT = 65537, X25519_BYTES = 32 };

struct ec_keygen {
    mbedtls_ecp_group group;
    mbedtls_mpi d;
    mbedtls_ecp_point q;
    cs_span seed;
};

static int draw_seed(void *stream, unsigned char *out, size_t len)
{
    return cs_draw(stream, out, len) == CS_OK ? 0 : MBEDTLS_ERR_ECP_RANDOM_FAILED;
}

static void teardown_ec_keygen(cs_case *c)
{
    struct ec_keygen *s = c->state;

    mbedtls_ecp_point_free(&s->q);
    mbedtls_mpi_free(&s->d);
    mbedtls_ecp_group_free(&s->group);
    cs_free(s);
    c->state = NULL;
}

static int setup_ec_keygen(cs_case *c)
{
    const mbedtls_ecp_group_id *curve = c->op->param;
    struct ec_keygen *s = cs_alloc(sizeof *s);
    int ret;

    if (s == NULL)
        return CS_ERROR;
    c->state = s;
    s->seed = cs_input(c, "seed");
    mbedtls_ecp_group_init(&s->group);
    mbedtls_mpi_init(&s->d);
    mbedtls_ecp_point_init(&s->q);
    ret = mbedtls_ecp_group_load(&s->group, *curve);
    return ret == 0 ? CS_OK : give_up(c, "mbedtls_ecp_group_load", ret);
}

static int generate(struct ec_keygen *s)
{
    cs_stream stream = {s->seed};

    if (s->seed.data == NULL)
        return mbedtls_ecp_gen_keypair(&s->group, &s->d, &s->q, cs_mbedtls_random, &cs_mbedtls_drbg);
    return mbedtls_ecp_gen_keypair(&s->group, &s->d, &s->q, draw_seed, &stream);
}

static int call_ec_keygen(cs_case *c)
{
    const mbedtls_ecp_group_id *curve = c->op->param;
    struct ec_keygen *s = c->state;
    const size_t bytes = (s->group.pbits + 7) / 8;
    size_t len = 0;
    int ret = generate(s);

    if (ret == 0)
        ret = *curve == MBEDTLS_ECP_DP_CURVE25519 || *curve == MBEDTLS_ECP_DP_CURVE448
                  ? mbedtls_mpi_write_binary_le(&s->d, c->out, bytes)
                  : mbedtls_mpi_write_binary(&s->d, c->out, bytes);
    if (ret == 0)
        ret = mbedtls_ecp_point_write_binary(&s->group, &s->q, MBEDTLS_ECP_PF_UNCOMPRESSED, &len, c->out + bytes,
                                             c->out_cap - bytes);
    c->out_len = bytes + len;
    return from_mbedtls(ret);
}

/* ---- multiples of the generator ---- */

/* The library wants the scalar of Curve25519 as RFC 7748 section 5 clamps it. */
static int read_scalar(mbedtls_ecp_group_id curve, mbedtls_mpi *d, cs_span key)
{
    uint8_t clamped[X25519_BYTES];

    if (curve != MBEDTLS_ECP_DP_CURVE25519)
        return mbedtls_mpi_read_binary(d, key.data, key.len);
    memcpy(clamped, key.data, sizeof clamped);
    clamped[0] &= 0xf8;
    clamped[sizeof clamped - 1] = (uint8_t)((clamped[sizeof clamped - 1] & 0x7f) | 0x40);
    return mbedtls_mpi_read_binary_le(d, clamped, sizeof clamped);
}

static int setup_ec_base(cs_case *c)
{
    const mbedtls_ecp_group_id *curve = c->op->param;
    struct ec_keygen *s;
    int ret;

    if (setup_ec_keygen(c) != CS_OK)
        return CS_ERROR;
    s = c->state;
    ret = read_scalar(*curve, &s->d, c->key);
    return ret == 0 ? CS_OK : give_up(c, "mbedtls_mpi_read_binary", ret);
}

static int call_ec_base(cs_case *c)
{
    struct ec_keygen *s = c->state;
    int ret = mbedtls_ecp_mul(&s->group, &s->q, &s->d, &s->group.G, cs_mbedtls_random, &cs_mbedtls_drbg);

    if (ret == 0)
        ret = mbedtls_ecp_point_write_binary(&s->group, &s->q, MBEDTLS_ECP_PF_UNCOMPRESSED, &c->out_len, c->out,
                                             c->out_cap);
    return from_mbedtls(ret);
}

static int setup_rsa_keygen(cs_case *c)
{
    const unsigned *bits = c->op->param;

    c->out_len = CS_RSA_PAIR_OF(*bits);
    return CS_OK;
}

static void rsa_init(mbedtls_rsa_context *rsa)
{
#if MBEDTLS_VERSION_NUMBER >= 0x03000000
    mbedtls_rsa_init(rsa);
#else
    mbedtls_rsa_init(rsa, MBEDTLS_RSA_PKCS_V15, 0);
#endif
}

static int put_rsa(const mbedtls_rsa_context *rsa, uint8_t *out, size_t half)
{
    uint8_t *const pub = out + CS_CRT_PARTS * half;
    mbedtls_mpi part[CS_CRT_PARTS];
    int ret;

    for (int i = 0; i < CS_CRT_PARTS; i++)
        mbedtls_mpi_init(&part[i]);
    ret = mbedtls_rsa_export_raw(rsa, pub, 2 * half, NULL, 0, NULL, 0, NULL, 0, pub + 2 * half, CS_RSA_EXPONENT);
    if (ret == 0)
        ret = mbedtls_rsa_export(rsa, NULL, &part[CS_CRT_P], &part[CS_CRT_Q], NULL, NULL);
    if (ret == 0)
        ret = mbedtls_rsa_export_crt(rsa, &part[CS_CRT_DP], &part[CS_CRT_DQ], &part[CS_CRT_QINV]);
    for (int i = 0; i < CS_CRT_PARTS; i++) {
        if (ret == 0)
            ret = mbedtls_mpi_write_binary(&part[i], out + (size_t)i * half, half);
        mbedtls_mpi_free(&part[i]);
    }
    return ret;
}

static int call_rsa_keygen(cs_case *c)
{
    const unsigned *bits = c->op->param;
    mbedtls_rsa_context rsa;
    int ret;

    rsa_init(&rsa);
    ret = mbedtls_rsa_gen_key(&rsa, cs_mbedtls_random, &cs_mbedtls_drbg, *bits, RSA_PUBLIC_EXPONENT);
    if (ret == 0)
        ret = put_rsa(&rsa, c->out, CS_RSA_PART_OF(*bits));
    mbedtls_rsa_free(&rsa);
    return from_mbedtls(ret);
}

/* ---- agreement with an ephemeral key: both public values as they stand in a TLS message, behind their length ---- */

enum { MOST_POINT = CS_P384_POINT };

struct agreement {
    mbedtls_ecdh_context ecdh;
    uint8_t message[1 + MOST_POINT];
};

static void teardown_agree(cs_case *c)
{
    struct agreement *s = c->state;

    mbedtls_ecdh_free(&s->ecdh);
    cs_free(s);
    c->state = NULL;
}

static int setup_agree(cs_case *c)
{
    const mbedtls_ecp_group_id *curve = c->op->param;
    struct agreement *s = cs_alloc(sizeof *s);
    int ret;

    if (s == NULL)
        return CS_ERROR;
    c->state = s;
    mbedtls_ecdh_init(&s->ecdh);
    ret = mbedtls_ecdh_setup(&s->ecdh, *curve);
    return ret == 0 ? CS_OK : give_up(c, "mbedtls_ecdh_setup", ret);
}

/* What is no point of the curve is found out when it is multiplied. */
static int call_agree(cs_case *c)
{
    struct agreement *s = c->state;
    size_t len = 0;
    int ret =
        mbedtls_ecdh_make_public(&s->ecdh, &len, s->message, sizeof s->message, cs_mbedtls_random, &cs_mbedtls_drbg);

    if (ret != 0 || len != 1 + c->pub.len)
        return ret != 0 ? from_mbedtls(ret) : cs_fail("the public value has another length than the peer's");
    memcpy(c->out, s->message + 1, c->pub.len);
    s->message[0] = (uint8_t)c->pub.len;
    memcpy(s->message + 1, c->pub.data, c->pub.len);
    ret = mbedtls_ecdh_read_public(&s->ecdh, s->message, 1 + c->pub.len);
    if (ret == 0)
        ret = mbedtls_ecdh_calc_secret(&s->ecdh, &len, c->out + c->pub.len, c->out_cap - c->pub.len, cs_mbedtls_random,
                                       &cs_mbedtls_drbg);
    c->out_len = c->pub.len + len;
    return ret == MBEDTLS_ERR_ECP_INVALID_KEY || ret == MBEDTLS_ERR_ECP_BAD_INPUT_DATA ? CS_BAD_KEY : from_mbedtls(ret);
}

/* `param` is the curve. */
#define EC_KEYGEN_ROW(ALGORITHM, CURVE)                                                                                \
    {.id = ALGORITHM "/keygen",                                                                                        \
     .impl = "default",                                                                                                \
     .name = "mbedtls_ecp_gen_keypair",                                                                                \
     .setup = setup_ec_keygen,                                                                                         \
     .call = call_ec_keygen,                                                                                           \
     .teardown = teardown_ec_keygen,                                                                                   \
     .param = &(const mbedtls_ecp_group_id){CURVE},                                                                    \
     .seed = seed_drbg,                                                                                                \
     .counts_random = 1,                                                                                               \
     .seeded = 1}
#define BASE_ROW(ALGORITHM, CURVE)                                                                                     \
    {.id = ALGORITHM "/multiply-base",                                                                                 \
     .impl = "default",                                                                                                \
     .name = "mbedtls_ecp_mul",                                                                                        \
     .setup = setup_ec_base,                                                                                           \
     .call = call_ec_base,                                                                                             \
     .teardown = teardown_ec_keygen,                                                                                   \
     .param = &(const mbedtls_ecp_group_id){CURVE},                                                                    \
     .seed = seed_drbg,                                                                                                \
     .counts_random = 1}
/* `param` is the length of the modulus in bits. */
#define RSA_KEYGEN_ROW(ALGORITHM, BITS)                                                                                \
    {.id = ALGORITHM "/keygen",                                                                                        \
     .impl = "default",                                                                                                \
     .name = "mbedtls_rsa_gen_key",                                                                                    \
     .setup = setup_rsa_keygen,                                                                                        \
     .call = call_rsa_keygen,                                                                                          \
     .param = &(const unsigned){BITS},                                                                                 \
     .seed = seed_drbg,                                                                                                \
     .counts_random = 1}
#define AGREE_ROW(ALGORITHM, CURVE)                                                                                    \
    {.id = ALGORITHM "/agree",                                                                                         \
     .impl = "default",                                                                                                \
     .name = "mbedtls_ecdh_make_public, mbedtls_ecdh_calc_secret",                                                     \
     .setup = setup_agree,                                                                                             \
     .call = call_agree,                                                                                               \
     .rekey = cs_key_in_call,                                                                                          \
     .teardown = teardown_agree,                                                                                       \
     .param = &(const mbedtls_ecp_group_id){CURVE},                                                                    \
     .seed = seed_drbg,                                                                                                \
     .counts_random = 1}

static const cs_op rows[] = {
    BASE_ROW("x25519", MBEDTLS_ECP_DP_CURVE25519),
    BASE_ROW("p-256", MBEDTLS_ECP_DP_SECP256R1),
    BASE_ROW("p-384", MBEDTLS_ECP_DP_SECP384R1),
    BASE_ROW("p-521", MBEDTLS_ECP_DP_SECP521R1),
    BASE_ROW("secp256k1", MBEDTLS_ECP_DP_SECP256K1),
    AGREE_ROW("x25519", MBEDTLS_ECP_DP_CURVE25519),
    AGREE_ROW("p-256", MBEDTLS_ECP_DP_SECP256R1),
    AGREE_ROW("p-384", MBEDTLS_ECP_DP_SECP384R1),
    EC_KEYGEN_ROW("x25519", MBEDTLS_ECP_DP_CURVE25519),
    EC_KEYGEN_ROW("x448", MBEDTLS_ECP_DP_CURVE448),
    EC_KEYGEN_ROW("p-256", MBEDTLS_ECP_DP_SECP256R1),
    EC_KEYGEN_ROW("p-384", MBEDTLS_ECP_DP_SECP384R1),
    EC_KEYGEN_ROW("p-521", MBEDTLS_ECP_DP_SECP521R1),
    EC_KEYGEN_ROW("brainpool-p256", MBEDTLS_ECP_DP_BP256R1),
    EC_KEYGEN_ROW("secp256k1", MBEDTLS_ECP_DP_SECP256K1),
    RSA_KEYGEN_ROW("rsa-2048", 2048),
    RSA_KEYGEN_ROW("rsa-3072", 3072),
    RSA_KEYGEN_ROW("rsa-4096", 4096),
};
const cs_table mbedtls_keys = CS_TABLE(rows);
