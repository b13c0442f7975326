/* SPDX-License-Identifier: Apache-2.0
 *
 * Certificates with the interface that OpenSSL, BoringSSL and AWS-LC have in common.
 *
 * Entry points: d2i_X509, X509_get0_pubkey; X509_STORE_CTX_init, X509_verify_cert; X509_new, X509_sign, i2d_X509.
 */
#include <string.h>

#include <openssl/bn.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

/* ONCE: what each row has once a process, by the library. */
#if defined(OPENSSL_IS_BORINGSSL) || defined(OPENSSL_IS_AWSLC)
#include <openssl/rsa.h>
#include "adapter.h"
#define ONCE .seed = random_seed
#else
#include <openssl/core_names.h>
#include "session.h"
#define ONCE .open = evp_open, .settle = evp_settle
#endif
#include "x509.h"

enum { FIELDS = 3 };

struct x509 {
    X509_STORE *store;
    cs_span path[CS_X509_PATH]; /* the leaf first */
    size_t length;
    EVP_PKEY *key;
    ASN1_INTEGER *serial;
    int64_t since, until; /* of a path `since` is the moment that it must be valid at */
    BASIC_CONSTRAINTS *constraints;
    ASN1_BIT_STRING *usage;
    GENERAL_NAMES *names;
    char field[FIELDS][CS_X509_TEXT];
    char host[CS_X509_TEXT];
};

static const char *const field_names[FIELDS] = {"CN", "O", "C"};

static int fail(const char *what)
{
    ERR_clear_error();
    return cs_fail(what);
}

/* A refusal is the input's fault, except if memory was short. */
static int refused(const char *what)
{
    int no_memory = ERR_GET_REASON(ERR_peek_error()) == ERR_R_MALLOC_FAILURE;

    ERR_clear_error();
    return no_memory ? cs_fail(what) : CS_REJECTED;
}

static X509 *read_certificate(cs_span bytes)
{
    const uint8_t *at = bytes.data;

    return d2i_X509(NULL, &at, (long)bytes.len);
}

/* ---- parsing ---- */

/* 1 if done. */
static int seconds_of(const ASN1_TIME *when, int64_t *to)
{
#if defined(OPENSSL_IS_BORINGSSL) || defined(OPENSSL_IS_AWSLC)
    return ASN1_TIME_to_posix(when, to);
#else
    struct tm date;

    if (ASN1_TIME_to_tm(when, &date) != 1)
        return 0;
    *to = cs_x509_seconds(date.tm_year + 1900, date.tm_mon + 1, date.tm_mday, date.tm_hour, date.tm_min, date.tm_sec);
    return 1;
#endif
}

static int put_numbers(cs_case *c, const BIGNUM *n, const BIGNUM *e)
{
    uint8_t modulus[CS_X509_RSA_MODULUS], exponent[CS_RSA_EXPONENT];

    if (n == NULL || e == NULL || BN_num_bytes(n) != CS_X509_RSA_MODULUS || BN_num_bytes(e) > CS_RSA_EXPONENT)
        return CS_REJECTED;
    return cs_x509_put_rsa(c, (cs_span){modulus, (size_t)BN_bn2bin(n, modulus)},
                           (cs_span){exponent, (size_t)BN_bn2bin(e, exponent)});
}

static int put_rsa(cs_case *c, const EVP_PKEY *key)
{
#if defined(OPENSSL_IS_BORINGSSL) || defined(OPENSSL_IS_AWSLC)
    const BIGNUM *n, *e;

    RSA_get0_key(EVP_PKEY_get0_RSA(key), &n, &e, NULL);
    return put_numbers(c, n, e);
#else
    BIGNUM *n = NULL, *e = NULL;
    int status = EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_RSA_N, &n) == 1 &&
                         EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_RSA_E, &e) == 1
                     ? put_numbers(c, n, e)
                     : CS_REJECTED;

    BN_free(n);
    BN_free(e);
    return status;
