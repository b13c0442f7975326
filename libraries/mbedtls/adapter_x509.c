/* SPDX-License-Identifier: Apache-2.0
 *
 * Mbed TLS: certificates.
 *
 * Entry points: mbedtls_x509_crt_parse_der; mbedtls_x509_crt_verify with a callback, because the library compares with
 * the system's clock alone; mbedtls_x509write_crt_der. Fields of a certificate and of a public key that 3.x calls
 * private are read as 2.28 has them.
 */
#define MBEDTLS_ALLOW_PRIVATE_ACCESS

#include "x509.h"
#include "adapter.h"

#include <string.h>

#include <mbedtls/bignum.h>
#include <mbedtls/ecp.h>
#include <mbedtls/oid.h>
#include <mbedtls/rsa.h>
#include <mbedtls/x509_crt.h>

enum { SUBJECT = 3 * CS_X509_TEXT + 16, ALT_NAME = CS_X509_TEXT + 4 };

/* What is refused is the input's fault, but for a want of memory. */
static int judged(int ret)
{
    return ret == 0 ? CS_OK : ret == MBEDTLS_ERR_X509_ALLOC_FAILED ? CS_ERROR : CS_REJECTED;
}

static int64_t seconds_of(const mbedtls_x509_time *t)
{
    return cs_x509_seconds(t->year, t->mon, t->day, t->hour, t->min, t->sec);
}

/* ---- parsing ---- */

static int setup_x509_parse(cs_case *c)
{
    c->state = cs_alloc(sizeof(mbedtls_x509_crt));
    return c->state != NULL ? CS_OK : CS_ERROR;
}

static void teardown_x509_parse(cs_case *c)
{
    cs_free(c->state);
    c->state = NULL;
}

static int put_point(cs_case *c, const mbedtls_ecp_keypair *key)
{
    uint8_t point[CS_P256_POINT];
    size_t len;

    if (key->grp.id != MBEDTLS_ECP_DP_SECP256R1 ||
        mbedtls_ecp_point_write_binary(&key->grp, &key->Q, MBEDTLS_ECP_PF_UNCOMPRESSED, &len, point, sizeof point) != 0)
        return CS_REJECTED;
    return cs_x509_put_point(c, (cs_span){point + 1, CS_P256_BYTES},
                             (cs_span){point + 1 + CS_P256_BYTES, CS_P256_BYTES});
}

static int put_rsa(cs_case *c, const mbedtls_rsa_context *key)
{
    uint8_t n[CS_X509_RSA_MODULUS], e[CS_RSA_EXPONENT];

    if (mbedtls_rsa_export_raw(key, n, sizeof n, NULL, 0, NULL, 0, NULL, 0, e, sizeof e) != 0)
        return CS_REJECTED;
    return cs_x509_put_rsa(c, (cs_span){n, sizeof n}, (cs_span){e, sizeof e});
}

static int put_fields(cs_case *c, const mbedtls_x509_crt *from)
{
    int rsa = cs_x509_is_rsa(c);

    if (mbedtls_pk_get_type(&from->pk) != (rsa ? MBEDTLS_PK_RSA : MBEDTLS_PK_ECKEY) || from->serial.len == 0 ||
        (from->serial.p[0] & 0x80) != 0 ||
        cs_x509_put(c, from->ca_istrue, seconds_of(&from->valid_from), seconds_of(&from->valid_to),
                    (cs_span){from->serial.p, from->serial.len}) != CS_OK)
        return CS_REJECTED;
    return rsa ? put_rsa(c, mbedtls_pk_rsa(from->pk)) : put_point(c, mbedtls_pk_ec(from->pk));
}

static int call_x509_parse(cs_case *c)
{
    mbedtls_x509_crt *certificate = c->state;
    int ret, status;

    mbedtls_x509_crt_init(certificate);
    ret = mbedtls_x509_crt_parse_der(certificate, c->msg.data, c->msg.len);
    status = ret == 0 ? put_fields(c, certificate) : judged(ret);
    mbedtls_x509_crt_free(certificate);
    return status;
}

/* ---- a path ---- */

struct path {
    mbedtls_x509_crt root, given;
    cs_span path[CS_X509_PATH];
    size_t length;
    char host[CS_X509_TEXT];
    int64_t time;
};

static void teardown_x509_verify(cs_case *c)
{
    struct path *s = c->state;

    mbedtls_x509_crt_free(&s->root);
    cs_free(s);
    c->state = NULL;
}

