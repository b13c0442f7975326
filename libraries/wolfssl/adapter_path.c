/* SPDX-License-Identifier: Apache-2.0
 *
 * wolfSSL: paths of certificates, through its functions that are called as OpenSSL's are: those of its own for
 * certificates alone take one for a CA without looking whether it may be.
 *
 * Entry points: wolfSSL_X509_STORE_add_cert, wolfSSL_X509_STORE_CTX_init, wolfSSL_X509_verify_cert,
 * wolfSSL_X509_check_host, wc_SetTimeCb.
 */
#include "adapter.h"

#ifdef OPENSSL_EXTRA

#include <string.h>

#include <wolfssl/ssl.h>
#include <wolfssl/wolfcrypt/asn_public.h>

#include "x509.h"

/* 5.5 has no such flag. */
#ifndef WOLFSSL_LEFT_MOST_WILDCARD_ONLY
#define WOLFSSL_LEFT_MOST_WILDCARD_ONLY 0
#endif

struct path {
    WOLFSSL_X509_STORE *store;
    cs_span path[CS_X509_PATH];
    size_t length;
    char host[CS_X509_TEXT];
    time_t time;
};

/* The time of the present case: the library's callback for it is one for the process. */
static time_t case_time;

static time_t tell_time(time_t *to)
{
    if (to != NULL)
        *to = case_time;
    return case_time;
}

static WOLFSSL_X509 *read_certificate(cs_span bytes)
{
    return wolfSSL_X509_d2i(NULL, bytes.data, (int)bytes.len);
}

static void x509_verify_teardown(cs_case *c)
{
    struct path *s = c->state;

    wolfSSL_X509_STORE_free(s->store);
    cs_teardown_state(c);
}

static int x509_verify_setup(cs_case *c)
{
    struct path *s = cs_new_state(c, sizeof *s);
    WOLFSSL_X509 *root;
    int added;

    if (s == NULL)
        return CS_ERROR;
    s->time = (time_t)cs_x509_time(cs_input(c, "time"));
    s->length = cs_x509_path(c, s->path);
    case_time = s->time;
    (void)wc_SetTimeCb(tell_time);
    s->store = wolfSSL_X509_STORE_new();
    root = read_certificate(cs_input(c, "root"));
    added = s->store != NULL && root != NULL && wolfSSL_X509_STORE_add_cert(s->store, root) == WOLFSSL_SUCCESS;
    wolfSSL_X509_free(root);
    if (added && cs_x509_text(cs_input(c, "host"), s->host) == CS_OK)
        return CS_OK;
    x509_verify_teardown(c);
    return cs_fail("wolfSSL_X509_STORE_add_cert");
}

/* 1 if done. Intermediates that are not certificates are left out, as if the peer had not sent them. */
static int read_others(const struct path *s, WOLF_STACK_OF(WOLFSSL_X509) * others)
{
    for (size_t i = 1; i < s->length; i++) {
        WOLFSSL_X509 *one = read_certificate(s->path[i]);

        if (one != NULL && wolfSSL_sk_X509_push(others, one) <= 0) {
            wolfSSL_X509_free(one);
            return 0;
        }
    }
    return 1;
}

/* 5.5 refuses an intermediate that is not valid at the time before it checks the path. The host is checked separately:
 * the library ignores a host among the parameters of the verification. */
static int verify(const struct path *s, WOLFSSL_X509 *leaf, WOLF_STACK_OF(WOLFSSL_X509) * others)
{
    WOLFSSL_X509_STORE_CTX *ctx = wolfSSL_X509_STORE_CTX_new();
    int status = ctx != NULL ? CS_REJECTED : CS_ERROR;

    case_time = s->time;
    if (ctx != NULL && wolfSSL_X509_STORE_CTX_init(ctx, s->store, leaf, others) == WOLFSSL_SUCCESS &&
        wolfSSL_X509_verify_cert(ctx) == WOLFSSL_SUCCESS)
        status = CS_OK;
    wolfSSL_X509_STORE_CTX_free(ctx);
    if (status == CS_OK && s->host[0] != '\0')
        status = wolfSSL_X509_check_host(leaf, s->host, strlen(s->host), WOLFSSL_LEFT_MOST_WILDCARD_ONLY, NULL) ==
                         WOLFSSL_SUCCESS
                     ? CS_OK
                     : CS_REJECTED;
    return status;
}

static int x509_verify_call(cs_case *c)
{
    const struct path *s = c->state;
    WOLFSSL_X509 *leaf = read_certificate(s->path[0]);
    WOLF_STACK_OF(WOLFSSL_X509) *others = wolfSSL_sk_X509_new_null();
    int status = others == NULL || !read_others(s, others) ? CS_ERROR : leaf == NULL ? CS_REJECTED : CS_OK;

    if (status == CS_OK)
        status = verify(s, leaf, others);
    wolfSSL_sk_X509_pop_free(others, wolfSSL_X509_free);
    wolfSSL_X509_free(leaf);
    return status != CS_ERROR ? status : cs_fail("wolfSSL_X509_STORE_CTX_new");
}

/* clang-format off */
static const cs_op rows[] = {
    {.id = "x509-p256/verify-chain", .impl = "default", .name = "wolfSSL_X509_verify_cert", .setup = x509_verify_setup, .call = x509_verify_call, .teardown = x509_verify_teardown},
    {.id = "x509-rsa-2048/verify-chain", .impl = "default", .name = "wolfSSL_X509_verify_cert", .setup = x509_verify_setup, .call = x509_verify_call, .teardown = x509_verify_teardown},
};
/* clang-format on */

const cs_table wolfssl_paths = CS_TABLE(rows);

#else
const cs_table wolfssl_paths = {NULL, 0};
#endif
