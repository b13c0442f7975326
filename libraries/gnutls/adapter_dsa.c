/* SPDX-License-Identifier: Apache-2.0
 *
 * GnuTLS: DSA, on abstract keys. A key is always generated with domain parameters of its own.
 *
 * Entry points: gnutls_privkey_import_dsa_raw, gnutls_pubkey_import_dsa_raw, gnutls_privkey_export_dsa_raw2.
 */
#include "dsa.h"
#include "adapter.h"

static const struct scheme dsa_sha256 = {.algorithm = GNUTLS_SIGN_DSA_SHA256};
static const struct scheme dsa_sha256_rfc6979 = {.algorithm = GNUTLS_SIGN_DSA_SHA256,
                                                 .flags = GNUTLS_PRIVKEY_FLAG_REPRODUCIBLE};

static int dsa_setup(cs_case *c)
{
    const cs_dsa_key of = cs_dsa_numbers(c);
    const gnutls_datum_t p = datum(of.p), q = datum(of.q), g = datum(of.g), y = datum(of.y), x = datum(of.x);
    struct key_state *s = new_keys(c);

    if (s == NULL)
        return CS_ERROR;
    return key_ready(c, x.data != NULL ? gnutls_privkey_import_dsa_raw(s->key, &p, &q, &g, &y, &x)
                                       : gnutls_pubkey_import_dsa_raw(s->pub, &p, &q, &g, &y));
}

static cs_span span(gnutls_datum_t bytes)
{
    return (cs_span){.data = bytes.data, .len = bytes.size};
}

/* The key that was made with the domain parameters is let go. */
static int put_domain(cs_case *c, gnutls_privkey_t key)
{
    gnutls_datum_t p, q, g, y, x;
    int status = gnutls_privkey_export_dsa_raw2(key, &p, &q, &g, &y, &x, 0);

    if (status < 0)
        return done(status);
    status = cs_dsa_put_domain(c, span(p), span(q), span(g));
    gnutls_free(p.data);
    gnutls_free(q.data);
    gnutls_free(g.data);
    gnutls_free(y.data);
    gnutls_free(x.data);
    return status;
}

static const struct kind dsa_domain = {.algorithm = GNUTLS_PK_DSA, .bits = CS_DSA_P_BITS, .put = put_domain};

/* Signing and verification are the calls of adapter_pkey.c. */
#define DSA_ROW(VERB, IMPL, NAME, CALL, ...)                                                                           \
    {.id = "dsa-2048-sha256/" VERB,                                                                                    \
     .impl = IMPL,                                                                                                     \
     .name = NAME,                                                                                                     \
     .setup = dsa_setup,                                                                                               \
     .call = CALL,                                                                                                     \
     .rekey = cs_setup_again,                                                                                          \
     .teardown = key_teardown,                                                                                         \
     .form = "der",                                                                                                    \
     __VA_ARGS__}

static const cs_op rows[] = {
    DSA_ROW("sign", "default", "gnutls_privkey_sign_data2", sign_call, .param = &dsa_sha256, .seed = seed_random),
    DSA_ROW("sign", "rfc6979", "gnutls_privkey_sign_data2 REPRODUCIBLE", sign_call, .param = &dsa_sha256_rfc6979),
    DSA_ROW("verify", "default", "gnutls_pubkey_verify_data2", verify_call, .param = &dsa_sha256),
    {.id = "dsa-2048-sha256/paramgen",
     .impl = "default",
     .name = "gnutls_privkey_generate",
     .setup = keygen_setup,
     .call = keygen_call,
     .param = &dsa_domain,
     .seed = seed_random},
};
const cs_table gnutls_dsa = CS_TABLE(rows);