#endif
}

/* The key was decoded, and so is a point of its curve: its bytes are those that it was read from. */
static int put_key(cs_case *c, const X509 *certificate)
{
    const EVP_PKEY *key = X509_get0_pubkey(certificate);
    const ASN1_BIT_STRING *bits = X509_get0_pubkey_bitstr(certificate);
    const uint8_t *point;

    if (key == NULL || EVP_PKEY_id(key) != (cs_x509_is_rsa(c) ? EVP_PKEY_RSA : EVP_PKEY_EC))
        return CS_REJECTED;
    if (cs_x509_is_rsa(c))
        return put_rsa(c, key);
    point = ASN1_STRING_get0_data(bits);
    if (ASN1_STRING_length(bits) != CS_P256_POINT || point[0] != 4)
        return CS_REJECTED;
    return cs_x509_put_point(c, (cs_span){point + 1, CS_P256_BYTES},
                             (cs_span){point + 1 + CS_P256_BYTES, CS_P256_BYTES});
}

static int put_fields(cs_case *c, X509 *certificate)
{
    const ASN1_INTEGER *serial = X509_get0_serialNumber(certificate);
    uint32_t flags = X509_get_extension_flags(certificate);
    int64_t since, until;

    if ((flags & EXFLAG_INVALID) != 0 || ASN1_STRING_type(serial) != V_ASN1_INTEGER ||
        !seconds_of(X509_get0_notBefore(certificate), &since) || !seconds_of(X509_get0_notAfter(certificate), &until) ||
        cs_x509_put(c, (flags & EXFLAG_CA) != 0, since, until,
                    (cs_span){ASN1_STRING_get0_data(serial), (size_t)ASN1_STRING_length(serial)}) != CS_OK)
        return CS_REJECTED;
    return put_key(c, certificate);
}

static int x509_parse_call(cs_case *c)
{
    X509 *certificate = read_certificate(c->msg);
    int status;

    if (certificate == NULL)
        return refused("d2i_X509");
    status = put_fields(c, certificate);
    X509_free(certificate);
    if (status != CS_OK)
        ERR_clear_error();
    return status;
}

/* ---- a path ---- */

static void x509_teardown(cs_case *c)
{
    struct x509 *s = c->state;

    X509_STORE_free(s->store);
    EVP_PKEY_free(s->key);
    ASN1_INTEGER_free(s->serial);
    BASIC_CONSTRAINTS_free(s->constraints);
    ASN1_BIT_STRING_free(s->usage);
    GENERAL_NAMES_free(s->names);
    cs_free(s);
    c->state = NULL;
}

/* For a setup that cannot continue: the SDK calls no teardown then. */
static int give_up(cs_case *c, const char *what)
{
    x509_teardown(c);
    return fail(what);
}

static int x509_verify_setup(cs_case *c)
{
    struct x509 *s = c->state = cs_alloc(sizeof *s);
    X509 *root;
    int added;

    if (s == NULL)
        return CS_ERROR;
    if (cs_x509_text(cs_input(c, "host"), s->host) != CS_OK)
        return give_up(c, "the host name is too long");
    s->since = cs_x509_time(cs_input(c, "time"));
    s->length = cs_x509_path(c, s->path);
    s->store = X509_STORE_new();
    root = read_certificate(cs_input(c, "root"));
    added = s->store != NULL && root != NULL && X509_STORE_add_cert(s->store, root) == 1;
    X509_free(root);
    return added ? CS_OK : give_up(c, "X509_STORE_add_cert");
}

/* What RFC 5280 and RFC 9525 ask for and the defaults leave out: whole labels as wildcards, alternative names alone,
 * and (OpenSSL) no CA without basicConstraints. */
