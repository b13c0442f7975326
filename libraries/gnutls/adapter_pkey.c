/* SPDX-License-Identifier: Apache-2.0
 *
 * GnuTLS: signatures, key agreement, and key generation, on abstract keys.
 *
 * Entry points: gnutls_privkey_sign_data2, gnutls_pubkey_verify_data2, gnutls_privkey_derive_secret,
 * gnutls_privkey_generate, gnutls_rnd.
 */
#include <string.h>

#include "adapter.h"

const char *seed_random(void)
{
    uint8_t byte;

    return gnutls_rnd(GNUTLS_RND_KEY, &byte, sizeof byte) == 0 ? NULL : "gnutls_rnd fails";
}

/* ---- keys ---- */

struct key_state *new_keys(cs_case *c)
{
    struct key_state *s = cs_alloc(sizeof *s);

    if (s == NULL)
        return NULL;
    c->state = s;
    if (gnutls_privkey_init(&s->key) == 0 && gnutls_pubkey_init(&s->pub) == 0)
        return s;
    key_teardown(c);
    return NULL;
}

void key_teardown(cs_case *c)
{
    struct key_state *s = c->state;

    gnutls_privkey_deinit(s->key);
    gnutls_pubkey_deinit(s->pub);
    cs_free(s);
    c->state = NULL;
}

int key_ready(cs_case *c, int status)
{
    if (status >= 0)
        return CS_OK;
    key_teardown(c);
    return done(status);
}

/* A point as the library takes one: two numbers for the curves of NIST, all bytes as the first for the other ones. */
static void split_point(cs_span pub, gnutls_datum_t *x, gnutls_datum_t *y)
{
    *x = datum(pub);
    *y = (gnutls_datum_t){.data = NULL, .size = 0};
    if (pub.len >= CS_P256_POINT) {
        const size_t bytes = pub.len / 2;
        *x = datum((cs_span){.data = pub.data + 1, .len = bytes});
        *y = datum((cs_span){.data = pub.data + 1 + bytes, .len = bytes});
    }
}

static int import_public(gnutls_pubkey_t key, gnutls_ecc_curve_t curve, cs_span pub)
{
    gnutls_datum_t x, y;

    split_point(pub, &x, &y);
    return gnutls_pubkey_import_ecc_raw(key, curve, &x, y.data == NULL ? NULL : &y);
}

static int import_private(gnutls_privkey_t key, gnutls_ecc_curve_t curve, cs_span pub, cs_span secret)
{
    gnutls_datum_t x, y, k = datum(secret);

    split_point(pub, &x, &y);
    return gnutls_privkey_import_ecc_raw(key, curve, &x, y.data == NULL ? NULL : &y, &k);
}

/* ---- signatures ---- */

static const struct scheme ed25519 = {.curve = GNUTLS_ECC_CURVE_ED25519, .algorithm = GNUTLS_SIGN_EDDSA_ED25519};
static const struct scheme ed448 = {.curve = GNUTLS_ECC_CURVE_ED448, .algorithm = GNUTLS_SIGN_EDDSA_ED448};
static const struct scheme ecdsa_p256 = {.curve = GNUTLS_ECC_CURVE_SECP256R1, .algorithm = GNUTLS_SIGN_ECDSA_SHA256};
static const struct scheme ecdsa_p256_rfc6979 = {.curve = GNUTLS_ECC_CURVE_SECP256R1,
                                                 .algorithm = GNUTLS_SIGN_ECDSA_SHA256,
                                                 .flags = GNUTLS_PRIVKEY_FLAG_REPRODUCIBLE};

static const struct scheme ecdsa_p384 = {.curve = GNUTLS_ECC_CURVE_SECP384R1, .algorithm = GNUTLS_SIGN_ECDSA_SHA384};
static const struct scheme ecdsa_p384_rfc6979 = {.curve = GNUTLS_ECC_CURVE_SECP384R1,
                                                 .algorithm = GNUTLS_SIGN_ECDSA_SHA384,
                                                 .flags = GNUTLS_PRIVKEY_FLAG_REPRODUCIBLE};
