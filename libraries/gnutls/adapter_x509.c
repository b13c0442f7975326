/* SPDX-License-Identifier: Apache-2.0
 *
 * GnuTLS: certificates.
 *
 * Entry points: gnutls_x509_crt_import, gnutls_x509_crt_get_*; gnutls_x509_trust_list_verify_crt2 and
 * gnutls_global_set_time_function; gnutls_x509_crt_set_*, gnutls_x509_crt_privkey_sign, gnutls_x509_crt_export.
 */
#include "x509.h"
#include "adapter.h"

#include <gnutls/x509.h>

enum { FIELDS = 3, SERIAL_MOST = 64, VERSION_3 = 3 };

static int read_certificate(gnutls_x509_crt_t *to, cs_span bytes)
{
    gnutls_datum_t data = datum(bytes);
    int status = gnutls_x509_crt_init(to);

    if (status < 0) {
        *to = NULL;
        return status;
    }
    return gnutls_x509_crt_import(*to, &data, GNUTLS_X509_FMT_DER);
}

static void release(gnutls_x509_crt_t certificate)
{
    if (certificate != NULL)
        gnutls_x509_crt_deinit(certificate);
}

/* What is refused is the input's fault, but for a want of memory. */
static int judged(int status)
{
    return status >= 0 ? CS_OK : status == GNUTLS_E_MEMORY_ERROR ? done(status) : CS_REJECTED;
}

/* ---- parsing ---- */

static cs_span span(gnutls_datum_t data)
{
    return (cs_span){data.data, data.size};
}

static int put_key(cs_case *c, gnutls_x509_crt_t certificate)
{
    gnutls_datum_t a = {NULL, 0}, b = {NULL, 0};
    gnutls_ecc_curve_t curve = GNUTLS_ECC_CURVE_SECP256R1;
    int rsa = cs_x509_is_rsa(c);
    int status = rsa ? gnutls_x509_crt_get_pk_rsa_raw(certificate, &a, &b)
                     : gnutls_x509_crt_get_pk_ecc_raw(certificate, &curve, &a, &b);

    if (status < 0)
        return judged(status);
    if (curve != GNUTLS_ECC_CURVE_SECP256R1)
        status = CS_REJECTED;
    else
        status = rsa ? cs_x509_put_rsa(c, span(a), span(b)) : cs_x509_put_point(c, span(a), span(b));
    gnutls_free(a.data);
    gnutls_free(b.data);
    return status;
}

static int put_fields(cs_case *c, gnutls_x509_crt_t certificate)
{
    time_t since = gnutls_x509_crt_get_activation_time(certificate);
    time_t until = gnutls_x509_crt_get_expiration_time(certificate);
    uint8_t serial[SERIAL_MOST];
    size_t serial_len = sizeof serial;
    unsigned critical, ca = 0;
    int path_length, status = gnutls_x509_crt_get_serial(certificate, serial, &serial_len);

    if (status < 0 || since == (time_t)-1 || until == (time_t)-1)
        return status < 0 ? judged(status) : CS_REJECTED;
    status = gnutls_x509_crt_get_basic_constraints(certificate, &critical, &ca, &path_length);
    if (status < 0 && status != GNUTLS_E_REQUESTED_DATA_NOT_AVAILABLE)
        return judged(status);
    if (cs_x509_put(c, ca != 0, since, until, (cs_span){serial, serial_len}) != CS_OK)
        return CS_REJECTED;
    return put_key(c, certificate);
}

static int x509_parse_call(cs_case *c)
{
    gnutls_x509_crt_t certificate;
    int status = read_certificate(&certificate, c->msg);

    status = status < 0 ? judged(status) : put_fields(c, certificate);
    release(certificate);
    return status;
}

/* ---- a path ---- */

struct path {
    gnutls_x509_trust_list_t list;
    cs_span path[CS_X509_PATH];
    size_t length;
    gnutls_typed_vdata_st host;
    char text[CS_X509_TEXT];
    time_t time;
};

/* The library asks for the time through a function without an argument. */
static time_t moment;

static time_t told_time(time_t *to)
{
    if (to != NULL)
        *to = moment;
    return moment;
}

static void x509_verify_teardown(cs_case *c)
{
    struct path *s = c->state;

    if (s->list != NULL)
        gnutls_x509_trust_list_deinit(s->list, 1);
    cs_free(s);
    c->state = NULL;
}

static int x509_verify_setup(cs_case *c)
{
    struct path *s = c->state = cs_alloc(sizeof *s);
    gnutls_x509_crt_t root = NULL;
    int status;

    if (s == NULL)
        return CS_ERROR;
    status = cs_x509_text(cs_input(c, "host"), s->text) == CS_OK ? read_certificate(&root, cs_input(c, "root")) : -1;
    if (status >= 0)
        status = gnutls_x509_trust_list_init(&s->list, 0);
    if (status >= 0)
        status = gnutls_x509_trust_list_add_cas(s->list, &root, 1, 0);
    if (status < 1) {
        release(root);
        x509_verify_teardown(c);
        return cs_fail("gnutls_x509_trust_list_add_cas: the trust anchor cannot be read");
    }
    s->length = cs_x509_path(c, s->path);
    s->host = (gnutls_typed_vdata_st){.type = GNUTLS_DT_DNS_HOSTNAME, .data = (unsigned char *)s->text};
    s->time = (time_t)cs_x509_time(cs_input(c, "time"));
    gnutls_global_set_time_function(told_time);
    return CS_OK;
}

