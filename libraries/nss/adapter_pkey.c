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

enum { X25519_BYTES = 32, SHA256_BYTES = 32, P1363_BYTES = 2 * CS_P256_BYTES };

/* ---- keys in DER ---- */

/* A private key (RFC 5208, RFC 5915) is a head, the number, a middle and the public point. */
struct layout {
    uint8_t head[36];
    uint8_t middle[5];
};
static const struct layout p256 = {
    .head = {0x30, 0x81, 0x87, 0x02, 0x01, 0x00, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86,
             0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d,
             0x03, 0x01, 0x07, 0x04, 0x6d, 0x30, 0x6b, 0x02, 0x01, 0x01, 0x04, 0x20},
    .middle = {0xa1, 0x44, 0x03, 0x42, 0x00},
};
/* NSS calls Curve25519 by 1.3.6.1.4.1.11591.15.1, and its keys those of an elliptic curve like others. */
static const struct layout x25519 = {
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
    uint8_t der[sizeof layout->head + CS_P256_BYTES + sizeof layout->middle + CS_P256_POINT];
    uint8_t *at = der;
    SECItem info, public_value = item(point.data, point.len);
    SECKEYPrivateKey *key = NULL;

    memcpy(at, layout->head, sizeof layout->head);
    at += sizeof layout->head;
    memcpy(at, number.data, number.len);
    at += number.len;
    memcpy(at, layout->middle, sizeof layout->middle);
    at += sizeof layout->middle;
    memcpy(at, point.data, point.len);
    info = item(der, (size_t)(at - der) + point.len);
    if (PK11_ImportDERPrivateKeyInfoAndReturnKey(token, &info, NULL, &public_value, PR_FALSE, PR_FALSE, KU_ALL, &key,
                                                 NULL) != SECSuccess)
        return NULL;
    return key;
}

static SECKEYPublicKey *read_public(const uint8_t *der, size_t len)
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
int derive_setup(cs_case *c)
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
int derive_call(cs_case *c)
{
    const struct pair *s = c->state;
    PK11SymKey *secret = PK11_PubDeriveWithKDF(s->key, s->pub, PR_FALSE, NULL, NULL, CKM_ECDH1_DERIVE, CKM_SHA256_HMAC,
                                               CKA_SIGN, X25519_BYTES, CKD_NULL, NULL, NULL);
    SECStatus status;

    if (secret == NULL)
        return PR_GetError() == SEC_ERROR_NO_MEMORY ? done(SECFailure) : CS_REJECTED;
    status = PK11_ExtractKeyValue(secret);
    if (status == SECSuccess) {
        const SECItem *bytes = PK11_GetKeyData(secret);
        memcpy(c->out, bytes->data, bytes->len);
        c->out_len = bytes->len;
    }
    PK11_FreeSymKey(secret);
    return done(status);
}

/* ---- ECDSA ---- */

int sign_setup(cs_case *c)
{
    struct pair *s = new_pair(c);

    if (s == NULL)
        return CS_ERROR;
    s->key = read_private(&p256, c->key, c->pub);
    return pair_ready(c, s->key != NULL);
}

/* The signature comes in memory of the library's. */
int sign_call(cs_case *c)
{
    const struct pair *s = c->state;
    SECItem signature = item(NULL, 0);
    SECStatus status =
        SEC_SignData(&signature, c->msg.data, (int)c->msg.len, s->key, SEC_OID_ANSIX962_ECDSA_SHA256_SIGNATURE);

    if (status != SECSuccess)
        return done(status);
    memcpy(c->out, signature.data, signature.len);
    c->out_len = signature.len;
    SECITEM_FreeItem(&signature, PR_FALSE);
    return CS_OK;
}

int raw_sign_call(cs_case *c)
{
    const struct pair *s = c->state;
    uint8_t digest[SHA256_BYTES];
    const SECItem hash = item(digest, sizeof digest);
    SECItem signature = item(c->out, P1363_BYTES);
    SECStatus status = PK11_HashBuf(SEC_OID_SHA256, digest, c->msg.data, (PRInt32)c->msg.len);

    if (status == SECSuccess)
        status = PK11_Sign(s->key, &signature, &hash);
    c->out_len = signature.len;
    return done(status);
}

int verify_setup(cs_case *c)
{
    uint8_t der[CS_P256_SPKI];
    struct pair *s;

    if (cs_p256_spki(c->pub, der) != CS_OK)
        return CS_ERROR;
    s = new_pair(c);
    if (s == NULL)
        return CS_ERROR;
    s->pub = read_public(der, sizeof der);
    return pair_ready(c, s->pub != NULL);
}

/* What cannot be read as a signature is none, whatever the library calls it. */
static int verified(SECStatus status)
{
    if (status != SECSuccess && PR_GetError() == SEC_ERROR_NO_MEMORY)
        return done(status);
    return status == SECSuccess ? CS_OK : CS_REJECTED;
}

int verify_call(cs_case *c)
{
    const struct pair *s = c->state;
    const SECItem signature = item(c->sig.data, c->sig.len);

    return verified(VFY_VerifyDataDirect(c->msg.data, (int)c->msg.len, s->pub, &signature,
                                         SEC_OID_ANSIX962_EC_PUBLIC_KEY, SEC_OID_SHA256, NULL, NULL));
}

int raw_verify_call(cs_case *c)
{
    const struct pair *s = c->state;
    uint8_t digest[SHA256_BYTES];
    const SECItem hash = item(digest, sizeof digest), signature = item(c->sig.data, c->sig.len);
    SECStatus status = PK11_HashBuf(SEC_OID_SHA256, digest, c->msg.data, (PRInt32)c->msg.len);

    return status == SECSuccess ? verified(PK11_Verify(s->pub, &signature, &hash, NULL)) : done(status);
}
