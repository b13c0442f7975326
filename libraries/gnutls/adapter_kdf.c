/* SPDX-License-Identifier: Apache-2.0
 *
 * GnuTLS adapter: HKDF and PBKDF2.
 *
 * Entry points: gnutls_hkdf_extract, gnutls_hkdf_expand, gnutls_pbkdf2.
 */
#include "adapter.h"

/* What a row points to: the MAC, and the bytes of output, which are those of the MAC. */
struct kdf_kind {
    gnutls_mac_algorithm_t mac;
    size_t bytes;
};

struct kdf_state {
    gnutls_mac_algorithm_t mac;
    gnutls_datum_t salt, info;
    unsigned iterations;
};

static int kdf_setup(cs_case *c)
{
    const struct kdf_kind *kind = c->op->param;
    struct kdf_state *s = cs_alloc(sizeof *s);

    if (s == NULL)
        return CS_ERROR;
    s->mac = kind->mac;
    s->salt = datum(cs_input(c, "salt"));
    s->info = datum(cs_input(c, "info"));
    s->iterations = (unsigned)cs_param_number(c, "iterations", 0);
    c->state = s;
    c->out_len = kind->bytes;
    return CS_OK;
}

static int hkdf_call(cs_case *c)
{
    const struct kdf_state *s = c->state;
    const gnutls_datum_t secret = datum(c->key);
    uint8_t prk[64];
    const gnutls_datum_t key = {prk, (unsigned)c->out_len};
    int status = gnutls_hkdf_extract(s->mac, &secret, &s->salt, prk);

    return done(status < 0 ? status : gnutls_hkdf_expand(s->mac, &key, &s->info, c->out, c->out_len));
}

static int pbkdf2_call(cs_case *c)
{
    const struct kdf_state *s = c->state;
    const gnutls_datum_t password = datum(c->key);

    return done(gnutls_pbkdf2(s->mac, &password, &s->salt, s->iterations, c->out, c->out_len));
}

#define KDF_ROW(ALGORITHM, NAME, CALL, MAC, BYTES)                                                                     \
    {                                                                                                                  \
        .id = ALGORITHM "/derive", .impl = "default", .name = NAME, .setup = kdf_setup, .call = CALL,                  \
        .rekey = cs_key_in_call, .teardown = cs_teardown_state, .param = &(const struct kdf_kind)                      \
        {                                                                                                              \
            MAC, BYTES                                                                                                 \
        }                                                                                                              \
    }

static const cs_op rows[] = {
    KDF_ROW("hkdf-sha-256", "gnutls_hkdf_extract, gnutls_hkdf_expand", hkdf_call, GNUTLS_MAC_SHA256, 32),
    KDF_ROW("hkdf-sha-512", "gnutls_hkdf_extract, gnutls_hkdf_expand", hkdf_call, GNUTLS_MAC_SHA512, 64),
    KDF_ROW("pbkdf2-hmac-sha-1", "gnutls_pbkdf2", pbkdf2_call, GNUTLS_MAC_SHA1, 20),
    KDF_ROW("pbkdf2-hmac-sha-256", "gnutls_pbkdf2", pbkdf2_call, GNUTLS_MAC_SHA256, 32),
    KDF_ROW("pbkdf2-hmac-sha-512", "gnutls_pbkdf2", pbkdf2_call, GNUTLS_MAC_SHA512, 64),
};
const cs_table gnutls_kdf = CS_TABLE(rows);