static int x509_verify_call(cs_case *c)
{
    struct path *s = c->state;
    gnutls_x509_crt_t path[CS_X509_PATH] = {NULL};
    unsigned wrong = 0;
    int status = 0;

    moment = s->time;
    for (size_t i = 0; i < s->length && status >= 0; i++)
        status = read_certificate(&path[i], s->path[i]);
    if (status >= 0)
        status = gnutls_x509_trust_list_verify_crt2(s->list, path, (unsigned)s->length, &s->host,
                                                    s->text[0] != '\0' ? 1 : 0, 0, &wrong, NULL);
    for (size_t i = 0; i < s->length; i++)
        release(path[i]);
    return status >= 0 && wrong != 0 ? CS_REJECTED : judged(status);
}

/* ---- issuing ---- */

struct issuing {
    gnutls_privkey_t key;
    gnutls_pubkey_t pub;
    cs_span serial, host, field[FIELDS];
    time_t since, until;
};

static const char *const types[FIELDS] = {GNUTLS_OID_X520_COMMON_NAME, GNUTLS_OID_X520_ORGANIZATION_NAME,
                                          GNUTLS_OID_X520_COUNTRY_NAME};

static void x509_issue_teardown(cs_case *c)
{
    struct issuing *s = c->state;

    if (s->pub != NULL)
        gnutls_pubkey_deinit(s->pub);
    if (s->key != NULL)
        gnutls_privkey_deinit(s->key);
    cs_free(s);
    c->state = NULL;
}

static int read_keys(const cs_case *c, struct issuing *s)
{
    uint8_t bytes[CS_X509_KEY_DER];
    gnutls_datum_t data = {bytes, (unsigned)cs_x509_private_key(c, bytes)};
    int status = gnutls_privkey_init(&s->key);

    if (status >= 0)
        status = gnutls_privkey_import_x509_raw(s->key, &data, GNUTLS_X509_FMT_DER, NULL, 0);
    if (status >= 0)
        status = gnutls_pubkey_init(&s->pub);
    return status < 0 ? status : gnutls_pubkey_import_privkey(s->pub, s->key, 0, 0);
}

static int x509_issue_setup(cs_case *c)
{
    struct issuing *s = c->state = cs_alloc(sizeof *s);
    int status;

    if (s == NULL)
        return CS_ERROR;
    s->field[0] = cs_input(c, "name");
    s->field[1] = cs_input(c, "organization");
    s->field[2] = cs_input(c, "country");
    s->serial = cs_input(c, "serial");
    s->host = cs_input(c, "host");
    s->since = (time_t)cs_x509_time(cs_input(c, "since"));
    s->until = (time_t)cs_x509_time(cs_input(c, "until"));
    status = read_keys(c, s);
    if (status >= 0)
        return CS_OK;
    x509_issue_teardown(c);
    return done(status);
}

static int fill(const struct issuing *s, gnutls_x509_crt_t to)
{
    int status = gnutls_x509_crt_set_version(to, VERSION_3);

    if (status >= 0)
        status = gnutls_x509_crt_set_serial(to, s->serial.data, s->serial.len);
    if (status >= 0)
        status = gnutls_x509_crt_set_activation_time(to, s->since);
    if (status >= 0)
        status = gnutls_x509_crt_set_expiration_time(to, s->until);
    for (int i = 0; i < FIELDS && status >= 0; i++)
        status = gnutls_x509_crt_set_dn_by_oid(to, types[i], 0, s->field[i].data, (unsigned)s->field[i].len);
    if (status >= 0)
        status = gnutls_x509_crt_set_pubkey(to, s->pub);
    if (status >= 0)
        status = gnutls_x509_crt_set_basic_constraints(to, 0, -1);
    if (status >= 0)
        status = gnutls_x509_crt_set_key_usage(to, GNUTLS_KEY_DIGITAL_SIGNATURE);
    if (status >= 0)
        status = gnutls_x509_crt_set_subject_alt_name(to, GNUTLS_SAN_DNSNAME, s->host.data, (unsigned)s->host.len,
                                                      GNUTLS_FSAN_SET);
    return status;
}

static int x509_issue_call(cs_case *c)
{
    const struct issuing *s = c->state;
    gnutls_x509_crt_t certificate = NULL;
    size_t len = c->out_cap;
    int status = gnutls_x509_crt_init(&certificate);

    if (status < 0)
        return done(status);
    status = fill(s, certificate);
    if (status >= 0)
        status = gnutls_x509_crt_privkey_sign(certificate, certificate, s->key, GNUTLS_DIG_SHA256, 0);
    if (status >= 0)
        status = gnutls_x509_crt_export(certificate, GNUTLS_X509_FMT_DER, c->out, &len);
    gnutls_x509_crt_deinit(certificate);
    c->out_len = len;
    return done(status);
}

#define X509_ROWS_OF(ALGORITHM)                                                                                        \
    {.id = ALGORITHM "/parse", .impl = "default", .name = "gnutls_x509_crt_import", .call = x509_parse_call},          \
        {.id = ALGORITHM "/verify-chain",                                                                              \
         .impl = "default",                                                                                            \
         .name = "gnutls_x509_trust_list_verify_crt2",                                                                 \
         .setup = x509_verify_setup,                                                                                   \
         .call = x509_verify_call,                                                                                     \
         .teardown = x509_verify_teardown},                                                                            \
    {                                                                                                                  \
        .id = ALGORITHM "/issue", .impl = "default", .name = "gnutls_x509_crt_privkey_sign",                           \
        .setup = x509_issue_setup, .call = x509_issue_call, .teardown = x509_issue_teardown, .seed = seed_random       \
    }

static const cs_op rows[] = {
    X509_ROWS_OF("x509-p256"),
    X509_ROWS_OF("x509-rsa-2048"),
};
const cs_table gnutls_x509 = CS_TABLE(rows);
