/* SPDX-License-Identifier: Apache-2.0
 *
 * NSS: RSA signatures and encryption. Keys come in as DER, which is what the library reads: it is written here,
 * untimed.
 *
 * Entry points: SEC_SignData, VFY_VerifyDataDirect, PK11_SignWithMechanism, PK11_VerifyWithMechanism, PK11_PubEncrypt,
 * PK11_PrivDecrypt, PK11_PubEncryptPKCS1, PK11_PrivDecryptPKCS1.
 */
#include "adapter_der.h"

#include <string.h>

#include <cryptohi.h>
#include <prerror.h>
#include <secerr.h>

enum { SHA256_BYTES = 32, SALT = 32 };

/* ---- keys in DER ---- */

/* rsaEncryption with NULL: RFC 8017 appendix A.1. */
static const uint8_t algorithm[] = {SEQUENCE, 13, 0x06, 9, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1, 1, 0x05, 0};

/* PrivateKeyInfo of RFC 5208 around RSAPrivateKey. */
static SECItem private_info(struct der *der, const cs_rsa_key *of)
{
    der->at = sizeof der->bytes;
    for (int i = CS_CRT_PARTS; i-- > 0;)
        integer(der, of->part[i]);
    integer(der, of->d);
    integer(der, of->e);
    integer(der, of->n);
    push(der, zero, sizeof zero);
    head(der, SEQUENCE, sizeof der->bytes);
    head(der, OCTET_STRING, sizeof der->bytes);
    push(der, algorithm, sizeof algorithm);
    push(der, zero, sizeof zero);
    head(der, SEQUENCE, sizeof der->bytes);
    return item(der->bytes + der->at, sizeof der->bytes - der->at);
}

/* SubjectPublicKeyInfo around RSAPublicKey. */
static SECItem public_info(struct der *der, const cs_rsa_key *of)
{
    der->at = sizeof der->bytes;
    integer(der, of->e);
    integer(der, of->n);
    head(der, SEQUENCE, sizeof der->bytes);
    push_byte(der, 0); /* no unused bits */
    head(der, BIT_STRING, sizeof der->bytes);
    push(der, algorithm, sizeof algorithm);
    head(der, SEQUENCE, sizeof der->bytes);
    return item(der->bytes + der->at, sizeof der->bytes - der->at);
}

static int take(struct pair *s, const cs_rsa_key *of)
{
    struct der der;
    SECItem info, modulus = item(of->n.data, of->n.len);

    if (of->d.data != NULL) {
        info = private_info(&der, of);
        return PK11_ImportDERPrivateKeyInfoAndReturnKey(token, &info, NULL, &modulus, PR_FALSE, PR_FALSE, KU_ALL,
                                                        &s->key, NULL) == SECSuccess;
    }
    info = public_info(&der, of);
    s->pub = read_public(info.data, info.len);
    return s->pub != NULL;
}

static int rsa_setup(cs_case *c)
{
    cs_rsa_key numbers;
    struct pair *s;

    if (cs_rsa_numbers(c, &numbers) != CS_OK)
        return CS_ERROR;
    s = cs_alloc(sizeof *s);
    if (s == NULL)
        return CS_ERROR;
    c->state = s;
    if (take(s, &numbers))
        return CS_OK;
    pair_teardown(c);
    return done(SECFailure);
}

/* What is refused is the input's fault, whatever the library calls it, but for a want of memory. */
static int judged(SECStatus status)
{
    if (status != SECSuccess && PR_GetError() == SEC_ERROR_NO_MEMORY)
        return done(status);
    return status == SECSuccess ? CS_OK : CS_REJECTED;
}

/* ---- PKCS#1 v1.5 ---- */

/* The signature comes in memory of the library's. */
static int rsa_pkcs1_sign_call(cs_case *c)
{
    const struct pair *s = c->state;
    SECItem signature = item(NULL, 0);
    SECStatus status =
        SEC_SignData(&signature, c->msg.data, (int)c->msg.len, s->key, SEC_OID_PKCS1_SHA256_WITH_RSA_ENCRYPTION);

    if (status != SECSuccess)
        return done(status);
    memcpy(c->out, signature.data, signature.len);
    c->out_len = signature.len;
    SECITEM_FreeItem(&signature, PR_FALSE);
    return CS_OK;
}

static int rsa_pkcs1_verify_call(cs_case *c)
{
    const struct pair *s = c->state;
    const SECItem signature = item(c->sig.data, c->sig.len);

    return judged(VFY_VerifyDataDirect(c->msg.data, (int)c->msg.len, s->pub, &signature, SEC_OID_PKCS1_RSA_ENCRYPTION,
                                       SEC_OID_SHA256, NULL, NULL));
}

static int rsa_pkcs1_encrypt_call(cs_case *c)
{
    const struct pair *s = c->state;

    c->out_len = SECKEY_PublicKeyStrength(s->pub);
    return done(PK11_PubEncryptPKCS1(s->pub, c->out, (unsigned char *)c->msg.data, (unsigned)c->msg.len, NULL));
}

