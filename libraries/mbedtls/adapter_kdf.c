/* SPDX-License-Identifier: Apache-2.0
 *
 * Mbed TLS adapter: HKDF, and PBKDF2 of PKCS #5. Before 3.3 the latter takes a context of HMAC, which its caller keeps
 * and which holds no key between calls.
 */
#include <mbedtls/hkdf.h>
#include <mbedtls/pkcs5.h>

#include "adapter_kdf.h"

struct kdf_state {
    const struct kdf_kind *kind;
    const mbedtls_md_info_t *md;
    cs_span salt, info;
    unsigned iterations;
    mbedtls_md_context_t context;
};

int setup_kdf(cs_case *c)
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

void teardown_kdf(cs_case *c)
{
    struct kdf_state *s = c->state;

    mbedtls_md_free(&s->context);
    cs_free(s);
    c->state = NULL;
}

int call_hkdf(cs_case *c)
{
    const struct kdf_state *s = c->state;

    return from_mbedtls(mbedtls_hkdf(s->md, s->salt.data, s->salt.len, c->key.data, c->key.len, s->info.data,
                                     s->info.len, c->out, c->out_len));
}

int setup_pbkdf2(cs_case *c)
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

int call_pbkdf2(cs_case *c)
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