static const struct scheme ecdsa_p521 = {.curve = GNUTLS_ECC_CURVE_SECP521R1, .algorithm = GNUTLS_SIGN_ECDSA_SHA512};
static const struct scheme ecdsa_p521_rfc6979 = {.curve = GNUTLS_ECC_CURVE_SECP521R1,
                                                 .algorithm = GNUTLS_SIGN_ECDSA_SHA512,
                                                 .flags = GNUTLS_PRIVKEY_FLAG_REPRODUCIBLE};

static int sign_setup(cs_case *c)
{
    const struct scheme *scheme = c->op->param;
    struct key_state *s = new_keys(c);

    return s == NULL ? CS_ERROR : key_ready(c, import_private(s->key, scheme->curve, c->pub, c->key));
}

/* The signature comes in memory of the library's. */
int sign_call(cs_case *c)
{
    const struct scheme *scheme = c->op->param;
    const struct key_state *s = c->state;
    gnutls_datum_t msg = datum(c->msg), signature;
    int status = gnutls_privkey_sign_data2(s->key, scheme->algorithm, scheme->flags, &msg, &signature);

    if (status < 0)
        return done(status);
    memcpy(c->out, signature.data, signature.size);
    c->out_len = signature.size;
    gnutls_free(signature.data);
    return CS_OK;
}

static int verify_setup(cs_case *c)
{
    const struct scheme *scheme = c->op->param;
    struct key_state *s;

    if (c->pub.len >= CS_P256_POINT && cs_point(c->pub, c->pub.len / 2) != CS_OK)
        return CS_ERROR;
    s = new_keys(c);
    return s == NULL ? CS_ERROR : key_ready(c, import_public(s->pub, scheme->curve, c->pub));
}

/* What cannot be read as a signature is none, whatever the library calls it. */
int verify_call(cs_case *c)
{
    const struct scheme *scheme = c->op->param;
    const struct key_state *s = c->state;
    gnutls_datum_t msg = datum(c->msg), signature = datum(c->sig);
    int status = gnutls_pubkey_verify_data2(s->pub, scheme->algorithm, 0, &msg, &signature);

    if (status == GNUTLS_E_MEMORY_ERROR)
        return done(status);
    return status >= 0 ? CS_OK : CS_REJECTED;
}

/* ---- key agreement ---- */

#if GNUTLS_VERSION_NUMBER >= 0x030802
/* The public part of the private key is not looked at: the peer's stands in for it. */
static int agreement_setup(cs_case *c, gnutls_ecc_curve_t curve)
{
    struct key_state *s = new_keys(c);
    int status;

    if (s == NULL)
        return CS_ERROR;
    c->out_len = c->key.len;
    status = import_private(s->key, curve, c->pub, c->key);
    if (status >= 0)
        status = import_public(s->pub, curve, c->pub);
    return key_ready(c, status);
}

static int x25519_setup(cs_case *c)
{
    return agreement_setup(c, GNUTLS_ECC_CURVE_X25519);
}

static int x448_setup(cs_case *c)
{
    return agreement_setup(c, GNUTLS_ECC_CURVE_X448);
}

static int ecdh_setup(cs_case *c)
{
    int status = agreement_setup(c, ((const struct scheme *)c->op->param)->curve);

    return status == CS_OK ? CS_OK : CS_BAD_KEY;
}

static int ecdh_call(cs_case *c)
{
    const struct key_state *s = c->state;
    gnutls_datum_t secret;
    int status = gnutls_privkey_derive_secret(s->key, s->pub, NULL, &secret, 0);

    if (status == GNUTLS_E_PK_INVALID_PUBKEY || status == GNUTLS_E_RECEIVED_ILLEGAL_PARAMETER)
        return CS_BAD_KEY;
    if (status < 0)
        return done(status);
    memcpy(c->out, secret.data, c->out_len);
    gnutls_free(secret.data);
    return CS_OK;
}

static int x25519_call(cs_case *c)
{
    const struct key_state *s = c->state;
    gnutls_datum_t secret;
    int status = gnutls_privkey_derive_secret(s->key, s->pub, NULL, &secret, 0);

    if (status == GNUTLS_E_RECEIVED_ILLEGAL_PARAMETER)
        return CS_REJECTED;
    if (status < 0)
        return done(status);
    memcpy(c->out, secret.data, c->out_len);
    gnutls_free(secret.data);
    return CS_OK;
}
#endif

/* ---- key generation ---- */

