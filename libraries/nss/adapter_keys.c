/* SPDX-License-Identifier: Apache-2.0
 *
 * NSS: key generation. Keys are objects of the token's, made for the session, and their parts are read out one by one.
 *
 * Entry points: PK11_GenerateKeyPair, PK11_ReadRawAttribute.
 */
#include <string.h>

#include <secmodt.h>

#include "adapter.h"

enum { RSA_EXPONENT = 65537 };

static const uint8_t p256[] = {0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07};
static const uint8_t p384[] = {0x06, 0x05, 0x2b, 0x81, 0x04, 0x00, 0x22};
static const uint8_t p521[] = {0x06, 0x05, 0x2b, 0x81, 0x04, 0x00, 0x23};
static const uint8_t curve25519[] = {0x06, 0x09, 0x2b, 0x06, 0x01, 0x04, 0x01, 0xda, 0x47, 0x0f, 0x01};

int keygen_setup(cs_case *c)
{
    (void)c;
    return CS_OK;
}

static int put(cs_case *c, size_t len, const SECItem *number)
{
    int status = cs_put_number(c->out + c->out_len, len, (cs_span){.data = number->data, .len = number->len});

    c->out_len += len;
    return status;
}

static int put_part(cs_case *c, size_t len, SECKEYPrivateKey *key, CK_ATTRIBUTE_TYPE part)
{
    SECItem number = item(NULL, 0);
    int status = done(PK11_ReadRawAttribute(PK11_TypePrivKey, key, part, &number));

    if (status != CS_OK)
        return status;
    status = put(c, len, &number);
    SECITEM_FreeItem(&number, PR_FALSE);
    return status;
}

/* Makes a pair and lets `encode` have it. */
static int generate(cs_case *c, CK_MECHANISM_TYPE mechanism, void *parameters,
                    int (*encode)(cs_case *c, SECKEYPrivateKey *key, const SECKEYPublicKey *pub))
{
    SECKEYPublicKey *pub = NULL;
    SECKEYPrivateKey *key = PK11_GenerateKeyPair(token, mechanism, parameters, &pub, PR_FALSE, PR_FALSE, NULL);
    int status;

    if (key == NULL)
        return done(SECFailure);
    c->out_len = 0;
    status = encode(c, key, pub);
    SECKEY_DestroyPrivateKey(key);
    SECKEY_DestroyPublicKey(pub);
    return status;
}

/* A scalar is as long as each number of the point behind its mark; X25519's value is one number alone. */
static int encode_ec(cs_case *c, SECKEYPrivateKey *key, const SECKEYPublicKey *pub)
{
    const size_t point = pub->u.ec.publicValue.len;
    int status = put_part(c, point > CS_P256_BYTES ? point / 2 : point, key, CKA_VALUE);

    return status | put(c, pub->u.ec.publicValue.len, &pub->u.ec.publicValue);
}

static int encode_rsa(cs_case *c, SECKEYPrivateKey *key, const SECKEYPublicKey *pub)
{
    static const CK_ATTRIBUTE_TYPE parts[CS_CRT_PARTS] = {
        [CS_CRT_P] = CKA_PRIME_1,     [CS_CRT_Q] = CKA_PRIME_2,        [CS_CRT_DP] = CKA_EXPONENT_1,
        [CS_CRT_DQ] = CKA_EXPONENT_2, [CS_CRT_QINV] = CKA_COEFFICIENT,
    };
    const int *bits = c->op->param;
    int status = CS_OK;

    for (int i = 0; i < CS_CRT_PARTS; i++)
        status |= put_part(c, CS_RSA_PART_OF(*bits), key, parts[i]);
    status |= put(c, CS_RSA_MODULUS_OF(*bits), &pub->u.rsa.modulus);
    return status | put(c, CS_RSA_EXPONENT, &pub->u.rsa.publicExponent);
}

static int x25519_keygen_call(cs_case *c)
{
    SECItem curve = item(curve25519, sizeof curve25519);

    return generate(c, CKM_EC_KEY_PAIR_GEN, &curve, encode_ec);
}

static int p256_keygen_call(cs_case *c)
{
    SECItem curve = item(p256, sizeof p256);

    return generate(c, CKM_EC_KEY_PAIR_GEN, &curve, encode_ec);
}

static int p384_keygen_call(cs_case *c)
{
    SECItem curve = item(p384, sizeof p384);

    return generate(c, CKM_EC_KEY_PAIR_GEN, &curve, encode_ec);
}

static int p521_keygen_call(cs_case *c)
{
    SECItem curve = item(p521, sizeof p521);

    return generate(c, CKM_EC_KEY_PAIR_GEN, &curve, encode_ec);
}

static int rsa_keygen_call(cs_case *c)
{
    const int *bits = c->op->param;
    PK11RSAGenParams parameters = {.keySizeInBits = *bits, .pe = RSA_EXPONENT};

    return generate(c, CKM_RSA_PKCS_KEY_PAIR_GEN, &parameters, encode_rsa);
}

/* ---- rows ---- */

/* clang-format off */
/* `param` of RSA is the length of the modulus in bits. */
#define KEYGEN(KEYS, MECHANISM, CALL, PARAM)                                                                           \
    {.id = KEYS "/keygen", .impl = "default", .name = "PK11_GenerateKeyPair " MECHANISM, .setup = keygen_setup, .call = CALL, .param = PARAM, .open = nss_open, .seed = nss_seed}

static const cs_op rows[] = {
    KEYGEN("x25519", "CKM_EC_KEY_PAIR_GEN", x25519_keygen_call, NULL),
    KEYGEN("p-256", "CKM_EC_KEY_PAIR_GEN", p256_keygen_call, NULL),
    KEYGEN("p-384", "CKM_EC_KEY_PAIR_GEN", p384_keygen_call, NULL),
    KEYGEN("p-521", "CKM_EC_KEY_PAIR_GEN", p521_keygen_call, NULL),
    KEYGEN("rsa-2048", "CKM_RSA_PKCS_KEY_PAIR_GEN", rsa_keygen_call, &(const int){2048}),
    KEYGEN("rsa-3072", "CKM_RSA_PKCS_KEY_PAIR_GEN", rsa_keygen_call, &(const int){3072}),
    KEYGEN("rsa-4096", "CKM_RSA_PKCS_KEY_PAIR_GEN", rsa_keygen_call, &(const int){4096}),
};
/* clang-format on */

const cs_table nss_keys = CS_TABLE(rows);
