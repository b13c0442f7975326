/* SPDX-License-Identifier: Apache-2.0
 *
 * wolfSSL: certificates, through wolfCrypt.
 *
 * Entry points: wc_InitDecodedCert, wc_ParseCert, wc_FreeDecodedCert; wc_InitCert, wc_MakeCert_ex, wc_SignCert_ex.
 */
#include "adapter.h"

#include <string.h>

#include <wolfssl/wolfcrypt/asn.h>
#include <wolfssl/wolfcrypt/asn_public.h>
#include <wolfssl/wolfcrypt/ecc.h>
#include <wolfssl/wolfcrypt/rsa.h>

#include "x509.h"

/* ---- parsing ---- */

static int x509_parse_setup(cs_case *c)
{
    return cs_new_state(c, sizeof(DecodedCert)) != NULL ? CS_OK : CS_ERROR;
}

/* What is refused is the input's fault, but for a want of memory. */
static int judged(int error)
{
    if (error == MEMORY_E)
        return from_wc(error);
    return error == 0 ? CS_OK : CS_REJECTED;
}

/* 1 if done. */
static int seconds_of(const byte *date, int len, int64_t *to)
{
    const byte *text;
    byte format;
    int text_len;
    struct tm t;

    if (wc_GetDateInfo(date, len, &text, &format, &text_len) != 0 ||
        wc_GetDateAsCalendarTime(text, text_len, format, &t) != 0)
        return 0;
    *to = cs_x509_seconds(t.tm_year + 1900, t.tm_mon + 1, t.tm_mday, t.tm_hour, t.tm_min, t.tm_sec);
    return 1;
}

static int put_rsa(cs_case *c, const DecodedCert *from)
{
    byte n[CS_X509_RSA_MODULUS], e[CS_RSA_EXPONENT];
    word32 at = 0, n_len = sizeof n, e_len = sizeof e;
    RsaKey key;
    int error = wc_InitRsaKey(&key, NULL);

    if (error != 0)
        return from_wc(error);
    error = wc_RsaPublicKeyDecode(from->publicKey, &at, &key, from->pubKeySize);
    if (error == 0)
        error = wc_RsaFlattenPublicKey(&key, e, &e_len, n, &n_len);
    (void)wc_FreeRsaKey(&key);
    return error == 0 ? cs_x509_put_rsa(c, (cs_span){n, n_len}, (cs_span){e, e_len}) : judged(error);
}

static int put_point(cs_case *c, const DecodedCert *from)
{
    byte point[CS_P256_POINT];
    word32 at = 0, len = sizeof point;
    ecc_key key;
    int error = wc_ecc_init(&key);

    if (error != 0)
        return from_wc(error);
    error = wc_EccPublicKeyDecode(from->publicKey, &at, &key, from->pubKeySize);
    if (error == 0 && wc_ecc_get_curve_id(key.idx) != ECC_SECP256R1)
        error = ECC_CURVE_OID_E;
    if (error == 0)
        error = wc_ecc_export_x963(&key, point, &len);
    (void)wc_ecc_free(&key);
    if (error != 0)
        return judged(error);
    return cs_x509_put_point(c, (cs_span){point + 1, CS_P256_BYTES},
                             (cs_span){point + 1 + CS_P256_BYTES, CS_P256_BYTES});
}

static int put_fields(cs_case *c, const DecodedCert *from)
{
    int rsa = cs_x509_is_rsa(c);
    int64_t since, until;

    if (from->keyOID != (word32)(rsa ? RSAk : ECDSAk) || !seconds_of(from->beforeDate, from->beforeDateLen, &since) ||
        !seconds_of(from->afterDate, from->afterDateLen, &until) ||
        cs_x509_put(c, from->isCA, since, until, (cs_span){from->serial, (size_t)from->serialSz}) != CS_OK)
        return CS_REJECTED;
    return rsa ? put_rsa(c, from) : put_point(c, from);
}

static int x509_parse_call(cs_case *c)
{
    DecodedCert *certificate = c->state;
    int error, status;

    wc_InitDecodedCert(certificate, c->msg.data, (word32)c->msg.len, NULL);
    error = wc_ParseCert(certificate, CERT_TYPE, NO_VERIFY, NULL);
    status = error == 0 ? put_fields(c, certificate) : judged(error);
    wc_FreeDecodedCert(certificate);
    return status;
}

/* ---- issuing ---- */

/* The extension for the use of a key is there with --enable-certext alone. */
#if defined(WOLFSSL_CERT_GEN) && defined(WOLFSSL_CERT_EXT) && defined(WOLFSSL_ALT_NAMES)
#define CAN_ISSUE 1

struct issuing {
    Cert certificate;
    RsaKey rsa;
    ecc_key ec;
    int is_rsa;
    char field[3][CS_X509_TEXT];
    cs_span serial, host;
    byte since[CS_X509_DATE + 2], until[CS_X509_DATE + 2];
};

static void x509_issue_teardown(cs_case *c)
{
    struct issuing *s = c->state;

    (void)wc_FreeRsaKey(&s->rsa);
    (void)wc_ecc_free(&s->ec);
    cs_teardown_state(c);
}

/* UTCTime until 2049, then GeneralizedTime, as the library copies it: with tag and length. */
static void put_date(byte *to, cs_span input)
{
    char text[CS_X509_DATE];
    int utc;

    cs_x509_date(cs_x509_time(input), text);
    utc = memcmp(text, "2050", 4) < 0;
    to[0] = utc ? 0x17 : 0x18;
    to[1] = utc ? 13 : 15;
    memcpy(to + 2, text + (utc ? 2 : 0), to[1]);
}

