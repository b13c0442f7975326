/* SPDX-License-Identifier: Apache-2.0
 *
 * NSS: certificates. What reads one also keeps it among those in memory until it is freed: the function that does not
 * is no part of the interface.
 *
 * Entry points: CERT_NewTempCertificate, CERT_GetCertTimes, CERT_FindCertExtension, CERT_DecodeBasicConstraintValue,
 * CERT_ExtractPublicKey; CERT_ChangeCertTrust, CERT_VerifyCert, CERT_VerifyCertName.
 */
#include "adapter.h"
#include "x509.h"

#include <cert.h>
#include <certdb.h>
#include <prerror.h>
#include <secerr.h>
#include <secoid.h>

/* What is refused is the input's fault, but for a want of memory. */
static int refused(void)
{
    return PR_GetError() == SEC_ERROR_NO_MEMORY ? done(SECFailure) : CS_REJECTED;
}

static cs_span span(const SECItem *bytes)
{
    return (cs_span){bytes->data, bytes->len};
}

static int put_key(cs_case *c, CERTCertificate *certificate)
{
    SECKEYPublicKey *key = CERT_ExtractPublicKey(certificate);
    int status = CS_REJECTED;

    if (key == NULL)
        return refused();
    if (cs_x509_is_rsa(c) && key->keyType == rsaKey) {
        status = cs_x509_put_rsa(c, span(&key->u.rsa.modulus), span(&key->u.rsa.publicExponent));
    } else if (!cs_x509_is_rsa(c) && key->keyType == ecKey && key->u.ec.publicValue.len == CS_P256_POINT) {
        const uint8_t *point = key->u.ec.publicValue.data;

        status = cs_x509_put_point(c, (cs_span){point + 1, CS_P256_BYTES},
                                   (cs_span){point + 1 + CS_P256_BYTES, CS_P256_BYTES});
    }
    SECKEY_DestroyPublicKey(key);
    return status;
}

/* 1 if the extension was read, or is not there. */
static int find_constraints(CERTCertificate *certificate, CERTBasicConstraints *to)
{
    SECItem bytes = {.type = siBuffer};
    SECStatus status = CERT_FindCertExtension(certificate, SEC_OID_X509_BASIC_CONSTRAINTS, &bytes);

    if (status != SECSuccess)
        return PR_GetError() == SEC_ERROR_EXTENSION_NOT_FOUND;
    status = CERT_DecodeBasicConstraintValue(to, &bytes);
    SECITEM_FreeItem(&bytes, PR_FALSE);
    return status == SECSuccess;
}

static int put_fields(cs_case *c, CERTCertificate *certificate)
{
    CERTBasicConstraints constraints = {.isCA = PR_FALSE};
    PRTime since, until;

    if (CERT_GetCertTimes(certificate, &since, &until) != SECSuccess)
        return refused();
    if (!find_constraints(certificate, &constraints))
        return refused();
    if (cs_x509_put(c, constraints.isCA != PR_FALSE, since / PR_USEC_PER_SEC, until / PR_USEC_PER_SEC,
                    span(&certificate->serialNumber)) != CS_OK)
        return CS_REJECTED;
    return put_key(c, certificate);
}

static int x509_parse_call(cs_case *c)
{
    SECItem bytes = item(c->msg.data, c->msg.len);
    CERTCertificate *certificate = CERT_NewTempCertificate(CERT_GetDefaultCertDB(), &bytes, NULL, PR_FALSE, PR_TRUE);
    int status;

    if (certificate == NULL)
        return refused();
    status = put_fields(c, certificate);
    CERT_DestroyCertificate(certificate);
    return status;
}

/* ---- a path ---- */

struct path {
    CERTCertificate *root;
    cs_span path[CS_X509_PATH];
    size_t length;
    char host[CS_X509_TEXT];
    PRTime time;
};

static void x509_verify_teardown(cs_case *c)
{
    struct path *s = c->state;

    if (s->root != NULL)
        CERT_DestroyCertificate(s->root);
    cs_free(s);
    c->state = NULL;
}

static CERTCertificate *keep(cs_span bytes)
{
    SECItem data = item(bytes.data, bytes.len);

    return CERT_NewTempCertificate(CERT_GetDefaultCertDB(), &data, NULL, PR_FALSE, PR_TRUE);
}

static int x509_verify_setup(cs_case *c)
{
    struct path *s = c->state = cs_alloc(sizeof *s);
    CERTCertTrust trust;
    SECStatus status = SECFailure;

    if (s == NULL)
        return CS_ERROR;
    /* Else a certificate is good a day before it begins. */
    CERT_SetSlopTime(0);
    /* Else later versions answer out of a cache of paths that they found good, which holds their certificates too. */
    (void)CERT_SetUsePKIXForValidation(PR_FALSE);
    s->length = cs_x509_path(c, s->path);
    s->time = cs_x509_time(cs_input(c, "time")) * PR_USEC_PER_SEC;
    s->root = keep(cs_input(c, "root"));
    if (s->root != NULL && cs_x509_text(cs_input(c, "host"), s->host) == CS_OK)
        status = CERT_DecodeTrustString(&trust, "CT,C,C");
    if (status == SECSuccess)
        status = CERT_ChangeCertTrust(CERT_GetDefaultCertDB(), s->root, &trust);
    if (status == SECSuccess)
        return CS_OK;
    x509_verify_teardown(c);
    return done(SECFailure);
}

static int x509_verify_call(cs_case *c)
{
    const struct path *s = c->state;
    CERTCertificate *path[CS_X509_PATH] = {NULL};
    SECStatus status = SECSuccess;

    for (size_t i = 0; i < s->length; i++)
        path[i] = keep(s->path[i]);
    if (path[0] == NULL)
        status = SECFailure;
    if (status == SECSuccess)
        status = CERT_VerifyCert(CERT_GetDefaultCertDB(), path[0], PR_TRUE, certUsageSSLClient, s->time, NULL, NULL);
    if (status == SECSuccess && s->host[0] != '\0')
        status = CERT_VerifyCertName(path[0], s->host);
    for (size_t i = 0; i < s->length; i++)
        if (path[i] != NULL)
            CERT_DestroyCertificate(path[i]);
    return status == SECSuccess ? CS_OK : refused();
}

/* ---- rows ---- */

/* clang-format off */
#define X509_ROWS(ALGORITHM)                                                                                           \
    {.id = ALGORITHM "/parse", .impl = "default", .name = "CERT_NewTempCertificate", .call = x509_parse_call, .open = nss_open}, \
    {.id = ALGORITHM "/verify-chain", .impl = "default", .name = "CERT_VerifyCert", .setup = x509_verify_setup, .call = x509_verify_call, .teardown = x509_verify_teardown, .open = nss_open}

static const cs_op rows[] = {
    X509_ROWS("x509-p256"),
    X509_ROWS("x509-rsa-2048"),
};
/* clang-format on */

const cs_table nss_x509 = CS_TABLE(rows);
