/* SPDX-License-Identifier: Apache-2.0
 *
 * BoringSSL and AWS-LC adapter: key generation and agreement with ephemeral keys, by the functions of each algorithm;
 * random bytes.
 */
#include <string.h>

#include <openssl/bn.h>
#include <openssl/curve25519.h>
#include <openssl/ec.h>
#include <openssl/ecdh.h>
#include <openssl/mem.h>
#include <openssl/nid.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>

#include "adapter.h"

enum { KEY = 32 };

static int keygen_setup(cs_case *c)
{
    struct session *s = session_new(c);

    if (s == NULL)
        return CS_ERROR;
    s->seed = cs_input(c, "seed");
    return CS_OK;
}

static int x25519_keygen_call(cs_case *c)
{
    X25519_keypair(c->out + KEY, c->out);
    c->out_len = 2 * KEY;
    return CS_OK;
}

/* The private key of the library is the seed with the public key behind it, which is how the pair is encoded here. */
static int ed25519_keygen_call(cs_case *c)
{
    struct session *s = c->state;
    uint8_t pub[ED25519_PUBLIC_KEY_LEN];

    if (s->seed.data == NULL)
        ED25519_keypair(pub, c->out);
    else
        ED25519_keypair_from_seed(pub, c->out, s->seed.data);
    c->out_len = ED25519_PRIVATE_KEY_LEN;
    return memcmp(pub, c->out + KEY, sizeof pub) == 0 ? CS_OK : CS_ERROR;
}

static int put_number(const BIGNUM *number, uint8_t *out, size_t len)
{
    return number != NULL && BN_bn2bin_padded(out, len, number) == 1;
}

/* A row that names no other curve is of P-256. */
int curve_of(const cs_op *op)
{
    const int *nid = op->param;

    return nid != NULL ? *nid : NID_X9_62_prime256v1;
}

static int ec_keygen_call(cs_case *c)
{
    EC_KEY *key = EC_KEY_new_by_curve_name(curve_of(c->op));
    const size_t bytes = key != NULL ? (EC_GROUP_get_degree(EC_KEY_get0_group(key)) + 7) / 8 : 0;
    const size_t point = 2 * bytes + 1;
    int done = key != NULL && EC_KEY_generate_key(key) == 1 &&
               put_number(EC_KEY_get0_private_key(key), c->out, bytes) &&
               EC_POINT_point2oct(EC_KEY_get0_group(key), EC_KEY_get0_public_key(key), POINT_CONVERSION_UNCOMPRESSED,
                                  c->out + bytes, point, NULL) == point;

    EC_KEY_free(key);
    c->out_len = bytes + point;
    return done ? CS_OK : session_fail("EC_KEY_generate_key");
}

/* `param` of a row of RSA is the length of the modulus in bits. */
static int rsa_bits(const cs_case *c)
{
    const int *bits = c->op->param;

    return *bits;
}

static int put_rsa(cs_case *c, const RSA *key)
{
    const BIGNUM *part[CS_CRT_PARTS];
    uint8_t *at = c->out;
    size_t half = CS_RSA_PART_OF(rsa_bits(c));

    RSA_get0_factors(key, &part[CS_CRT_P], &part[CS_CRT_Q]);
    RSA_get0_crt_params(key, &part[CS_CRT_DP], &part[CS_CRT_DQ], &part[CS_CRT_QINV]);
    for (int i = 0; i < CS_CRT_PARTS; i++, at += half)
        if (!put_number(part[i], at, half))
            return 0;
    c->out_len = CS_RSA_PAIR_OF(rsa_bits(c));
    return put_number(RSA_get0_n(key), at, 2 * half) && put_number(RSA_get0_e(key), at + 2 * half, CS_RSA_EXPONENT);
}

static int rsa_keygen_call(cs_case *c)
{
    RSA *key = RSA_new();
    BIGNUM *e = BN_new();
    int done = key != NULL && e != NULL && BN_set_word(e, RSA_F4) == 1 &&
               RSA_generate_key_ex(key, rsa_bits(c), e, NULL) == 1 && put_rsa(c, key);

    BN_free(e);
    RSA_free(key);
    return done ? CS_OK : session_fail("RSA_generate_key_ex");
}

static int rsa_keygen_fips_call(cs_case *c)
{
    RSA *key = RSA_new();
    int done = key != NULL && RSA_generate_key_fips(key, rsa_bits(c), NULL) == 1 && put_rsa(c, key);

    RSA_free(key);
    return done ? CS_OK : session_fail("RSA_generate_key_fips");
}

/* ---- random bytes ---- */

static int fetch_call(cs_case *c)
{
    return RAND_bytes(c->out, c->out_len) == 1 ? CS_OK : session_fail("RAND_bytes");
}

/* ---- agreement with an ephemeral key ---- */

/* A secret of zeros is refused. */
static int x25519_agree_call(cs_case *c)
{
    uint8_t key[KEY];
    int status;

    X25519_keypair(c->out, key);
    status = X25519(c->out + KEY, key, c->pub.data) == 1 ? CS_OK : CS_BAD_KEY;
    OPENSSL_cleanse(key, sizeof key);
    c->out_len = 2 * KEY;
    return status;
}