static void ask(X509_VERIFY_PARAM *param, const struct x509 *s)
{
    unsigned flags = X509_CHECK_FLAG_NEVER_CHECK_SUBJECT;

#ifdef X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS
    flags |= X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS;
#endif
#ifdef X509_V_FLAG_X509_STRICT
    X509_VERIFY_PARAM_set_flags(param, X509_V_FLAG_X509_STRICT);
#endif
    X509_VERIFY_PARAM_set_time(param, (time_t)s->since);
    X509_VERIFY_PARAM_set_hostflags(param, flags);
    if (s->host[0] != '\0')
        X509_VERIFY_PARAM_set1_host(param, s->host, strlen(s->host));
}

static int verify(const struct x509 *s, X509 *leaf, STACK_OF(X509) * others)
{
    X509_STORE_CTX *ctx = X509_STORE_CTX_new();
    int status = CS_ERROR;

    if (ctx != NULL && X509_STORE_CTX_init(ctx, s->store, leaf, others) == 1) {
        ask(X509_STORE_CTX_get0_param(ctx), s);
        if (X509_verify_cert(ctx) == 1)
            status = CS_OK;
        else if (X509_STORE_CTX_get_error(ctx) != X509_V_ERR_OUT_OF_MEM)
            status = CS_REJECTED;
    }
    X509_STORE_CTX_free(ctx);
    return status;
}

/* 1 if done. Intermediates that are not certificates are left out, as if the peer had not sent them. */
static int read_others(const struct x509 *s, STACK_OF(X509) * others)
{
    for (size_t i = 1; i < s->length; i++) {
        X509 *one = read_certificate(s->path[i]);

        if (one != NULL && sk_X509_push(others, one) == 0) {
            X509_free(one);
            return 0;
        }
    }
    return 1;
}

static int x509_verify_call(cs_case *c)
{
    const struct x509 *s = c->state;
    X509 *leaf = read_certificate(s->path[0]);
    STACK_OF(X509) *others = sk_X509_new_null();
    int status = others == NULL || !read_others(s, others) ? CS_ERROR : leaf == NULL ? CS_REJECTED : CS_OK;

    if (status == CS_OK)
        status = verify(s, leaf, others);
    sk_X509_pop_free(others, X509_free);
    X509_free(leaf);
    if (status != CS_OK)
        ERR_clear_error();
    return status;
}

/* ---- issuing ---- */

static GENERAL_NAMES *host_name(const char *host)
{
    GENERAL_NAMES *names = GENERAL_NAMES_new();
    GENERAL_NAME *name = GENERAL_NAME_new();
    ASN1_IA5STRING *text = ASN1_IA5STRING_new();

    if (names == NULL || name == NULL || text == NULL || ASN1_STRING_set(text, host, -1) != 1 ||
        sk_GENERAL_NAME_push(names, name) == 0) {
        GENERAL_NAMES_free(names);
        GENERAL_NAME_free(name);
        ASN1_IA5STRING_free(text);
        return NULL;
    }
    GENERAL_NAME_set0_value(name, GEN_DNS, text);
    return names;
}

static ASN1_INTEGER *number_of(cs_span bytes)
{
    BIGNUM *number = BN_bin2bn(bytes.data, (int)bytes.len, NULL);
    ASN1_INTEGER *found = number != NULL ? BN_to_ASN1_INTEGER(number, NULL) : NULL;

    BN_free(number);
    return found;
}

static int read_key(const cs_case *c, struct x509 *s)
{
    uint8_t bytes[CS_X509_KEY_DER];
    const uint8_t *at = bytes;
    size_t len = cs_x509_private_key(c, bytes);

    s->key = len > 0 ? d2i_AutoPrivateKey(NULL, &at, (long)len) : NULL;
    return s->key != NULL;
}

