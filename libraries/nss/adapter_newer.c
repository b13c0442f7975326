/* SPDX-License-Identifier: Apache-2.0
 *
 * NSS: Ed25519 and ML-KEM-768, of 3.110 and later. A private key of ML-KEM has no encoding that the library reads: it
 * becomes an object of the token's by its attributes, and is found by the name it is given.
 *
 * Entry points: PK11_Sign, PK11_Verify, PK11_GenerateKeyPair, PK11_Encapsulate, PK11_Decapsulate, PK11_ImportPublicKey,
 * PK11_CreateGenericObject, PK11_FindKeyByKeyID.
 */
#include "adapter.h"

#include <nss.h>

/* As 3.110 has them, of which it is known. */
#if NSS_VMAJOR > 3 || (NSS_VMAJOR == 3 && NSS_VMINOR >= 110)

#include <string.h>

#include <prerror.h>
#include <secerr.h>
#include <secitem.h>
#include <secport.h>

enum { ED25519_BYTES = 32, ED25519_SIGNATURE = 64, SECRET = 32, CIPHERTEXT = 1088 };

/* RFC 8410: what is before the number in PKCS#8, and before the point in a SubjectPublicKeyInfo. */
static const uint8_t ed25519_private[] = {0x30, 0x2e, 0x02, 0x01, 0x00, 0x30, 0x05, 0x06,
                                          0x03, 0x2b, 0x65, 0x70, 0x04, 0x22, 0x04, 0x20};
static const uint8_t ed25519_public[] = {0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00};
static const uint8_t ed25519_name[] = {0x06, 0x03, 0x2b, 0x65, 0x70};

static struct pair *new_pair(cs_case *c)
{
    c->state = cs_alloc(sizeof(struct pair));
    return c->state;
}

static int fail(cs_case *c)
{
    pair_teardown(c);
    return done(SECFailure);
}

/* ---- Ed25519 ---- */

static int ed25519_sign_setup(cs_case *c)
{
    uint8_t der[sizeof ed25519_private + ED25519_BYTES];
    SECItem info;
    struct pair *s = new_pair(c);

    if (s == NULL)
        return CS_ERROR;
    memcpy(der, ed25519_private, sizeof ed25519_private);
    memcpy(der + sizeof ed25519_private, c->key.data, ED25519_BYTES);
    info = item(der, sizeof der);
    c->out_len = ED25519_SIGNATURE;
    if (PK11_ImportDERPrivateKeyInfoAndReturnKey(token, &info, NULL, NULL, PR_FALSE, PR_FALSE, KU_ALL, &s->key, NULL) !=
        SECSuccess)
        return fail(c);
    return CS_OK;
}

static int ed25519_sign_call(cs_case *c)
{
    const struct pair *s = c->state;
    const SECItem message = item(c->msg.data, c->msg.len);
    SECItem signature = item(c->out, ED25519_SIGNATURE);

    return done(PK11_Sign(s->key, &signature, &message));
}

static int ed25519_verify_setup(cs_case *c)
{
    uint8_t der[sizeof ed25519_public + ED25519_BYTES];
    struct pair *s = new_pair(c);

    if (s == NULL)
        return CS_ERROR;
    memcpy(der, ed25519_public, sizeof ed25519_public);
    memcpy(der + sizeof ed25519_public, c->pub.data, ED25519_BYTES);
    s->pub = read_public(der, sizeof der);
    return s->pub != NULL ? CS_OK : fail(c);
}

static int ed25519_verify_call(cs_case *c)
{
    const struct pair *s = c->state;
    const SECItem message = item(c->msg.data, c->msg.len), signature = item(c->sig.data, c->sig.len);
    const SECStatus status = PK11_Verify(s->pub, &signature, &message, NULL);

    if (status != SECSuccess && PR_GetError() == SEC_ERROR_NO_MEMORY)
        return done(status);
    return status == SECSuccess ? CS_OK : CS_REJECTED;
}

/* ---- keys ---- */