static int rsa_pkcs1_decrypt_call(cs_case *c)
{
    const struct pair *s = c->state;
    unsigned len = 0;
    SECStatus status =
        PK11_PrivDecryptPKCS1(s->key, c->out, &len, (unsigned)c->out_cap, c->msg.data, (unsigned)c->msg.len);

    c->out_len = status == SECSuccess ? len : 0;
    return judged(status);
}

/* ---- PSS ---- */

static const CK_RSA_PKCS_PSS_PARAMS pss = {.hashAlg = CKM_SHA256, .mgf = CKG_MGF1_SHA256, .sLen = SALT};

static int rsa_pss_sign_call(cs_case *c)
{
    const struct pair *s = c->state;
    uint8_t digest[SHA256_BYTES];
    SECItem hash = item(digest, sizeof digest), signature = item(c->out, c->out_cap);
    SECItem parameters = item((const uint8_t *)&pss, sizeof pss);
    SECStatus status = PK11_HashBuf(SEC_OID_SHA256, digest, c->msg.data, (PRInt32)c->msg.len);

    if (status == SECSuccess)
        status = PK11_SignWithMechanism(s->key, CKM_RSA_PKCS_PSS, &parameters, &signature, &hash);
    c->out_len = signature.len;
    return done(status);
}

static int rsa_pss_verify_call(cs_case *c)
{
    const struct pair *s = c->state;
    uint8_t digest[SHA256_BYTES];
    SECItem hash = item(digest, sizeof digest), signature = item(c->sig.data, c->sig.len);
    SECItem parameters = item((const uint8_t *)&pss, sizeof pss);
    SECStatus status = PK11_HashBuf(SEC_OID_SHA256, digest, c->msg.data, (PRInt32)c->msg.len);

    if (status != SECSuccess)
        return done(status);
    return judged(PK11_VerifyWithMechanism(s->pub, CKM_RSA_PKCS_PSS, &parameters, &signature, &hash, NULL));
}

/* ---- OAEP ---- */

static const CK_RSA_PKCS_OAEP_PARAMS oaep = {
    .hashAlg = CKM_SHA256, .mgf = CKG_MGF1_SHA256, .source = CKZ_DATA_SPECIFIED};

static int rsa_oaep_encrypt_call(cs_case *c)
{
    const struct pair *s = c->state;
    SECItem parameters = item((const uint8_t *)&oaep, sizeof oaep);
    unsigned len = 0;
    SECStatus status = PK11_PubEncrypt(s->pub, CKM_RSA_PKCS_OAEP, &parameters, c->out, &len, (unsigned)c->out_cap,
                                       c->msg.data, (unsigned)c->msg.len, NULL);

    c->out_len = len;
    return done(status);
}

static int rsa_oaep_decrypt_call(cs_case *c)
{
    const struct pair *s = c->state;
    SECItem parameters = item((const uint8_t *)&oaep, sizeof oaep);
    unsigned len = 0;
    SECStatus status = PK11_PrivDecrypt(s->key, CKM_RSA_PKCS_OAEP, &parameters, c->out, &len, (unsigned)c->out_cap,
                                        c->msg.data, (unsigned)c->msg.len);

    c->out_len = status == SECSuccess ? len : 0;
    return judged(status);
}

/* ---- rows ---- */

/* clang-format off */
#define RSA_ROW(ID, NAME, CALL)                                                                                        \
    {.id = ID, .impl = "default", .name = NAME, .setup = rsa_setup, .call = CALL, .rekey = cs_setup_again, .teardown = pair_teardown, .open = nss_open, .seed = nss_seed}
#define RSA_ROWS(BITS)                                                                                                 \
    RSA_ROW("rsa-" BITS "-pkcs1-sha256/sign", "SEC_SignData", rsa_pkcs1_sign_call),                                    \
    RSA_ROW("rsa-" BITS "-pkcs1-sha256/verify", "VFY_VerifyDataDirect", rsa_pkcs1_verify_call),                        \
    RSA_ROW("rsa-" BITS "-pss-sha256/sign", "PK11_SignWithMechanism CKM_RSA_PKCS_PSS", rsa_pss_sign_call),             \
    RSA_ROW("rsa-" BITS "-pss-sha256/verify", "PK11_VerifyWithMechanism CKM_RSA_PKCS_PSS", rsa_pss_verify_call),       \
    RSA_ROW("rsa-" BITS "-oaep-sha256/public-encrypt", "PK11_PubEncrypt CKM_RSA_PKCS_OAEP", rsa_oaep_encrypt_call),    \
    RSA_ROW("rsa-" BITS "-oaep-sha256/private-decrypt", "PK11_PrivDecrypt CKM_RSA_PKCS_OAEP", rsa_oaep_decrypt_call)

static const cs_op rows[] = {
    RSA_ROWS("2048"),
    RSA_ROWS("3072"),
    RSA_ROWS("4096"),
    RSA_ROW("rsa-2048-pkcs1/public-encrypt", "PK11_PubEncryptPKCS1", rsa_pkcs1_encrypt_call),
    RSA_ROW("rsa-2048-pkcs1/private-decrypt", "PK11_PrivDecryptPKCS1", rsa_pkcs1_decrypt_call),
};
/* clang-format on */

const cs_table nss_rsa = CS_TABLE(rows);