/* Writes a number or a string of bytes as `len` bytes after what is at `out`, and frees it. */
static int put(cs_case *c, size_t len, gnutls_datum_t *bytes)
{
    int status = cs_put_number(c->out + c->out_len, len, (cs_span){.data = bytes->data, .len = bytes->size});

    gnutls_free(bytes->data);
    c->out_len += len;
    return status;
}

static int put_bytes(cs_case *c, gnutls_privkey_t key)
{
    gnutls_datum_t x, y, k;
    int status = gnutls_privkey_export_ecc_raw2(key, NULL, &x, &y, &k, 0);

    if (status < 0)
        return done(status);
    status = put(c, k.size, &k);
    status |= put(c, x.size, &x);
    gnutls_free(y.data);
    return status;
}

static int put_nist(cs_case *c, gnutls_privkey_t key)
{
    gnutls_ecc_curve_t curve;
    gnutls_datum_t x, y, k;
    int status = gnutls_privkey_export_ecc_raw2(key, &curve, &x, &y, &k, GNUTLS_EXPORT_FLAG_NO_LZ);
    size_t bytes;

    if (status < 0)
        return done(status);
    bytes = (size_t)gnutls_ecc_curve_get_size(curve);
    status = put(c, bytes, &k);
    c->out[c->out_len++] = 4;
    status |= put(c, bytes, &x);
    return status | put(c, bytes, &y);
}

static int put_rsa(cs_case *c, gnutls_privkey_t key)
{
    const struct kind *kind = c->op->param;
    gnutls_datum_t part[CS_CRT_PARTS], modulus, e, d;
    int status =
        gnutls_privkey_export_rsa_raw2(key, &modulus, &e, &d, &part[CS_CRT_P], &part[CS_CRT_Q], &part[CS_CRT_QINV],
                                       &part[CS_CRT_DP], &part[CS_CRT_DQ], GNUTLS_EXPORT_FLAG_NO_LZ);

    if (status < 0)
        return done(status);
    for (int i = 0; i < CS_CRT_PARTS; i++)
        status |= put(c, CS_RSA_PART_OF(kind->bits), &part[i]);
    status |= put(c, CS_RSA_MODULUS_OF(kind->bits), &modulus);
    status |= put(c, CS_RSA_EXPONENT, &e);
    gnutls_free(d.data);
    return status;
}

static const struct kind x25519_pair = {
    .algorithm = GNUTLS_PK_ECDH_X25519, .bits = GNUTLS_CURVE_TO_BITS(GNUTLS_ECC_CURVE_X25519), .put = put_bytes};
static const struct kind ed25519_pair = {
    .algorithm = GNUTLS_PK_EDDSA_ED25519, .bits = GNUTLS_CURVE_TO_BITS(GNUTLS_ECC_CURVE_ED25519), .put = put_bytes};
static const struct kind x448_pair = {
    .algorithm = GNUTLS_PK_ECDH_X448, .bits = GNUTLS_CURVE_TO_BITS(GNUTLS_ECC_CURVE_X448), .put = put_bytes};
static const struct kind ed448_pair = {
    .algorithm = GNUTLS_PK_EDDSA_ED448, .bits = GNUTLS_CURVE_TO_BITS(GNUTLS_ECC_CURVE_ED448), .put = put_bytes};
static const struct kind p256_pair = {
    .algorithm = GNUTLS_PK_ECDSA, .bits = GNUTLS_CURVE_TO_BITS(GNUTLS_ECC_CURVE_SECP256R1), .put = put_nist};
static const struct kind p384_pair = {
    .algorithm = GNUTLS_PK_ECDSA, .bits = GNUTLS_CURVE_TO_BITS(GNUTLS_ECC_CURVE_SECP384R1), .put = put_nist};
static const struct kind p521_pair = {
    .algorithm = GNUTLS_PK_ECDSA, .bits = GNUTLS_CURVE_TO_BITS(GNUTLS_ECC_CURVE_SECP521R1), .put = put_nist};
static const struct kind rsa_2048_pair = {.algorithm = GNUTLS_PK_RSA, .bits = 2048, .put = put_rsa};
static const struct kind rsa_3072_pair = {.algorithm = GNUTLS_PK_RSA, .bits = 3072, .put = put_rsa};
static const struct kind rsa_4096_pair = {.algorithm = GNUTLS_PK_RSA, .bits = 4096, .put = put_rsa};

