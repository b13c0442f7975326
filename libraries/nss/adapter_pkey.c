/* SPDX-License-Identifier: Apache-2.0
 *
 * NSS: key agreement and signatures. Keys come in as DER, which is what the library reads.
 *
 * Entry points: PK11_PubDeriveWithKDF, SEC_SignData, VFY_VerifyDataDirect, PK11_HashBuf, PK11_Sign, PK11_Verify.
 */
#include <string.h>

#include <cryptohi.h>
#include <prerror.h>
#include <secerr.h>

#include "adapter.h"

enum { X25519_BYTES = 32, MOST_DIGEST = 64 };

/* ---- keys in DER ---- */

/* A private key (RFC 5208, RFC 5915) is a head, the number, a middle and the public point. */
struct layout {
    uint8_t head[36];
    size_t head_len;
    uint8_t middle[7];
    size_t middle_len;
};
static const struct layout p256_layout = {
    .head_len = 36,
    .middle_len = 5,
    .head = {0x30, 0x81, 0x87, 0x02, 0x01, 0x00, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86,
             0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d,
             0x03, 0x01, 0x07, 0x04, 0x6d, 0x30, 0x6b, 0x02, 0x01, 0x01, 0x04, 0x20},
    .middle = {0xa1, 0x44, 0x03, 0x42, 0x00},
};
static const struct layout p384_layout = {
    .head_len = 35,
    .middle_len = 5,
    .head = {0x30, 0x81, 0xb6, 0x02, 0x01, 0x00, 0x30, 0x10, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06,
             0x05, 0x2b, 0x81, 0x04, 0x00, 0x22, 0x04, 0x81, 0x9e, 0x30, 0x81, 0x9b, 0x02, 0x01, 0x01, 0x04, 0x30},
    .middle = {0xa1, 0x64, 0x03, 0x62, 0x00},
};
static const struct layout p521_layout = {
    .head_len = 35,
    .middle_len = 7,
    .head = {0x30, 0x81, 0xee, 0x02, 0x01, 0x00, 0x30, 0x10, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06,
             0x05, 0x2b, 0x81, 0x04, 0x00, 0x23, 0x04, 0x81, 0xd6, 0x30, 0x81, 0xd3, 0x02, 0x01, 0x01, 0x04, 0x42},
    .middle = {0xa1, 0x81, 0x89, 0x03, 0x81, 0x86, 0x00},
};
/* NSS calls Curve25519 by 1.3.6.1.4.1.11591.15.1, and its keys those of an elliptic curve like others. */
static const struct layout x25519 = {
    .head_len = 36,
    .middle_len = 5,
    .head = {0x30, 0x67, 0x02, 0x01, 0x00, 0x30, 0x14, 0x06, 0x07, 0x2a, 0x86, 0x48,
             0xce, 0x3d, 0x02, 0x01, 0x06, 0x09, 0x2b, 0x06, 0x01, 0x04, 0x01, 0xda,
             0x47, 0x0f, 0x01, 0x04, 0x4c, 0x30, 0x4a, 0x02, 0x01, 0x01, 0x04, 0x20},
    .middle = {0xa1, 0x23, 0x03, 0x21, 0x00},
};
static const uint8_t x25519_public[] = {
    0x30, 0x39, 0x30, 0x14, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06,
    0x09, 0x2b, 0x06, 0x01, 0x04, 0x01, 0xda, 0x47, 0x0f, 0x01, 0x03, 0x21, 0x00,
};

void pair_teardown(cs_case *c)
{
    struct pair *s = c->state;

    if (s->key != NULL)
        SECKEY_DestroyPrivateKey(s->key);
    if (s->pub != NULL)
        SECKEY_DestroyPublicKey(s->pub);
    cs_free(s);
    c->state = NULL;
}

static struct pair *new_pair(cs_case *c)
{
    c->state = cs_alloc(sizeof(struct pair));
    return c->state;
}

/* CS_OK if `there`; else the state is freed. */
static int pair_ready(cs_case *c, int there)
{
    if (there)
        return CS_OK;
    pair_teardown(c);
    return done(SECFailure);
}