/* Reading a point checks that it is on the curve. */
static int put_shared(cs_case *c, const EC_KEY *own, EC_POINT *peer)
{
    const EC_GROUP *group = EC_KEY_get0_group(own);
    const size_t len = (EC_GROUP_get_degree(group) + 7) / 8;

    if (EC_POINT_oct2point(group, peer, c->pub.data, c->pub.len, NULL) != 1) {
        int status = session_reject("EC_POINT_oct2point");
        return status == CS_REJECTED ? CS_BAD_KEY : status;
    }
    if (ECDH_compute_key(c->out + c->pub.len, len, peer, own, NULL) != (int)len)
        return session_fail("ECDH_compute_key");
    c->out_len = c->pub.len + len;
    return CS_OK;
}

static int ec_agree_call(cs_case *c)
{
    EC_KEY *own = EC_KEY_new_by_curve_name(curve_of(c->op));
    EC_POINT *peer = own != NULL ? EC_POINT_new(EC_KEY_get0_group(own)) : NULL;
    int status;

    if (peer != NULL && EC_KEY_generate_key(own) == 1 &&
        EC_POINT_point2oct(EC_KEY_get0_group(own), EC_KEY_get0_public_key(own), POINT_CONVERSION_UNCOMPRESSED, c->out,
                           c->pub.len, NULL) == c->pub.len)
        status = put_shared(c, own, peer);
    else
        status = session_fail("EC_KEY_generate_key");
    EC_POINT_free(peer);
    EC_KEY_free(own);
    return status;
}

/* ---- rows ---- */

#define KEYGEN_ROW(ALGORITHM, IMPL, FUNCTION, CALL, ...)                                                               \
    {.id = ALGORITHM "/keygen",                                                                                        \
     .impl = IMPL,                                                                                                     \
     .name = FUNCTION,                                                                                                 \
     .setup = keygen_setup,                                                                                            \
     .call = CALL,                                                                                                     \
     .teardown = session_free,                                                                                         \
     .seed = random_seed,                                                                                              \
     __VA_ARGS__}
#define EC_KEYGEN_ROW(CURVE, NID)                                                                                      \
    KEYGEN_ROW(CURVE, "default", "EC_KEY_generate_key", ec_keygen_call, .param = &(const int){NID})
#define RSA_KEYGEN_ROWS(ALGORITHM, BITS)                                                                               \
    KEYGEN_ROW(ALGORITHM, "default", "RSA_generate_key_ex", rsa_keygen_call, .param = &(const int){BITS}),             \
        KEYGEN_ROW(ALGORITHM, "RSA_generate_key_fips", "RSA_generate_key_fips", rsa_keygen_fips_call,                  \
                   .param = &(const int){BITS})
#define AGREE_ROW(CURVE, NAME, CALL, ...)                                                                              \
    {.id = CURVE "/agree",                                                                                             \
     .impl = "default",                                                                                                \
     .name = NAME,                                                                                                     \
     .setup = keygen_setup,                                                                                            \
     .call = CALL,                                                                                                     \
     .rekey = cs_key_in_call,                                                                                          \
     .teardown = session_free,                                                                                         \
     .seed = random_seed,                                                                                              \
     __VA_ARGS__}
#define EC_AGREE_ROW(CURVE, NID)                                                                                       \
    AGREE_ROW(CURVE, "EC_KEY_generate_key, ECDH_compute_key", ec_agree_call, .param = &(const int){NID})

static const cs_op rows[] = {
    KEYGEN_ROW("x25519", "default", "X25519_keypair", x25519_keygen_call, .seeded = 0),
    KEYGEN_ROW("ed25519", "default", "ED25519_keypair", ed25519_keygen_call, .seeded = 1),
    KEYGEN_ROW("p-256", "default", "EC_KEY_generate_key", ec_keygen_call, .seeded = 0),
    EC_KEYGEN_ROW("p-384", NID_secp384r1),
    EC_KEYGEN_ROW("p-521", NID_secp521r1),
#ifdef OPENSSL_IS_AWSLC
    EC_KEYGEN_ROW("secp256k1", NID_secp256k1),
#endif
    RSA_KEYGEN_ROWS("rsa-2048", 2048),
    RSA_KEYGEN_ROWS("rsa-3072", 3072),
    RSA_KEYGEN_ROWS("rsa-4096", 4096),
    AGREE_ROW("x25519", "X25519_keypair, X25519", x25519_agree_call, .seeded = 0),
    EC_AGREE_ROW("p-256", NID_X9_62_prime256v1),
    EC_AGREE_ROW("p-384", NID_secp384r1),
    {.id = "random/fetch",
     .impl = "default",
     .name = "RAND_bytes",
     .setup = cs_setup_msg_length,
     .call = fetch_call,
     .seed = random_seed},
};
const cs_table boringssl_keys = CS_TABLE(rows);
