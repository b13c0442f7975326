/* SPDX-License-Identifier: Apache-2.0
 *
 * NSS: a certificate that its own key signs, put together as certutil does.
 *
 * Entry points: CERT_CreateName, CERT_CreateValidity, CERT_CreateCertificateRequest, CERT_CreateCertificate,
 * CERT_StartCertExtensions, CERT_AddExtension, CERT_FinishExtensions, SEC_DerSignData.
 */
#include "adapter_der.h"
#include "x509.h"

#include <string.h>

#include <cert.h>
#include <cryptohi.h>
#include <secasn1.h>
#include <secdert.h>
#include <secoid.h>

enum { FIELDS = 3 };

struct issuing {
    struct pair pair; /* is first, for pair_teardown */
    SECOidTag algorithm;
    char field[FIELDS][CS_X509_TEXT];
    cs_span serial, host;
    PRTime since, until;
};

/* ---- the key pair, from DER that is written here ---- */

static const uint8_t rsa_encryption[] = {SEQUENCE, 13, 0x06, 9, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1, 1, 0x05, 0};
static const uint8_t ec_p256[] = {SEQUENCE, 19, 0x06, 7,    0x2a, 0x86, 0x48, 0xce, 0x3d, 2, 1,
                                  0x06,     8,  0x2a, 0x86, 0x48, 0xce, 0x3d, 3,    1,    7};

static void push_algorithm(struct der *der, const cs_case *c)
{
    if (cs_x509_is_rsa(c))
        push(der, rsa_encryption, sizeof rsa_encryption);
    else
        push(der, ec_p256, sizeof ec_p256);
}

/* PrivateKeyInfo of RFC 5208. `value`: what names the key, of its public half. */
static SECKEYPrivateKey *private_key(const cs_case *c, cs_span value)
{
    uint8_t bytes[CS_X509_KEY_DER];
    size_t len = cs_x509_private_key(c, bytes);
    struct der der = {.at = sizeof der.bytes};
    SECItem info, name = item(value.data, value.len);
    SECKEYPrivateKey *key = NULL;

    push(&der, bytes, len);
    head(&der, OCTET_STRING, sizeof der.bytes);
    push_algorithm(&der, c);
    push(&der, zero, sizeof zero);
    head(&der, SEQUENCE, sizeof der.bytes);
    info = item(der.bytes + der.at, sizeof der.bytes - der.at);
    if (len == 0 || PK11_ImportDERPrivateKeyInfoAndReturnKey(token, &info, NULL, &name, PR_FALSE, PR_FALSE, KU_ALL,
                                                             &key, NULL) != SECSuccess)
        return NULL;
    return key;
}

/* SubjectPublicKeyInfo. */
static SECKEYPublicKey *public_key(const cs_case *c, const cs_rsa_key *numbers)
{
    struct der der = {.at = sizeof der.bytes};

    if (cs_x509_is_rsa(c)) {
        integer(&der, numbers->e);
        integer(&der, numbers->n);
        head(&der, SEQUENCE, sizeof der.bytes);
    } else {
        push(&der, c->pub.data, c->pub.len);
    }
    push_byte(&der, 0); /* no unused bits */
    head(&der, BIT_STRING, sizeof der.bytes);
    push_algorithm(&der, c);
    head(&der, SEQUENCE, sizeof der.bytes);
    return read_public(der.bytes + der.at, sizeof der.bytes - der.at);
}

static int read_pair(const cs_case *c, struct issuing *s)
{
    cs_rsa_key numbers;
    int rsa = cs_x509_is_rsa(c);

    if (rsa && cs_rsa_numbers(c, &numbers) != CS_OK)
        return CS_ERROR;
    s->algorithm = rsa ? SEC_OID_PKCS1_SHA256_WITH_RSA_ENCRYPTION : SEC_OID_ANSIX962_ECDSA_SHA256_SIGNATURE;
    s->pair.key = private_key(c, rsa ? numbers.n : c->pub);
    s->pair.pub = public_key(c, &numbers);
    return s->pair.key != NULL && s->pair.pub != NULL ? CS_OK : done(SECFailure);
}

static int x509_issue_setup(cs_case *c)
{
    static const char *const inputs[FIELDS] = {"name", "organization", "country"};
    struct issuing *s = c->state = cs_alloc(sizeof *s);
    int status;

    if (s == NULL)
        return CS_ERROR;
    status = read_pair(c, s);
    for (int i = 0; i < FIELDS; i++)
        status |= cs_x509_text(cs_input(c, inputs[i]), s->field[i]);
    s->serial = cs_input(c, "serial");
    s->host = cs_input(c, "host");
    s->since = cs_x509_time(cs_input(c, "since")) * PR_USEC_PER_SEC;
    s->until = cs_x509_time(cs_input(c, "until")) * PR_USEC_PER_SEC;
    if (status == CS_OK)
        return CS_OK;
    pair_teardown(c);
    return CS_ERROR;
}

/* ---- the certificate ---- */

static CERTRDN *part_of_name(PLArenaPool *arena, SECOidTag kind, int string, const char *text)
{
    CERTAVA *one = CERT_CreateAVA(arena, kind, string, (char *)(uintptr_t)text);

    return one != NULL ? CERT_CreateRDN(arena, one, NULL) : NULL;
}