/* The private value, and then the public one. */
static int generate(cs_case *c, CK_MECHANISM_TYPE mechanism, void *parameters,
                    const SECItem *(*value)(SECKEYPublicKey *))
{
    SECKEYPublicKey *pub = NULL;
    SECKEYPrivateKey *key = PK11_GenerateKeyPair(token, mechanism, parameters, &pub, PR_FALSE, PR_FALSE, NULL);
    SECItem number = item(NULL, 0);
    const SECItem *point;
    SECStatus status;

    if (key == NULL)
        return done(SECFailure);
    status = PK11_ReadRawAttribute(PK11_TypePrivKey, key, CKA_VALUE, &number);
    if (status == SECSuccess) {
        point = value(pub);
        memcpy(c->out, number.data, number.len);
        memcpy(c->out + number.len, point->data, point->len);
        c->out_len = number.len + point->len;
        SECITEM_FreeItem(&number, PR_FALSE);
    }
    SECKEY_DestroyPrivateKey(key);
    SECKEY_DestroyPublicKey(pub);
    return done(status);
}

static const SECItem *point_of(SECKEYPublicKey *pub)
{
    return &pub->u.ec.publicValue;
}

static const SECItem *vector_of(SECKEYPublicKey *pub)
{
    return &pub->u.kyber.publicValue;
}

static int ed25519_keygen_call(cs_case *c)
{
    SECItem curve = item(ed25519_name, sizeof ed25519_name);

    return generate(c, CKM_EC_EDWARDS_KEY_PAIR_GEN, &curve, point_of);
}

static int mlkem_keygen_call(cs_case *c)
{
    CK_NSS_KEM_PARAMETER_SET_TYPE set = CKP_NSS_ML_KEM_768;

    return generate(c, CKM_NSS_ML_KEM_KEY_PAIR_GEN, &set, vector_of);
}

/* ---- ML-KEM ---- */

/* A public key has no encoding either: it is filled here, as the library's own TLS does. */
static int mlkem_encaps_setup(cs_case *c)
{
    const SECItem value = item(c->pub.data, c->pub.len);
    PLArenaPool *arena = PORT_NewArena(DER_DEFAULT_CHUNKSIZE);
    struct pair *s = new_pair(c);

    if (s == NULL || arena == NULL || (s->pub = PORT_ArenaZNew(arena, SECKEYPublicKey)) == NULL) {
        if (arena != NULL)
            PORT_FreeArena(arena, PR_FALSE);
        return s == NULL ? CS_ERROR : fail(c);
    }
    s->pub->arena = arena;
    s->pub->keyType = kyberKey;
    s->pub->pkcs11ID = CK_INVALID_HANDLE;
    s->pub->u.kyber.params = params_ml_kem768;
    c->out_len = CIPHERTEXT + SECRET;
    if (SECITEM_CopyItem(arena, &s->pub->u.kyber.publicValue, &value) != SECSuccess ||
        PK11_ImportPublicKey(token, s->pub, PR_FALSE) == CK_INVALID_HANDLE)
        return fail(c);
    return CS_OK;
}

/* The secret is a key of the token's: its bytes are asked for. */
static SECStatus take(PK11SymKey *secret, uint8_t *out)
{
    const SECStatus status = PK11_ExtractKeyValue(secret);

    if (status == SECSuccess)
        memcpy(out, PK11_GetKeyData(secret)->data, SECRET);
    PK11_FreeSymKey(secret);
    return status;
}

static const PK11AttrFlags readable = PK11_ATTR_SESSION | PK11_ATTR_INSENSITIVE | PK11_ATTR_PUBLIC;

/* A key whose numbers are not reduced is refused here, where it is first read. */
static int mlkem_encaps_call(cs_case *c)
{
    const struct pair *s = c->state;
    PK11SymKey *secret = NULL;
    SECItem *ciphertext = NULL;

    if (PK11_Encapsulate(s->pub, CKM_HKDF_DERIVE, readable, CKF_DERIVE, &secret, &ciphertext) != SECSuccess)
        return PR_GetError() == SEC_ERROR_NO_MEMORY ? done(SECFailure) : CS_BAD_KEY;
    memcpy(c->out, ciphertext->data, CIPHERTEXT);
    SECITEM_FreeItem(ciphertext, PR_TRUE);
    return done(take(secret, c->out + CIPHERTEXT));
}