int keygen_setup(cs_case *c)
{
    (void)c;
    return CS_OK;
}

/* The key comes in an object that has to be made for it, and its parts out of that in memory of the library's. */
int keygen_call(cs_case *c)
{
    const struct kind *kind = c->op->param;
    gnutls_privkey_t key;
    int status = gnutls_privkey_init(&key);

    if (status < 0)
        return done(status);
    c->out_len = 0;
    status = gnutls_privkey_generate(key, kind->algorithm, kind->bits, 0);
    status = status < 0 ? done(status) : kind->put(c, key);
    gnutls_privkey_deinit(key);
    return status;
}

/* ---- agreement with an ephemeral key ---- */

#if GNUTLS_VERSION_NUMBER >= 0x030802
/* The public value, as long as the peer's. */
static int put_public(cs_case *c, gnutls_privkey_t key)
{
    gnutls_datum_t x, y;
    int status = gnutls_privkey_export_ecc_raw2(key, NULL, &x, &y, NULL, GNUTLS_EXPORT_FLAG_NO_LZ);
    size_t bytes = c->pub.len / 2;

    if (status < 0)
        return done(status);
    c->out_len = 0;
    if (c->pub.len < CS_P256_POINT) {
        gnutls_free(y.data);
        return put(c, c->pub.len, &x);
    }
    c->out[c->out_len++] = 4;
    status = put(c, bytes, &x);
    return status | put(c, bytes, &y);
}

/* The secret, behind it. */
static int put_secret(cs_case *c, gnutls_privkey_t key, gnutls_pubkey_t peer)
{
    gnutls_datum_t secret;
    int status = gnutls_privkey_derive_secret(key, peer, NULL, &secret, 0);

    if (status == GNUTLS_E_PK_INVALID_PUBKEY || status == GNUTLS_E_RECEIVED_ILLEGAL_PARAMETER)
        return CS_BAD_KEY;
    return status < 0 ? done(status) : put(c, secret.size, &secret);
}

static int agree(cs_case *c, gnutls_privkey_t key, gnutls_pubkey_t peer)
{
    const struct kind *kind = c->op->param;
    int status = gnutls_privkey_generate(key, kind->algorithm, kind->bits, 0);

    if (status < 0)
        return done(status);
    status = put_public(c, key);
    if (status != CS_OK)
        return status;
    if (import_public(peer, (gnutls_ecc_curve_t)GNUTLS_BITS_TO_CURVE(kind->bits), c->pub) < 0)
        return CS_BAD_KEY;
    return put_secret(c, key, peer);
}

static int agree_call(cs_case *c)
{
    gnutls_privkey_t key = NULL;
    gnutls_pubkey_t peer = NULL;
    int status = gnutls_privkey_init(&key);

    if (status >= 0)
        status = gnutls_pubkey_init(&peer);
    status = status < 0 ? done(status) : agree(c, key, peer);
    gnutls_pubkey_deinit(peer);
    gnutls_privkey_deinit(key);
    return status;
}
#endif

#define ECDH(ID, PARAM)                                                                                                \
    {.id = ID "/derive",                                                                                               \
     .impl = "default",                                                                                                \
     .name = "gnutls_privkey_derive_secret",                                                                           \
     .setup = ecdh_setup,                                                                                              \
     .call = ecdh_call,                                                                                                \
     .teardown = key_teardown,                                                                                         \
     .param = &(PARAM),                                                                                                \
     .rekey = cs_setup_again}
#define SIGN(ID, IMPL, NAME, PARAM, FORM)                                                                              \
    {.id = ID "/sign",                                                                                                 \
     .impl = IMPL,                                                                                                     \
     .name = "gnutls_privkey_sign_data2 " NAME,                                                                        \
     .setup = sign_setup,                                                                                              \
     .call = sign_call,                                                                                                \
     .teardown = key_teardown,                                                                                         \
     .param = &(PARAM),                                                                                                \
     .form = FORM,                                                                                                     \
     .rekey = cs_setup_again,                                                                                          \
     .seed = seed_random}
#define VERIFY(ID, NAME, PARAM, FORM)                                                                                  \
    {.id = ID "/verify",                                                                                               \
     .impl = "default",                                                                                                \
     .name = "gnutls_pubkey_verify_data2 " NAME,                                                                       \
     .setup = verify_setup,                                                                                            \
     .call = verify_call,                                                                                              \
     .teardown = key_teardown,                                                                                         \
     .param = &(PARAM),                                                                                                \
     .form = FORM,                                                                                                     \
     .rekey = cs_setup_again}