static SECKEYPrivateKey *read_private(const struct layout *layout, cs_span number, cs_span point)
{
    uint8_t der[sizeof layout->head + CS_P521_BYTES + sizeof layout->middle + CS_P521_POINT];
    uint8_t *at = der;
    SECItem info, public_value = item(point.data, point.len);
    SECKEYPrivateKey *key = NULL;

    memcpy(at, layout->head, layout->head_len);
    at += layout->head_len;
    memcpy(at, number.data, number.len);
    at += number.len;
    memcpy(at, layout->middle, layout->middle_len);
    at += layout->middle_len;
    memcpy(at, point.data, point.len);
    info = item(der, (size_t)(at - der) + point.len);
    if (PK11_ImportDERPrivateKeyInfoAndReturnKey(token, &info, NULL, &public_value, PR_FALSE, PR_FALSE, KU_ALL, &key,
                                                 NULL) != SECSuccess)
        return NULL;
    return key;
}

SECKEYPublicKey *read_public(const uint8_t *der, size_t len)
{
    SECItem bytes = item(der, len);
    CERTSubjectPublicKeyInfo *info = SECKEY_DecodeDERSubjectPublicKeyInfo(&bytes);
    SECKEYPublicKey *key = info == NULL ? NULL : SECKEY_ExtractPublicKey(info);

    if (info != NULL)
        SECKEY_DestroySubjectPublicKeyInfo(info);
    return key;
}

/* ---- X25519 ---- */

/* The public value beside the private one only names the key: the peer's stands in for it. */
static int derive_setup(cs_case *c)
{
    uint8_t der[sizeof x25519_public + X25519_BYTES];
    struct pair *s = new_pair(c);

    if (s == NULL)
        return CS_ERROR;
    memcpy(der, x25519_public, sizeof x25519_public);
    memcpy(der + sizeof x25519_public, c->pub.data, X25519_BYTES);
    s->key = read_private(&x25519, c->key, c->pub);
    s->pub = read_public(der, sizeof der);
    return pair_ready(c, s->key != NULL && s->pub != NULL);
}

/* The secret is a key of the token's; its bytes have to be asked for. A secret of zeros fails under the same name as a
 * broken device, so whatever else than a want of memory fails is taken for a refusal. */
static int agree(cs_case *c, const struct pair *s, size_t at, size_t bytes)
{
    PK11SymKey *secret = PK11_PubDeriveWithKDF(s->key, s->pub, PR_FALSE, NULL, NULL, CKM_ECDH1_DERIVE, CKM_SHA256_HMAC,
                                               CKA_SIGN, (int)bytes, CKD_NULL, NULL, NULL);
    SECStatus status;

    if (secret == NULL)
        return PR_GetError() == SEC_ERROR_NO_MEMORY ? done(SECFailure) : CS_REJECTED;
    status = PK11_ExtractKeyValue(secret);
    if (status == SECSuccess) {
        const SECItem *value = PK11_GetKeyData(secret);
        memcpy(c->out + at, value->data, value->len);
        c->out_len = at + value->len;
    }
    PK11_FreeSymKey(secret);
    return done(status);
}

static int derive_call(cs_case *c)
{
    return agree(c, c->state, 0, X25519_BYTES);
}

/* ---- ECDSA ---- */

/* What a row's curve goes with. `wrap`: a public point in the DER that the library reads. */
struct curve {
    const struct layout *layout;
    size_t bytes;
    size_t digest_bytes;
    SECOidTag digest;
    SECOidTag signature;
    size_t info_len;
    int (*wrap)(cs_span pub, uint8_t *out);
};

#define SIGNATURE_OF(HASH) SEC_OID_ANSIX962_ECDSA_##HASH##_SIGNATURE
static const struct curve p256_curve = {&p256_layout,         CS_P256_BYTES, 32,          SEC_OID_SHA256,
                                        SIGNATURE_OF(SHA256), CS_P256_SPKI,  cs_p256_spki};
static const struct curve p384_curve = {&p384_layout,         CS_P384_BYTES, 48,          SEC_OID_SHA384,
                                        SIGNATURE_OF(SHA384), CS_P384_SPKI,  cs_p384_spki};
static const struct curve p521_curve = {&p521_layout,         CS_P521_BYTES, 64,          SEC_OID_SHA512,
                                        SIGNATURE_OF(SHA512), CS_P521_SPKI,  cs_p521_spki};

static int sign_setup(cs_case *c)
{
    struct pair *s = new_pair(c);

    if (s == NULL)
        return CS_ERROR;
    s->key = read_private(((const struct curve *)c->op->param)->layout, c->key, c->pub);
    return pair_ready(c, s->key != NULL);
}