static int x509_issue_setup(cs_case *c)
{
    static const char *const inputs[FIELDS] = {"name", "organization", "country"};
    struct x509 *s = c->state = cs_alloc(sizeof *s);

    if (s == NULL)
        return CS_ERROR;
    for (int i = 0; i < FIELDS; i++)
        if (cs_x509_text(cs_input(c, inputs[i]), s->field[i]) != CS_OK)
            return give_up(c, "a field of the name is too long");
    if (cs_x509_text(cs_input(c, "host"), s->host) != CS_OK)
        return give_up(c, "the host name is too long");
    s->since = cs_x509_time(cs_input(c, "since"));
    s->until = cs_x509_time(cs_input(c, "until"));
    s->serial = number_of(cs_input(c, "serial"));
    s->constraints = BASIC_CONSTRAINTS_new();
    s->usage = ASN1_BIT_STRING_new();
    s->names = host_name(s->host);
    if (s->serial == NULL || s->constraints == NULL || s->usage == NULL || s->names == NULL ||
        ASN1_BIT_STRING_set_bit(s->usage, 0, 1) != 1 || !read_key(c, s))
        return give_up(c, "d2i_AutoPrivateKey");
    return CS_OK;
}

/* 1 if done. */
static int fill(X509 *certificate, const struct x509 *s)
{
    X509_NAME *name = X509_get_subject_name(certificate);

    for (int i = 0; i < FIELDS; i++)
        if (X509_NAME_add_entry_by_txt(name, field_names[i], MBSTRING_UTF8, (const uint8_t *)s->field[i], -1, -1, 0) !=
            1)
            return 0;
    return X509_set_version(certificate, 2) == 1 && X509_set_serialNumber(certificate, s->serial) == 1 &&
           X509_set_issuer_name(certificate, name) == 1 &&
           ASN1_TIME_set(X509_getm_notBefore(certificate), (time_t)s->since) != NULL &&
           ASN1_TIME_set(X509_getm_notAfter(certificate), (time_t)s->until) != NULL &&
           X509_set_pubkey(certificate, s->key) == 1 &&
           X509_add1_ext_i2d(certificate, NID_basic_constraints, s->constraints, 1, 0) == 1 &&
           X509_add1_ext_i2d(certificate, NID_key_usage, s->usage, 1, 0) == 1 &&
           X509_add1_ext_i2d(certificate, NID_subject_alt_name, s->names, 0, 0) == 1;
}

static int x509_issue_call(cs_case *c)
{
    const struct x509 *s = c->state;
    X509 *certificate = X509_new();
    uint8_t *at = c->out;
    int len = -1;

    if (certificate != NULL && fill(certificate, s) && X509_sign(certificate, s->key, EVP_sha256()) > 0)
        len = i2d_X509(certificate, NULL);
    if (len > 0 && (size_t)len <= c->out_cap)
        c->out_len = (size_t)i2d_X509(certificate, &at);
    X509_free(certificate);
    return len > 0 && (size_t)len <= c->out_cap ? CS_OK : fail("X509_sign");
}

/* ---- rows ---- */

#define X509_ROWS(ALGORITHM)                                                                                           \
    {.id = ALGORITHM "/parse", .impl = "default", .name = "d2i_X509", .call = x509_parse_call, ONCE},                  \
        {.id = ALGORITHM "/verify-chain",                                                                              \
         .impl = "default",                                                                                            \
         .name = "X509_verify_cert",                                                                                   \
         .setup = x509_verify_setup,                                                                                   \
         .call = x509_verify_call,                                                                                     \
         .teardown = x509_teardown,                                                                                    \
         ONCE},                                                                                                        \
    {                                                                                                                  \
        .id = ALGORITHM "/issue", .impl = "default", .name = "X509_sign", .setup = x509_issue_setup,                   \
        .call = x509_issue_call, .teardown = x509_teardown, ONCE                                                       \
    }

static const cs_op rows[] = {X509_ROWS("x509-p256"), X509_ROWS("x509-rsa-2048")};
const cs_table libcrypto_x509 = CS_TABLE(rows);