static int mlkem_decaps_setup(cs_case *c)
{
    static uint32_t last;
    uint32_t name = ++last;
    CK_OBJECT_CLASS class = CKO_PRIVATE_KEY;
    CK_KEY_TYPE type = CKK_NSS_ML_KEM;
    CK_NSS_KEM_PARAMETER_SET_TYPE set = CKP_NSS_ML_KEM_768;
    CK_BBOOL no = CK_FALSE;
    CK_ATTRIBUTE attributes[] = {
        {CKA_CLASS, &class, sizeof class},
        {CKA_KEY_TYPE, &type, sizeof type},
        {CKA_NSS_PARAMETER_SET, &set, sizeof set},
        {CKA_ID, &name, sizeof name},
        {CKA_TOKEN, &no, sizeof no},
        {CKA_PRIVATE, &no, sizeof no},
        {CKA_SENSITIVE, &no, sizeof no},
        {CKA_VALUE, (void *)c->key.data, c->key.len},
    };
    SECItem id = item((const uint8_t *)&name, sizeof name);
    struct pair *s = new_pair(c);
    PK11GenericObject *object;

    if (s == NULL)
        return CS_ERROR;
    object = PK11_CreateGenericObject(token, attributes, CS_COUNT(attributes), PR_FALSE);
    if (object == NULL)
        return fail(c);
    s->key = PK11_FindKeyByKeyID(token, &id, NULL);
    (void)PK11_DestroyGenericObject(object);
    c->out_len = SECRET;
    return s->key != NULL ? CS_OK : fail(c);
}

/* Of a ciphertext of the right length nothing is refused (FIPS 203 section 7.3): then it is the key. */
static int mlkem_decaps_call(cs_case *c)
{
    const struct pair *s = c->state;
    const SECItem ciphertext = item(c->msg.data, c->msg.len);
    PK11SymKey *secret = NULL;

    if (PK11_Decapsulate(s->key, &ciphertext, CKM_HKDF_DERIVE, readable, CKF_DERIVE, &secret) != SECSuccess)
        return PR_GetError() == SEC_ERROR_NO_MEMORY ? done(SECFailure)
               : c->msg.len == CIPHERTEXT           ? CS_BAD_KEY
                                                    : CS_REJECTED;
    return done(take(secret, c->out));
}

/* ---- rows ---- */

/* clang-format off */
static const cs_op rows[] = {
    {.id = "ed25519/sign", .impl = "default", .name = "PK11_Sign CKM_EDDSA", .setup = ed25519_sign_setup, .call = ed25519_sign_call, .teardown = pair_teardown, .rekey = cs_setup_again, .open = nss_open},
    {.id = "ed25519/verify", .impl = "default", .name = "PK11_Verify CKM_EDDSA", .setup = ed25519_verify_setup, .call = ed25519_verify_call, .teardown = pair_teardown, .rekey = cs_setup_again, .open = nss_open},
    {.id = "ed25519/keygen", .impl = "default", .name = "PK11_GenerateKeyPair CKM_EC_EDWARDS_KEY_PAIR_GEN", .setup = keygen_setup, .call = ed25519_keygen_call, .open = nss_open, .seed = nss_seed},
    {.id = "ml-kem-768/keygen", .impl = "default", .name = "PK11_GenerateKeyPair CKM_NSS_ML_KEM_KEY_PAIR_GEN", .setup = keygen_setup, .call = mlkem_keygen_call, .open = nss_open, .seed = nss_seed},
    {.id = "ml-kem-768/encaps", .impl = "default", .name = "PK11_Encapsulate", .setup = mlkem_encaps_setup, .call = mlkem_encaps_call, .teardown = pair_teardown, .rekey = cs_setup_again, .open = nss_open, .seed = nss_seed},
    {.id = "ml-kem-768/decaps", .impl = "default", .name = "PK11_Decapsulate", .setup = mlkem_decaps_setup, .call = mlkem_decaps_call, .teardown = pair_teardown, .rekey = cs_setup_again, .open = nss_open},
};
/* clang-format on */

const cs_table nss_newer = CS_TABLE(rows);
#else
const cs_table nss_newer = {NULL, 0};
#endif