/* The signature comes in memory of the library's. */
static int sign_call(cs_case *c)
{
    const struct curve *curve = c->op->param;
    const struct pair *s = c->state;
    SECItem signature = item(NULL, 0);
    SECStatus status = SEC_SignData(&signature, c->msg.data, (int)c->msg.len, s->key, curve->signature);

    if (status != SECSuccess)
        return done(status);
    memcpy(c->out, signature.data, signature.len);
    c->out_len = signature.len;
    SECITEM_FreeItem(&signature, PR_FALSE);
    return CS_OK;
}

static int raw_sign_call(cs_case *c)
{
    const struct curve *curve = c->op->param;
    const struct pair *s = c->state;
    uint8_t digest[MOST_DIGEST];
    const SECItem hash = item(digest, curve->digest_bytes);
    SECItem signature = item(c->out, 2 * curve->bytes);
    SECStatus status = PK11_HashBuf(curve->digest, digest, c->msg.data, (PRInt32)c->msg.len);

    if (status == SECSuccess)
        status = PK11_Sign(s->key, &signature, &hash);
    c->out_len = signature.len;
    return done(status);
}

static int verify_setup(cs_case *c)
{
    const struct curve *curve = c->op->param;
    uint8_t der[CS_P521_SPKI];
    struct pair *s;

    if (curve->wrap(c->pub, der) != CS_OK)
        return CS_ERROR;
    s = new_pair(c);
    if (s == NULL)
        return CS_ERROR;
    s->pub = read_public(der, curve->info_len);
    return pair_ready(c, s->pub != NULL);
}

/* What cannot be read as a signature is none, whatever the library calls it. */
static int verified(SECStatus status)
{
    if (status != SECSuccess && PR_GetError() == SEC_ERROR_NO_MEMORY)
        return done(status);
    return status == SECSuccess ? CS_OK : CS_REJECTED;
}

static int verify_call(cs_case *c)
{
    const struct curve *curve = c->op->param;
    const struct pair *s = c->state;
    const SECItem signature = item(c->sig.data, c->sig.len);

    return verified(VFY_VerifyDataDirect(c->msg.data, (int)c->msg.len, s->pub, &signature,
                                         SEC_OID_ANSIX962_EC_PUBLIC_KEY, curve->digest, NULL, NULL));
}

static int raw_verify_call(cs_case *c)
{
    const struct curve *curve = c->op->param;
    const struct pair *s = c->state;
    uint8_t digest[MOST_DIGEST];
    const SECItem hash = item(digest, curve->digest_bytes), signature = item(c->sig.data, c->sig.len);
    SECStatus status = PK11_HashBuf(curve->digest, digest, c->msg.data, (PRInt32)c->msg.len);

    return status == SECSuccess ? verified(PK11_Verify(s->pub, &signature, &hash, NULL)) : done(status);
}

/* ---- ECDH ---- */

/* As with X25519 the peer's public value stands in for the one beside the private key. An invalid point is refused when
 * it is read, or in the call. */
static int ecdh_setup(cs_case *c)
{
    const struct curve *curve = c->op->param;
    uint8_t der[CS_P521_SPKI];
    struct pair *s;

    if (curve->wrap(c->pub, der) != CS_OK)
        return CS_ERROR;
    s = new_pair(c);
    if (s == NULL)
        return CS_ERROR;
    s->key = read_private(curve->layout, c->key, c->pub);
    s->pub = read_public(der, curve->info_len);
    return pair_ready(c, s->key != NULL && s->pub != NULL);
}

static int ecdh_call(cs_case *c)
{
    int status = agree(c, c->state, 0, ((const struct curve *)c->op->param)->bytes);

    return status == CS_REJECTED ? CS_BAD_KEY : status;
}

/* ---- agreement with an ephemeral key ---- */

/* The name of the row's curve, as CKM_EC_KEY_PAIR_GEN takes it: behind the algorithm's in the head of a public key. */
static SECItem name_of(const uint8_t *info)
{
    enum { NAME = 13 };

    return item(info + NAME, 2U + info[NAME + 1]);
}

static int refused(void)
{
    return PR_GetError() == SEC_ERROR_NO_MEMORY ? done(SECFailure) : CS_BAD_KEY;
}