static int setup_x509_verify(cs_case *c)
{
    struct path *s = c->state = cs_alloc(sizeof *s);
    cs_span root = cs_input(c, "root");
    int ret;

    if (s == NULL)
        return CS_ERROR;
    mbedtls_x509_crt_init(&s->root);
    ret = mbedtls_x509_crt_parse_der(&s->root, root.data, root.len);
    if (ret != 0 || cs_x509_text(cs_input(c, "host"), s->host) != CS_OK) {
        teardown_x509_verify(c);
        return cs_fail("mbedtls_x509_crt_parse_der: the trust anchor cannot be read");
    }
    s->length = cs_x509_path(c, s->path);
    s->time = cs_x509_time(cs_input(c, "time"));
    return CS_OK;
}

/* For each certificate of the path: what the library found with the system's clock gives way to the time of the case.
 */
static int check_time(void *of, mbedtls_x509_crt *certificate, int depth, uint32_t *flags)
{
    const struct path *s = of;

    (void)depth;
    *flags &= ~(uint32_t)(MBEDTLS_X509_BADCERT_EXPIRED | MBEDTLS_X509_BADCERT_FUTURE);
    if (seconds_of(&certificate->valid_to) < s->time)
        *flags |= MBEDTLS_X509_BADCERT_EXPIRED;
    if (seconds_of(&certificate->valid_from) > s->time)
        *flags |= MBEDTLS_X509_BADCERT_FUTURE;
    return 0;
}

static int call_x509_verify(cs_case *c)
{
    struct path *s = c->state;
    uint32_t flags;
    int ret = 0;

    mbedtls_x509_crt_init(&s->given);
    for (size_t i = 0; i < s->length && ret == 0; i++)
        ret = mbedtls_x509_crt_parse_der(&s->given, s->path[i].data, s->path[i].len);
    if (ret == 0)
        ret = mbedtls_x509_crt_verify(&s->given, &s->root, NULL, s->host[0] != '\0' ? s->host : NULL, &flags,
                                      check_time, s);
    mbedtls_x509_crt_free(&s->given);
    return judged(ret);
}

/* ---- issuing ---- */

struct issuing {
    mbedtls_x509write_cert writer;
    mbedtls_pk_context key;
    mbedtls_mpi serial;
    cs_span number;
    char subject[SUBJECT], since[CS_X509_DATE], until[CS_X509_DATE];
    uint8_t alt_name[ALT_NAME];
    size_t alt_name_len;
};

static void teardown_x509_issue(cs_case *c)
{
    struct issuing *s = c->state;

    mbedtls_mpi_free(&s->serial);
    mbedtls_pk_free(&s->key);
    cs_free(s);
    c->state = NULL;
}

/* Appends "TYPE=text". 1 if the text holds no character that would have to be escaped. */
static int append(const cs_case *c, const char *input, const char *type, char *to)
{
    char text[CS_X509_TEXT];

    if (cs_x509_text(cs_input(c, input), text) != CS_OK || strpbrk(text, ",\\=\"") != NULL)
        return 0;
    strcat(to, type);
    strcat(to, text);
    return 1;
}

/* GeneralNames with one dNSName: 2.28 has no function for it. */
static int put_alt_name(struct issuing *s, cs_span host)
{
    if (host.len > 125)
        return 0;
    s->alt_name[0] = 0x30;
    s->alt_name[1] = (uint8_t)(host.len + 2);
    s->alt_name[2] = 0x82;
    s->alt_name[3] = (uint8_t)host.len;
    memcpy(s->alt_name + 4, host.data, host.len);
    s->alt_name_len = host.len + 4;
    return 1;
}

static int read_key(const cs_case *c, mbedtls_pk_context *to)
{
    uint8_t bytes[CS_X509_KEY_DER];
    size_t len = cs_x509_private_key(c, bytes);

#if MBEDTLS_VERSION_NUMBER >= 0x03000000
    return mbedtls_pk_parse_key(to, bytes, len, NULL, 0, cs_mbedtls_random, &cs_mbedtls_drbg);
#else
    return mbedtls_pk_parse_key(to, bytes, len, NULL, 0);
#endif
}

