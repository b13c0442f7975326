/* SPDX-License-Identifier: Apache-2.0
 *
 * NSS: DSA. Keys come in as DER, which is what the library reads: it is written here, untimed.
 *
 * Entry points: SEC_SignData, VFY_VerifyDataDirect, PK11_GenerateKeyPair, PK11_ReadRawAttribute.
 */
#include "adapter_der.h"
#include "dsa.h"

#include <string.h>

#include <cryptohi.h>
#include <pk11pqg.h>
#include <prerror.h>
#include <secerr.h>
#include <secmodt.h>

/* id-dsa of RFC 3279 section 2.3.2. */
static const uint8_t id_dsa[] = {0x06, 7, 0x2a, 0x86, 0x48, 0xce, 0x38, 4, 1};

/* The algorithm with its domain parameters, in front of what is there. */
static void push_algorithm(struct der *der, const cs_dsa_key *of)
{
    const size_t end = der->at;

    integer(der, of->g);
    integer(der, of->q);
    integer(der, of->p);
    head(der, SEQUENCE, end);
    push(der, id_dsa, sizeof id_dsa);
    head(der, SEQUENCE, end);
}

/* PrivateKeyInfo of RFC 5208 around x. */
static SECItem private_info(struct der *der, const cs_dsa_key *of)
{
    der->at = sizeof der->bytes;
    integer(der, of->x);
    head(der, OCTET_STRING, sizeof der->bytes);
    push_algorithm(der, of);
    push(der, zero, sizeof zero);
    head(der, SEQUENCE, sizeof der->bytes);
    return item(der->bytes + der->at, sizeof der->bytes - der->at);
}

/* SubjectPublicKeyInfo around y. */
static SECItem public_info(struct der *der, const cs_dsa_key *of)
{
    der->at = sizeof der->bytes;
    integer(der, of->y);
    push_byte(der, 0); /* no unused bits */
    head(der, BIT_STRING, sizeof der->bytes);
    push_algorithm(der, of);
    head(der, SEQUENCE, sizeof der->bytes);
    return item(der->bytes + der->at, sizeof der->bytes - der->at);
}

static int take(struct pair *s, const cs_dsa_key *of)
{
    struct der der;
    SECItem info, public_value = item(of->y.data, of->y.len);

    if (of->x.data != NULL) {
        info = private_info(&der, of);
        return PK11_ImportDERPrivateKeyInfoAndReturnKey(token, &info, NULL, &public_value, PR_FALSE, PR_FALSE, KU_ALL,
                                                        &s->key, NULL) == SECSuccess;
    }
    info = public_info(&der, of);
    s->pub = read_public(info.data, info.len);
    return s->pub != NULL;
}

static int dsa_setup(cs_case *c)
{
    const cs_dsa_key numbers = cs_dsa_numbers(c);
    struct pair *s = cs_alloc(sizeof *s);

    if (s == NULL)
        return CS_ERROR;
    c->state = s;
    if (take(s, &numbers))
        return CS_OK;
    pair_teardown(c);
    return done(SECFailure);
}

/* The signature comes in memory of the library's. */
static int dsa_sign_call(cs_case *c)
{
    const struct pair *s = c->state;
    SECItem signature = item(NULL, 0);
    SECStatus status =
        SEC_SignData(&signature, c->msg.data, (int)c->msg.len, s->key, SEC_OID_NIST_DSA_SIGNATURE_WITH_SHA256_DIGEST);

    if (status != SECSuccess)
        return done(status);
    memcpy(c->out, signature.data, signature.len);
    c->out_len = signature.len;
    SECITEM_FreeItem(&signature, PR_FALSE);
    return CS_OK;
}

/* What cannot be read as a signature is none, whatever the library calls it. */
static int dsa_verify_call(cs_case *c)
{
    const struct pair *s = c->state;
    const SECItem signature = item(c->sig.data, c->sig.len);
    SECStatus status = VFY_VerifyDataDirect(c->msg.data, (int)c->msg.len, s->pub, &signature,
                                            SEC_OID_ANSIX9_DSA_SIGNATURE, SEC_OID_SHA256, NULL, NULL);

    if (status != SECSuccess && PR_GetError() == SEC_ERROR_NO_MEMORY)
        return done(status);
    return status == SECSuccess ? CS_OK : CS_REJECTED;
}

/* ---- key generation ---- */

static int dsa_keygen_setup(cs_case *c)
{
    const cs_dsa_key *of = &cs_dsa_rfc5114;
    const SECItem p = item(of->p.data, of->p.len), q = item(of->q.data, of->q.len), g = item(of->g.data, of->g.len);

    c->state = PK11_PQG_NewParams(&p, &q, &g);
    return done(c->state != NULL ? SECSuccess : SECFailure);
}

static void dsa_keygen_teardown(cs_case *c)
{
    PK11_PQG_DestroyParams(c->state);
    c->state = NULL;
}

static cs_span span(const SECItem *number)
{
    return (cs_span){.data = number->data, .len = number->len};
}

/* The pair is an object of the token's, made for the session; the private number is read out of it. */
static int dsa_keygen_call(cs_case *c)
{
    SECKEYPublicKey *pub = NULL;
    SECKEYPrivateKey *key = PK11_GenerateKeyPair(token, CKM_DSA_KEY_PAIR_GEN, c->state, &pub, PR_FALSE, PR_FALSE, NULL);
    SECItem x = item(NULL, 0);
    int status;

    if (key == NULL)
        return done(SECFailure);
    status = done(PK11_ReadRawAttribute(PK11_TypePrivKey, key, CKA_VALUE, &x));
    if (status == CS_OK)
        status = cs_dsa_put_pair(c, span(&x), span(&pub->u.dsa.publicValue));
    SECITEM_FreeItem(&x, PR_FALSE);
    SECKEY_DestroyPrivateKey(key);
    SECKEY_DestroyPublicKey(pub);
    return status;
}

/* ---- rows ---- */

/* clang-format off */
static const cs_op rows[] = {
    {.id = "dsa-2048-sha256/sign", .impl = "default", .name = "SEC_SignData", .setup = dsa_setup, .call = dsa_sign_call, .rekey = cs_setup_again, .teardown = pair_teardown, .form = "der", .open = nss_open, .seed = nss_seed},
    {.id = "dsa-2048-sha256/verify", .impl = "default", .name = "VFY_VerifyDataDirect", .setup = dsa_setup, .call = dsa_verify_call, .rekey = cs_setup_again, .teardown = pair_teardown, .form = "der", .open = nss_open, .seed = nss_seed},
    {.id = "dsa-2048-sha256/keygen", .impl = "default", .name = "PK11_GenerateKeyPair CKM_DSA_KEY_PAIR_GEN", .setup = dsa_keygen_setup, .call = dsa_keygen_call, .teardown = dsa_keygen_teardown, .open = nss_open, .seed = nss_seed},
};
/* clang-format on */

const cs_table nss_dsa = CS_TABLE(rows);
