/* SPDX-License-Identifier: Apache-2.0
 *
 * NSS: key agreement in finite fields.
 *
 * 3.87 reads no such private key in DER: it takes the first number of the three that it wants for all. So a private key
 * becomes an object of the token's by its attributes, and is found by a name that it has for that.
 *
 * Entry points: PK11_PubDerive, PK11_GenerateKeyPair, PK11_CreateGenericObject, PK11_FindKeyByKeyID.
 */
#include "adapter_der.h"
#include "ffdhe.h"

#include <string.h>

static const uint8_t generator[] = {CS_FFDHE_GENERATOR};
/* dhpublicnumber of RFC 3279 section 2.3.3. */
static const uint8_t dh_public_number[] = {0x06, 7, 0x2a, 0x86, 0x48, 0xce, 0x3e, 2, 1};

static CK_ATTRIBUTE attribute(CK_ATTRIBUTE_TYPE type, const void *value, size_t len)
{
    return (CK_ATTRIBUTE){.type = type, .pValue = (void *)(uintptr_t)value, .ulValueLen = len};
}

/* The address of the state is the object's name, so that no other has it. */
static SECKEYPrivateKey *private_key(const struct cs_ffdhe *of, cs_span x, const struct pair *s)
{
    static const CK_OBJECT_CLASS class = CKO_PRIVATE_KEY;
    static const CK_KEY_TYPE kind = CKK_DH;
    static const CK_BBOOL yes = CK_TRUE, no = CK_FALSE;
    SECItem name = item((const uint8_t *)&s, sizeof s);
    const CK_ATTRIBUTE attributes[] = {
        attribute(CKA_CLASS, &class, sizeof class),
        attribute(CKA_KEY_TYPE, &kind, sizeof kind),
        attribute(CKA_TOKEN, &no, sizeof no),
        attribute(CKA_PRIVATE, &no, sizeof no),
        attribute(CKA_SENSITIVE, &no, sizeof no),
        attribute(CKA_DERIVE, &yes, sizeof yes),
        attribute(CKA_ID, name.data, name.len),
        attribute(CKA_PRIME, of->p, of->bytes),
        attribute(CKA_BASE, generator, sizeof generator),
        attribute(CKA_VALUE, x.data, x.len),
    };
    PK11GenericObject *object = PK11_CreateGenericObject(token, attributes, (int)CS_COUNT(attributes), PR_FALSE);
    SECKEYPrivateKey *key;

    if (object == NULL)
        return NULL;
    key = PK11_FindKeyByKeyID(token, &name, NULL);
    /* The handle alone: the object goes with the key. */
    PK11_DestroyGenericObject(object);
    return key;
}

/* SubjectPublicKeyInfo around y. */
static SECKEYPublicKey *public_key(const struct cs_ffdhe *of, cs_span y)
{
    struct der der = {.at = sizeof der.bytes};
    size_t end;

    integer(&der, y);
    push_byte(&der, 0); /* no unused bits */
    head(&der, BIT_STRING, sizeof der.bytes);
    end = der.at;
    integer(&der, (cs_span){.data = generator, .len = sizeof generator});
    integer(&der, (cs_span){.data = of->p, .len = of->bytes});
    head(&der, SEQUENCE, end);
    push(&der, dh_public_number, sizeof dh_public_number);
    head(&der, SEQUENCE, end);
    head(&der, SEQUENCE, sizeof der.bytes);
    return read_public(der.bytes + der.at, sizeof der.bytes - der.at);
}

static int ffdh_setup(cs_case *c)
{
    const struct cs_ffdhe *of = c->op->param;
    struct pair *s = cs_alloc(sizeof *s);

    if (s == NULL)
        return CS_ERROR;
    c->state = s;
    c->out_len = of->bytes;
    s->key = private_key(of, cs_significant(c->key), s);
    s->pub = public_key(of, c->pub);
    if (s->key != NULL && s->pub != NULL)
        return CS_OK;
    pair_teardown(c);
    return done(SECFailure);
}

/* Asks for as many bytes of the secret as the prime has: else its leading zeros are left out. A number that must not be
 * accepted fails in the same way as a lack of memory, so the two cannot be told apart. */
static int ffdh_call(cs_case *c)
{
    const struct pair *s = c->state;
    PK11SymKey *secret = PK11_PubDerive(s->key, s->pub, PR_FALSE, NULL, NULL, CKM_DH_PKCS_DERIVE, CKM_SHA256_HMAC,
                                        CKA_SIGN, (int)c->out_len, NULL);
    int status;

    if (secret == NULL)
        return CS_BAD_KEY;
    status = done(PK11_ExtractKeyValue(secret));
    if (status == CS_OK) {
        const SECItem *value = PK11_GetKeyData(secret);

        status = cs_put_number(c->out, c->out_len, (cs_span){.data = value->data, .len = value->len});
    }
    PK11_FreeSymKey(secret);
    return status;
}

/* ---- key generation ---- */

static int ffdh_keygen_setup(cs_case *c)
{
    (void)c;
    return CS_OK;
}

/* The pair is an object of the token, made for the session; the private number is read from it. */
static int ffdh_keygen_call(cs_case *c)
{
    const struct cs_ffdhe *of = c->op->param;
    SECKEYDHParams group = {.prime = item(of->p, of->bytes), .base = item(generator, sizeof generator)};
    SECKEYPublicKey *pub = NULL;
    SECKEYPrivateKey *key =
        PK11_GenerateKeyPair(token, CKM_DH_PKCS_KEY_PAIR_GEN, &group, &pub, PR_FALSE, PR_FALSE, NULL);
    SECItem x = item(NULL, 0);
    int status;

    if (key == NULL)
        return done(SECFailure);
    status = done(PK11_ReadRawAttribute(PK11_TypePrivKey, key, CKA_VALUE, &x));
    if (status == CS_OK) {
        const SECItem *y = &pub->u.dh.publicValue;

        status = cs_put_number(c->out, of->bytes, (cs_span){.data = x.data, .len = x.len});
        status |= cs_put_number(c->out + of->bytes, of->bytes, (cs_span){.data = y->data, .len = y->len});
        c->out_len = 2 * of->bytes;
    }
    SECITEM_FreeItem(&x, PR_FALSE);
    SECKEY_DestroyPrivateKey(key);
    SECKEY_DestroyPublicKey(pub);
    return status;
}

/* ---- rows ---- */

/* clang-format off */
#define FFDH_ROWS(ALGORITHM, GROUP)                                                                                    \
    {.id = ALGORITHM "/derive", .impl = "default", .name = "PK11_PubDerive CKM_DH_PKCS_DERIVE", .setup = ffdh_setup, .call = ffdh_call, .teardown = pair_teardown, .rekey = cs_setup_again, .param = &(GROUP), .open = nss_open}, \
    {.id = ALGORITHM "/keygen", .impl = "default", .name = "PK11_GenerateKeyPair CKM_DH_PKCS_KEY_PAIR_GEN", .setup = ffdh_keygen_setup, .call = ffdh_keygen_call, .param = &(GROUP), .open = nss_open, .seed = nss_seed}

static const cs_op rows[] = {
    FFDH_ROWS("dh-2048", cs_ffdhe_2048),
    FFDH_ROWS("dh-3072", cs_ffdhe_3072),
};
/* clang-format on */

const cs_table nss_ffdh = CS_TABLE(rows);