static int setup_x509_issue(cs_case *c)
{
    struct issuing *s = c->state = cs_alloc(sizeof *s);
    int ret;

    if (s == NULL)
        return CS_ERROR;
    mbedtls_mpi_init(&s->serial);
    mbedtls_pk_init(&s->key);
    s->number = cs_input(c, "serial");
    ret = mbedtls_mpi_read_binary(&s->serial, s->number.data, s->number.len);
    if (ret == 0)
        ret = read_key(c, &s->key);
    if (ret != 0)
        return give_up(c, "mbedtls_pk_parse_key", ret);
    /* A name is written the last field first. */
    if (!append(c, "country", "C=", s->subject) || !append(c, "organization", ",O=", s->subject) ||
        !append(c, "name", ",CN=", s->subject) || !put_alt_name(s, cs_input(c, "host"))) {
        teardown_x509_issue(c);
        return cs_fail("a name that this adapter does not write");
    }
    cs_x509_date(cs_x509_time(cs_input(c, "since")), s->since);
    cs_x509_date(cs_x509_time(cs_input(c, "until")), s->until);
    s->since[CS_X509_DATE - 2] = s->until[CS_X509_DATE - 2] = '\0';
    return CS_OK;
}

static int set_serial(struct issuing *s)
{
#if MBEDTLS_VERSION_NUMBER >= 0x03040000
    return mbedtls_x509write_crt_set_serial_raw(&s->writer, (unsigned char *)s->number.data, s->number.len);
#else
    return mbedtls_x509write_crt_set_serial(&s->writer, &s->serial);
#endif
}

static int fill(struct issuing *s)
{
    mbedtls_x509write_cert *to = &s->writer;
    int ret = set_serial(s);

    mbedtls_x509write_crt_set_version(to, MBEDTLS_X509_CRT_VERSION_3);
    mbedtls_x509write_crt_set_md_alg(to, MBEDTLS_MD_SHA256);
    mbedtls_x509write_crt_set_subject_key(to, &s->key);
    mbedtls_x509write_crt_set_issuer_key(to, &s->key);
    if (ret == 0)
        ret = mbedtls_x509write_crt_set_validity(to, s->since, s->until);
    if (ret == 0)
        ret = mbedtls_x509write_crt_set_subject_name(to, s->subject);
    if (ret == 0)
        ret = mbedtls_x509write_crt_set_issuer_name(to, s->subject);
    if (ret == 0)
        ret = mbedtls_x509write_crt_set_basic_constraints(to, 0, -1);
    if (ret == 0)
        ret = mbedtls_x509write_crt_set_key_usage(to, MBEDTLS_X509_KU_DIGITAL_SIGNATURE);
    if (ret == 0)
        ret = mbedtls_x509write_crt_set_extension(to, MBEDTLS_OID_SUBJECT_ALT_NAME,
                                                  MBEDTLS_OID_SIZE(MBEDTLS_OID_SUBJECT_ALT_NAME), 0, s->alt_name,
                                                  s->alt_name_len);
    return ret;
}

/* The library writes at the end of the room. */
static int call_x509_issue(cs_case *c)
{
    struct issuing *s = c->state;
    int ret;

    mbedtls_x509write_crt_init(&s->writer);
    ret = fill(s);
    if (ret == 0)
        ret = mbedtls_x509write_crt_der(&s->writer, c->out, c->out_cap, cs_mbedtls_random, &cs_mbedtls_drbg);
    mbedtls_x509write_crt_free(&s->writer);
    if (ret <= 0)
        return CS_ERROR;
    c->out_len = (size_t)ret;
    memmove(c->out, c->out + c->out_cap - c->out_len, c->out_len);
    return CS_OK;
}

#define X509_ROW(ID, NAME, KIND, ...)                                                                                  \
    {.id = ID,                                                                                                         \
     .impl = "default",                                                                                                \
     .name = NAME,                                                                                                     \
     .setup = setup_x509_##KIND,                                                                                       \
     .call = call_x509_##KIND,                                                                                         \
     .teardown = teardown_x509_##KIND,                                                                                 \
     __VA_ARGS__}
#define X509_ROWS_OF(ALGORITHM)                                                                                        \
    X509_ROW(ALGORITHM "/parse", "mbedtls_x509_crt_parse_der", parse, .seed = NULL),                                   \
        X509_ROW(ALGORITHM "/verify-chain", "mbedtls_x509_crt_verify", verify, .seed = NULL),                          \
        X509_ROW(ALGORITHM "/issue", "mbedtls_x509write_crt_der", issue, .seed = seed_drbg, .counts_random = 1)

static const cs_op rows[] = {
    X509_ROWS_OF("x509-p256"),
    X509_ROWS_OF("x509-rsa-2048"),
};
const cs_table mbedtls_x509 = CS_TABLE(rows);
