/* SPDX-License-Identifier: Apache-2.0
 *
 * Mbed TLS adapter: HKDF, and PBKDF2 of PKCS #5. Before 3.3 the latter takes a context of HMAC, which its caller keeps
 * and which holds no key between calls.
 */
#include <mbedtls/hkdf.h>
#include <mbedtls/md.h>
#include <mbedtls/pkcs5.h>

#include "adapter.h"

/* What a row points to: the hash, and the bytes of output. */
struct kdf_kind {
    mbedtls_md_type_t md;
    size_t bytes;
};

struct kdf_state {
    const struct kdf_kind *kind;
    const mbedtls_md_info_t *md;
    cs_span salt, info;
    unsigned iterations;
    mbedtls_md_context_t context;
};

static int setup_kdf(cs_case *c)
{
    struct kdf_state *s = cs_alloc(sizeof *s);

    if (s == NULL)
        return CS_ERROR;
    s->kind = c->op->param;
    s->md = mbedtls_md_info_from_type(s->kind->md);
    s->salt = cs_input(c, "salt");
    s->info = cs_input(c, "info");
    mbedtls_md_init(&s->context);
    c->state = s;
    c->out_len = s->kind->bytes;
    return CS_OK;
}

static void teardown_kdf(cs_case *c)
{
    struct kdf_state *s = c->state;

    mbedtls_md_free(&s->context);
    cs_free(s);
    c->state = NULL;
}

static int call_hkdf(cs_case *c)
{
    const struct kdf_state *s = c->state;

    return from_mbedtls(mbedtls_hkdf(s->md, s->salt.data, s->salt.len, c->key.data, c->key.len, s->info.data,
                                     s->info.len, c->out, c->out_len));
}

static int setup_pbkdf2(cs_case *c)
{
    int status = setup_kdf(c);
    struct kdf_state *s = c->state;

    if (status != CS_OK)
        return status;
    s->iterations = (unsigned)cs_param_number(c, "iterations", 0);
#if MBEDTLS_VERSION_NUMBER < 0x03030000
    int ret = mbedtls_md_setup(&s->context, s->md, 1);

    if (ret != 0) {
        teardown_kdf(c);
        return cs_fail("mbedtls_md_setup");
    }
#endif
    return CS_OK;
}

static int call_pbkdf2(cs_case *c)
{
    struct kdf_state *s = c->state;

#if MBEDTLS_VERSION_NUMBER >= 0x03030000
    return from_mbedtls(mbedtls_pkcs5_pbkdf2_hmac_ext(s->kind->md, c->key.data, c->key.len, s->salt.data, s->salt.len,
                                                      s->iterations, (uint32_t)c->out_len, c->out));
#else
    return from_mbedtls(mbedtls_pkcs5_pbkdf2_hmac(&s->context, c->key.data, c->key.len, s->salt.data, s->salt.len,
                                                  s->iterations, (uint32_t)c->out_len, c->out));
#endif
}

#if MBEDTLS_VERSION_NUMBER >= 0x03030000
#define PBKDF2_NAME "mbedtls_pkcs5_pbkdf2_hmac_ext"
#else
#define PBKDF2_NAME "mbedtls_pkcs5_pbkdf2_hmac"
#endif
#define KDF_ROW(ALGORITHM, NAME, FUNCTIONS, SETUP, MD, BYTES)                                                          \
    {                                                                                                                  \
        .id = ALGORITHM "/derive", .impl = "default", .name = NAME, .setup = SETUP, .call = call_##FUNCTIONS,          \
        .rekey = cs_key_in_call, .teardown = teardown_kdf, .param = &(const struct kdf_kind)                           \
        {                                                                                                              \
            MD, BYTES                                                                                                  \
        }                                                                                                              \
    }

static const cs_op rows[] = {
    KDF_ROW("hkdf-sha-256", "mbedtls_hkdf", hkdf, setup_kdf, MBEDTLS_MD_SHA256, 32),
    KDF_ROW("hkdf-sha-512", "mbedtls_hkdf", hkdf, setup_kdf, MBEDTLS_MD_SHA512, 64),
    KDF_ROW("pbkdf2-hmac-sha-1", PBKDF2_NAME, pbkdf2, setup_pbkdf2, MBEDTLS_MD_SHA1, 20),
    KDF_ROW("pbkdf2-hmac-sha-256", PBKDF2_NAME, pbkdf2, setup_pbkdf2, MBEDTLS_MD_SHA256, 32),
    KDF_ROW("pbkdf2-hmac-sha-512", PBKDF2_NAME, pbkdf2, setup_pbkdf2, MBEDTLS_MD_SHA512, 64),
};
const cs_table mbedtls_kdf = CS_TABLE(rows);