static CERTName *make_name(PLArenaPool *arena, const struct issuing *s)
{
    CERTRDN *name = part_of_name(arena, SEC_OID_AVA_COMMON_NAME, SEC_ASN1_UTF8_STRING, s->field[0]);
    CERTRDN *organization = part_of_name(arena, SEC_OID_AVA_ORGANIZATION_NAME, SEC_ASN1_UTF8_STRING, s->field[1]);
    CERTRDN *country = part_of_name(arena, SEC_OID_AVA_COUNTRY_NAME, SEC_ASN1_PRINTABLE_STRING, s->field[2]);

    return name != NULL && organization != NULL && country != NULL ? CERT_CreateName(name, organization, country, NULL)
                                                                   : NULL;
}

/* All but the extensions: it goes through a request, which holds name and key. */
static CERTCertificate *make_certificate(PLArenaPool *arena, const struct issuing *s)
{
    CERTName *name = make_name(arena, s);
    CERTValidity *validity = CERT_CreateValidity(s->since, s->until);
    CERTSubjectPublicKeyInfo *info = SECKEY_CreateSubjectPublicKeyInfo(s->pair.pub);
    CERTCertificateRequest *request = NULL;
    CERTCertificate *certificate = NULL;

    if (name != NULL && validity != NULL && info != NULL)
        request = CERT_CreateCertificateRequest(name, info, NULL);
    /* Its own argument for the serial number has as many bits as a long; the number itself is put in after. */
    if (request != NULL)
        certificate = CERT_CreateCertificate(1, name, validity, request);
    if (certificate != NULL) {
        certificate->serialNumber = item(s->serial.data, s->serial.len);
        certificate->serialNumber.type = siUnsignedInteger;
    }
    if (request != NULL)
        CERT_DestroyCertificateRequest(request);
    if (info != NULL)
        SECKEY_DestroySubjectPublicKeyInfo(info);
    if (validity != NULL)
        CERT_DestroyValidity(validity);
    if (name != NULL)
        CERT_DestroyName(name);
    return certificate;
}

static SECStatus add_extensions(PLArenaPool *arena, CERTCertificate *certificate, cs_span host)
{
    static const uint8_t digital_signature[] = {KU_DIGITAL_SIGNATURE};
    CERTBasicConstraints constraints = {.isCA = PR_FALSE, .pathLenConstraint = CERT_UNLIMITED_PATH_CONSTRAINT};
    CERTGeneralName name = {.type = certDNSName, .name.other = item(host.data, host.len)};
    SECItem usage = item(digital_signature, sizeof digital_signature), encoded = item(NULL, 0), names = item(NULL, 0);
    void *all = CERT_StartCertExtensions(certificate);
    SECStatus status;

    if (all == NULL)
        return SECFailure;
    PR_INIT_CLIST(&name.l);
    status = CERT_EncodeBasicConstraintValue(arena, &constraints, &encoded);
    if (status == SECSuccess)
        status = CERT_AddExtension(all, SEC_OID_X509_BASIC_CONSTRAINTS, &encoded, PR_TRUE, PR_TRUE);
    if (status == SECSuccess)
        status = CERT_EncodeAndAddBitStrExtension(all, SEC_OID_X509_KEY_USAGE, &usage, PR_TRUE);
    if (status == SECSuccess)
        status = CERT_EncodeAltNameExtension(arena, &name, &names);
    if (status == SECSuccess)
        status = CERT_AddExtension(all, SEC_OID_X509_SUBJECT_ALT_NAME, &names, PR_FALSE, PR_TRUE);
    /* Also frees what holds them. */
    return CERT_FinishExtensions(all) == SECSuccess ? status : SECFailure;
}

static SECStatus sign(PLArenaPool *arena, const struct issuing *s, CERTCertificate *certificate, SECItem *signed_der)
{
    SECItem to_be_signed = item(NULL, 0);

    if (SECOID_SetAlgorithmID(arena, &certificate->signature, s->algorithm, NULL) != SECSuccess ||
        SEC_ASN1EncodeItem(arena, &to_be_signed, certificate, SEC_ASN1_GET(CERT_CertificateTemplate)) == NULL)
        return SECFailure;
    return SEC_DerSignData(arena, signed_der, to_be_signed.data, (int)to_be_signed.len, s->pair.key, s->algorithm);
}

static int x509_issue_call(cs_case *c)
{
    const struct issuing *s = c->state;
    PLArenaPool *arena = PORT_NewArena(DER_DEFAULT_CHUNKSIZE);
    CERTCertificate *certificate = arena != NULL ? make_certificate(arena, s) : NULL;
    SECItem der = item(NULL, 0);
    int status = CS_ERROR;

    if (certificate == NULL || add_extensions(arena, certificate, s->host) != SECSuccess ||
        sign(arena, s, certificate, &der) != SECSuccess) {
        status = done(SECFailure);
    } else if (der.len > c->out_cap) {
        status = cs_fail("the certificate is longer than its room");
    } else {
        memcpy(c->out, der.data, der.len);
        c->out_len = der.len;
        status = CS_OK;
    }
    if (certificate != NULL)
        CERT_DestroyCertificate(certificate);
    if (arena != NULL)
        PORT_FreeArena(arena, PR_FALSE);
    return status;
}

/* ---- rows ---- */

/* clang-format off */
static const cs_op rows[] = {
    {.id = "x509-p256/issue", .impl = "default", .name = "CERT_CreateCertificate, SEC_DerSignData", .setup = x509_issue_setup, .call = x509_issue_call, .teardown = pair_teardown, .open = nss_open, .seed = nss_seed},
    {.id = "x509-rsa-2048/issue", .impl = "default", .name = "CERT_CreateCertificate, SEC_DerSignData", .setup = x509_issue_setup, .call = x509_issue_call, .teardown = pair_teardown, .open = nss_open, .seed = nss_seed},
};
/* clang-format on */

const cs_table nss_issue = CS_TABLE(rows);