#define KEYGEN(ID, PARAM)                                                                                              \
    {.id = ID "/keygen",                                                                                               \
     .impl = "default",                                                                                                \
     .name = "gnutls_privkey_generate",                                                                                \
     .setup = keygen_setup,                                                                                            \
     .call = keygen_call,                                                                                              \
     .param = &(PARAM),                                                                                                \
     .seed = seed_random}
#define AGREE(ID, PARAM)                                                                                               \
    {.id = ID "/agree",                                                                                                \
     .impl = "default",                                                                                                \
     .name = "gnutls_privkey_generate, gnutls_privkey_derive_secret",                                                  \
     .setup = keygen_setup,                                                                                            \
     .call = agree_call,                                                                                               \
     .param = &(PARAM),                                                                                                \
     .rekey = cs_key_in_call,                                                                                          \
     .seed = seed_random}

static const cs_op rows[] = {
#if GNUTLS_VERSION_NUMBER >= 0x030802
    {.id = "x25519/derive",
     .impl = "default",
     .name = "gnutls_privkey_derive_secret",
     .setup = x25519_setup,
     .call = x25519_call,
     .teardown = key_teardown,
     .rekey = cs_setup_again},
    ECDH("p-256", ecdsa_p256),
    ECDH("p-384", ecdsa_p384),
    ECDH("p-521", ecdsa_p521),
    {.id = "x448/derive",
     .impl = "default",
     .name = "gnutls_privkey_derive_secret",
     .setup = x448_setup,
     .call = x25519_call,
     .teardown = key_teardown,
     .rekey = cs_setup_again},
    AGREE("x25519", x25519_pair),
    AGREE("p-256", p256_pair),
    AGREE("p-384", p384_pair),
#endif
    SIGN("ed448", "default", "EDDSA_ED448", ed448, NULL),
    VERIFY("ed448", "EDDSA_ED448", ed448, NULL),
    KEYGEN("x448", x448_pair),
    KEYGEN("ed448", ed448_pair),
    SIGN("ed25519", "default", "EDDSA_ED25519", ed25519, NULL),
    VERIFY("ed25519", "EDDSA_ED25519", ed25519, NULL),
    SIGN("ecdsa-p256-sha256", "default", "ECDSA_SECP256R1_SHA256", ecdsa_p256, "der"),
    SIGN("ecdsa-p256-sha256", "rfc6979", "ECDSA_SECP256R1_SHA256, REPRODUCIBLE", ecdsa_p256_rfc6979, "der"),
    VERIFY("ecdsa-p256-sha256", "ECDSA_SECP256R1_SHA256", ecdsa_p256, "der"),
    SIGN("ecdsa-p384-sha384", "default", "ECDSA_SECP384R1_SHA384", ecdsa_p384, "der"),
    SIGN("ecdsa-p384-sha384", "rfc6979", "ECDSA_SECP384R1_SHA384, REPRODUCIBLE", ecdsa_p384_rfc6979, "der"),
    VERIFY("ecdsa-p384-sha384", "ECDSA_SECP384R1_SHA384", ecdsa_p384, "der"),
    KEYGEN("p-384", p384_pair),
    SIGN("ecdsa-p521-sha512", "default", "ECDSA_SECP521R1_SHA512", ecdsa_p521, "der"),
    SIGN("ecdsa-p521-sha512", "rfc6979", "ECDSA_SECP521R1_SHA512, REPRODUCIBLE", ecdsa_p521_rfc6979, "der"),
    VERIFY("ecdsa-p521-sha512", "ECDSA_SECP521R1_SHA512", ecdsa_p521, "der"),
    KEYGEN("p-521", p521_pair),
    KEYGEN("x25519", x25519_pair),
    KEYGEN("ed25519", ed25519_pair),
    KEYGEN("p-256", p256_pair),
    KEYGEN("rsa-2048", rsa_2048_pair),
    KEYGEN("rsa-3072", rsa_3072_pair),
    KEYGEN("rsa-4096", rsa_4096_pair),
};
const cs_table gnutls_pkey = CS_TABLE(rows);