static int read_key(const cs_case *c, struct issuing *s)
{
    byte bytes[CS_X509_KEY_DER];
    word32 at = 0, len = (word32)cs_x509_private_key(c, bytes);

    return s->is_rsa ? wc_RsaPrivateKeyDecode(bytes, &at, &s->rsa, len)
                     : wc_EccPrivateKeyDecode(bytes, &at, &s->ec, len);
}

static int x509_issue_setup(cs_case *c)
{
    static const char *const inputs[] = {"name", "organization", "country"};
    struct issuing *s = cs_new_state(c, sizeof *s);
    int error;

    if (s == NULL)
        return CS_ERROR;
    s->is_rsa = cs_x509_is_rsa(c);
    error = wc_InitRsaKey(&s->rsa, NULL);
    if (error == 0)
        error = wc_ecc_init(&s->ec);
    if (error == 0)
        error = read_key(c, s);
#ifdef WC_RSA_BLINDING
    if (error == 0 && s->is_rsa)
        error = wc_RsaSetRNG(&s->rsa, &random_state);
#endif
    for (size_t i = 0; i < CS_COUNT(inputs) && error == 0; i++)
        error = cs_x509_text(cs_input(c, inputs[i]), s->field[i]) == CS_OK && cs_input(c, inputs[i]).len < CTC_NAME_SIZE
                    ? 0
                    : BAD_FUNC_ARG;
    s->serial = cs_input(c, "serial");
    s->host = cs_input(c, "host");
    if (error == 0 && (s->serial.len > CTC_SERIAL_SIZE || s->host.len > 125))
        error = BAD_FUNC_ARG;
    put_date(s->since, cs_input(c, "since"));
    put_date(s->until, cs_input(c, "until"));
    if (error == 0)
        return CS_OK;
    x509_issue_teardown(c);
    return from_wc(error);
}

static void put_name(CertName *to, const struct issuing *s)
{
    strcpy(to->commonName, s->field[0]);
    strcpy(to->org, s->field[1]);
    strcpy(to->country, s->field[2]);
    to->commonNameEnc = to->orgEnc = CTC_UTF8;
}

static void put_alt_name(Cert *to, cs_span host)
{
    to->altNames[0] = 0x30;
    to->altNames[1] = (byte)(host.len + 2);
    to->altNames[2] = 0x82;
    to->altNames[3] = (byte)host.len;
    memcpy(to->altNames + 4, host.data, host.len);
    to->altNamesSz = (int)host.len + 4;
}

static int fill(struct issuing *s)
{
    Cert *to = &s->certificate;
    int error = wc_InitCert(to);

    if (error != 0)
        return error;
    memcpy(to->serial, s->serial.data, s->serial.len);
    to->serialSz = (int)s->serial.len;
    to->sigType = s->is_rsa ? CTC_SHA256wRSA : CTC_SHA256wECDSA;
    put_name(&to->subject, s);
    put_name(&to->issuer, s);
    to->selfSigned = 1;
    to->basicConstSet = 1;
    put_alt_name(to, s->host);
    memcpy(to->beforeDate, s->since, (size_t)s->since[1] + 2);
    to->beforeDateSz = s->since[1] + 2;
    memcpy(to->afterDate, s->until, (size_t)s->until[1] + 2);
    to->afterDateSz = s->until[1] + 2;
    return wc_SetKeyUsage(to, "digitalSignature");
}

static int x509_issue_call(cs_case *c)
{
    struct issuing *s = c->state;
    Cert *certificate = &s->certificate;
    int kind = s->is_rsa ? RSA_TYPE : ECC_TYPE, len = fill(s);
    void *key = s->is_rsa ? (void *)&s->rsa : (void *)&s->ec;

    if (len == 0)
        len = wc_MakeCert_ex(certificate, c->out, (word32)c->out_cap, kind, key, &random_state);
    if (len > 0)
        len = wc_SignCert_ex(certificate->bodySz, certificate->sigType, c->out, (word32)c->out_cap, kind, key,
                             &random_state);
    if (len <= 0)
        return from_wc(len);
    c->out_len = (size_t)len;
    return CS_OK;
}

#endif

/* clang-format off */
static const cs_op rows[] = {
    {.id = "x509-p256/parse", .impl = "default", .name = "wc_ParseCert", .setup = x509_parse_setup, .call = x509_parse_call, .teardown = cs_teardown_state},
    {.id = "x509-rsa-2048/parse", .impl = "default", .name = "wc_ParseCert", .setup = x509_parse_setup, .call = x509_parse_call, .teardown = cs_teardown_state},
#ifdef CAN_ISSUE
    {.id = "x509-p256/issue", .impl = "default", .name = "wc_MakeCert_ex, wc_SignCert_ex", .setup = x509_issue_setup, .call = x509_issue_call, .teardown = x509_issue_teardown, .seed = seed_random, .counts_random = 1},
    {.id = "x509-rsa-2048/issue", .impl = "default", .name = "wc_MakeCert_ex, wc_SignCert_ex", .setup = x509_issue_setup, .call = x509_issue_call, .teardown = x509_issue_teardown, .seed = seed_random, .counts_random = 1},
#endif
};
/* clang-format on */

const cs_table wolfssl_x509 = CS_TABLE(rows);
