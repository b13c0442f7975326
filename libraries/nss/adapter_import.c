/* SPDX-License-Identifier: Apache-2.0
 *
 * NSS: keys out of DER. A private key is an object of the software token. A call frees the key of the call before.
 *
 * Entry points: SECKEY_DecodeDERSubjectPublicKeyInfo, SECKEY_ExtractPublicKey,
 * PK11_ImportDERPrivateKeyInfoAndReturnKey.
 */
#include "adapter.h"

#include <string.h>

#include <prerror.h>
#include <secerr.h>

enum { EXPONENT = 4 };

/* The row's `param`. */
static KeyType kind_of(const cs_case *c)
{
    return *(const KeyType *)c->op->param;
}

static int import_setup(cs_case *c)
{
    c->state = cs_alloc(sizeof(struct pair));
    return c->state != NULL ? CS_OK : CS_ERROR;
}

static void forget(struct pair *s)
{
    if (s->key != NULL)
        SECKEY_DestroyPrivateKey(s->key);
    if (s->pub != NULL)
        SECKEY_DestroyPublicKey(s->pub);
    s->key = NULL;
    s->pub = NULL;
}

/* What is refused is the input's fault, but for a want of memory, which is also what the library calls a private key
 * that names no curve. */
static int refused(const cs_case *c)
{
    const int memory = PR_GetError() == SEC_ERROR_NO_MEMORY && kind_of(c) != ecKey;

    forget(c->state);
    return memory ? done(SECFailure) : CS_REJECTED;
}

static int import_public_call(cs_case *c)
{
    struct pair *s = c->state;
    SECItem bytes = item(c->msg.data, c->msg.len);
    CERTSubjectPublicKeyInfo *info;

    forget(s);
    info = SECKEY_DecodeDERSubjectPublicKeyInfo(&bytes);
    if (info != NULL) {
        s->pub = SECKEY_ExtractPublicKey(info);
        SECKEY_DestroySubjectPublicKeyInfo(info);
    }
    return s->pub != NULL && s->pub->keyType == kind_of(c) ? CS_OK : refused(c);
}

static int import_private_call(cs_case *c)
{
    struct pair *s = c->state;
    SECItem bytes = item(c->msg.data, c->msg.len);

    forget(s);
    if (PK11_ImportDERPrivateKeyInfoAndReturnKey(token, &bytes, NULL, NULL, PR_FALSE, PR_FALSE, KU_ALL, &s->key,
                                                 NULL) != SECSuccess)
        return refused(c);
    return s->key != NULL && s->key->keyType == kind_of(c) ? CS_OK : refused(c);
}

/* Right-aligned in `len` bytes. 1 if it fits. */
static int put(uint8_t *at, size_t len, const SECItem *number)
{
    size_t skip = 0;

    while (skip < number->len && number->data[skip] == 0)
        skip++;
    if (number->len - skip > len)
        return 0;
    memset(at, 0, len);
    memcpy(at + len - (number->len - skip), number->data + skip, number->len - skip);
    return 1;
}

static int finished(cs_case *c, int fits)
{
    forget(c->state);
    c->out_len = c->out_cap;
    return fits ? CS_OK : cs_fail("the key's numbers cannot be read");
}

static int import_public_finish(cs_case *c)
{
    const struct pair *s = c->state;
    size_t len = c->out_cap - EXPONENT;

    return finished(c, put(c->out, len, &s->pub->u.rsa.modulus) &&
                           put(c->out + len, EXPONENT, &s->pub->u.rsa.publicExponent));
}

static int put_attribute(const struct pair *s, CK_ATTRIBUTE_TYPE name, uint8_t *at, size_t len)
{
    SECItem found = {siBuffer, NULL, 0};
    int fits;

    if (PK11_ReadRawAttribute(PK11_TypePrivKey, s->key, name, &found) != SECSuccess)
        return 0;
    fits = put(at, len, &found);
    SECITEM_ZfreeItem(&found, PR_FALSE);
    return fits;
}

static int import_private_finish(cs_case *c)
{
    const struct pair *s = c->state;
    size_t len = c->out_cap / 2;

    return finished(c, put_attribute(s, CKA_PRIME_1, c->out, len) && put_attribute(s, CKA_PRIME_2, c->out + len, len));
}

static int import_point_finish(cs_case *c)
{
    const struct pair *s = c->state;
    const SECItem *point = &s->pub->u.ec.publicValue;

    return finished(c, point->len == c->out_cap && put(c->out, c->out_cap, point));
}

static int import_scalar_finish(cs_case *c)
{
    return finished(c, put_attribute(c->state, CKA_VALUE, c->out, c->out_cap));
}

/* ---- rows ---- */

/* clang-format off */
#define IMPORT_ROW(ID, NAME, CALL, FINISH, KIND)                                                                       \
    {.id = ID, .impl = "default", .name = NAME, .setup = import_setup, .call = import_##CALL##_call, .finish = import_##FINISH##_finish, .teardown = pair_teardown, .param = &(const KeyType){KIND}, .open = nss_open, .seed = nss_seed}
#define IMPORT_ROWS(KEYS, PUBLIC, PRIVATE, KIND)                                                                       \
    IMPORT_ROW(KEYS "-spki/import-public", "SECKEY_DecodeDERSubjectPublicKeyInfo", public, PUBLIC, KIND),              \
    IMPORT_ROW(KEYS "-pkcs8/import-private", "PK11_ImportDERPrivateKeyInfoAndReturnKey", private, PRIVATE, KIND)

static const cs_op rows[] = {
    IMPORT_ROWS("rsa-2048", public, private, rsaKey),
    IMPORT_ROWS("rsa-4096", public, private, rsaKey),
    IMPORT_ROWS("p-256", point, scalar, ecKey),
};
/* clang-format on */

const cs_table nss_import = CS_TABLE(rows);