/* `info`: the peer's public value in DER. The secret begins behind the public value. */
static int agree_anew(cs_case *c, const uint8_t *info, size_t len, size_t bytes)
{
    SECItem name = name_of(info);
    SECKEYPublicKey *own = NULL;
    struct pair s = {.key = PK11_GenerateKeyPair(token, CKM_EC_KEY_PAIR_GEN, &name, &own, PR_FALSE, PR_FALSE, NULL)};
    int status;

    if (s.key == NULL)
        return done(SECFailure);
    if (own->u.ec.publicValue.len != c->pub.len)
        status = cs_fail("the public value has another length than the peer's");
    else {
        memcpy(c->out, own->u.ec.publicValue.data, c->pub.len);
        s.pub = read_public(info, len);
        status = s.pub != NULL ? agree(c, &s, c->pub.len, bytes) : refused();
    }
    if (s.pub != NULL)
        SECKEY_DestroyPublicKey(s.pub);
    SECKEY_DestroyPublicKey(own);
    SECKEY_DestroyPrivateKey(s.key);
    return status == CS_REJECTED ? CS_BAD_KEY : status;
}

static int x25519_agree_call(cs_case *c)
{
    uint8_t der[sizeof x25519_public + X25519_BYTES];

    memcpy(der, x25519_public, sizeof x25519_public);
    memcpy(der + sizeof x25519_public, c->pub.data, X25519_BYTES);
    return agree_anew(c, der, sizeof der, X25519_BYTES);
}

static int ec_agree_call(cs_case *c)
{
    const struct curve *curve = c->op->param;
    uint8_t der[CS_P521_SPKI];

    return curve->wrap(c->pub, der) == CS_OK ? agree_anew(c, der, curve->info_len, curve->bytes) : CS_ERROR;
}

/* ---- rows ---- */

/* clang-format off */
#define ECDH(KEYS, CURVE)                                                                                              \
    {.id = KEYS "/derive", .impl = "default", .name = "PK11_PubDeriveWithKDF CKM_ECDH1_DERIVE", .setup = ecdh_setup, .call = ecdh_call, .teardown = pair_teardown, .param = &(CURVE), .rekey = cs_setup_again, .open = nss_open}
#define SIGNATURE(ALGORITHM, CURVE, VERB, IMPL, NAME, CALL, FORM, SEED)                                                \
    {.id = ALGORITHM "/" #VERB, .impl = IMPL, .name = NAME, .setup = VERB##_setup, .call = CALL, .teardown = pair_teardown, .param = &(CURVE), .form = FORM, .rekey = cs_setup_again, .open = nss_open, .seed = SEED}
#define ECDSA(ALGORITHM, CURVE)                                                                                        \
    SIGNATURE(ALGORITHM, CURVE, sign, "default", "SEC_SignData", sign_call, "der", nss_seed),                          \
    SIGNATURE(ALGORITHM, CURVE, sign, "PK11_Sign", "PK11_HashBuf, PK11_Sign", raw_sign_call, "p1363", nss_seed),       \
    SIGNATURE(ALGORITHM, CURVE, verify, "default", "VFY_VerifyDataDirect", verify_call, "der", NULL),                  \
    SIGNATURE(ALGORITHM, CURVE, verify, "PK11_Verify", "PK11_HashBuf, PK11_Verify", raw_verify_call, "p1363", NULL)
#define AGREE(KEYS, CALL, CURVE)                                                                                       \
    {.id = KEYS "/agree", .impl = "default", .name = "PK11_GenerateKeyPair, PK11_PubDeriveWithKDF", .setup = keygen_setup, .call = CALL, .param = CURVE, .rekey = cs_key_in_call, .open = nss_open, .seed = nss_seed}

static const cs_op rows[] = {
    {.id = "x25519/derive", .impl = "default", .name = "PK11_PubDeriveWithKDF CKM_ECDH1_DERIVE", .setup = derive_setup, .call = derive_call, .teardown = pair_teardown, .rekey = cs_setup_again, .open = nss_open},
    ECDH("p-256", p256_curve),
    ECDH("p-384", p384_curve),
    ECDH("p-521", p521_curve),
    ECDSA("ecdsa-p256-sha256", p256_curve),
    ECDSA("ecdsa-p384-sha384", p384_curve),
    ECDSA("ecdsa-p521-sha512", p521_curve),
    AGREE("x25519", x25519_agree_call, NULL),
    AGREE("p-256", ec_agree_call, &p256_curve),
    AGREE("p-384", ec_agree_call, &p384_curve),
};
/* clang-format on */

const cs_table nss_pkey = CS_TABLE(rows);
