/* SPDX-License-Identifier: Apache-2.0
 *
 * GnuTLS: key agreement in finite fields, in the library's own groups.
 *
 * Entry points: gnutls_dh_params_import_raw3, gnutls_privkey_import_dh_raw, gnutls_privkey_derive_secret,
 * gnutls_privkey_generate2.
 */
#include <string.h>

#include <gnutls/x509.h>

#include "adapter.h"

#if GNUTLS_VERSION_NUMBER >= 0x030802
/* What a row points to: numbers of the library's. */
struct ffdh_group {
    unsigned bits;
    const gnutls_datum_t *p, *q, *g;
};

/* NULL if there is no memory. */
static gnutls_dh_params_t new_group(const struct ffdh_group *of)
{
    gnutls_dh_params_t group;

    if (gnutls_dh_params_init(&group) < 0)
        return NULL;
    if (gnutls_dh_params_import_raw3(group, of->p, of->q, of->g) == 0)
        return group;
    gnutls_dh_params_deinit(group);
    return NULL;
}

/* The public part of the private key is not looked at: the generator stands in for it. A public value
 * of zero is no number to the library. */
static int ffdh_setup(cs_case *c)
{
    const gnutls_datum_t key = datum(c->key), pub = datum(c->pub);
    const struct ffdh_group *of = c->op->param;
    gnutls_dh_params_t group = new_group(of);
    struct key_state *s = group != NULL ? new_keys(c) : NULL;
    int status = GNUTLS_E_MEMORY_ERROR, refused = 0;

    c->out_len = c->pub.len;
    if (s != NULL) {
        status = gnutls_privkey_import_dh_raw(s->key, group, of->g, &key);
        refused = status >= 0 && gnutls_pubkey_import_dh_raw(s->pub, group, &pub) == GNUTLS_E_MPI_SCAN_FAILED;
    }
    gnutls_dh_params_deinit(group);
    if (s == NULL)
        return done(status);
    if (!refused)
        return key_ready(c, status);
    key_teardown(c);
    return CS_BAD_KEY;
}

/* The secret comes without leading zeros. */
static int ffdh_call(cs_case *c)
{
    const struct key_state *s = c->state;
    gnutls_datum_t secret;
    int status = gnutls_privkey_derive_secret(s->key, s->pub, NULL, &secret, 0);

    if (status == GNUTLS_E_PK_INVALID_PUBKEY || status == GNUTLS_E_RECEIVED_ILLEGAL_PARAMETER)
        return CS_BAD_KEY;
    if (status < 0)
        return done(status);
    status = cs_put_number(c->out, c->out_len, (cs_span){.data = secret.data, .len = secret.size});
    gnutls_free(secret.data);
    return status;
}

/* ---- key generation ---- */

static int ffdh_keygen_setup(cs_case *c)
{
    c->state = new_group(c->op->param);
    return c->state != NULL ? CS_OK : cs_fail("gnutls_dh_params_import_raw3");
}

static void ffdh_keygen_teardown(cs_case *c)
{
    gnutls_dh_params_deinit(c->state);
    c->state = NULL;
}

static int put_pair(cs_case *c, gnutls_privkey_t key, size_t bytes)
{
    gnutls_datum_t x, y;
    int status = gnutls_privkey_export_dh_raw(key, NULL, &y, &x, 0);

    if (status < 0)
        return done(status);
    c->out_len = 2 * bytes;
    status = cs_put_number(c->out, bytes, (cs_span){.data = x.data, .len = x.size});
    status |= cs_put_number(c->out + bytes, bytes, (cs_span){.data = y.data, .len = y.size});
    gnutls_free(x.data);
    gnutls_free(y.data);
    return status;
}

static int ffdh_keygen_call(cs_case *c)
{
    const struct ffdh_group *of = c->op->param;
    const gnutls_keygen_data_st data = {.type = GNUTLS_KEYGEN_DH, .data = c->state, .size = 0};
    gnutls_privkey_t key;
    int status = gnutls_privkey_init(&key);

    if (status < 0)
        return done(status);
    status = gnutls_privkey_generate2(key, GNUTLS_PK_DH, of->bits, 0, &data, 1);
    status = status < 0 ? done(status) : put_pair(c, key, of->bits / 8);
    gnutls_privkey_deinit(key);
    return status;
}

/* clang-format off */
#define FFDH_GROUP(BITS)                                                                                               \
    .param = &(const struct ffdh_group){BITS, &gnutls_ffdhe_##BITS##_group_prime, &gnutls_ffdhe_##BITS##_group_q, &gnutls_ffdhe_##BITS##_group_generator}
#define FFDH_ROWS_OF(ALGORITHM, BITS)                                                                                  \
    {.id = ALGORITHM "/derive", .impl = "default", .name = "gnutls_privkey_derive_secret", .setup = ffdh_setup, .call = ffdh_call, .rekey = cs_setup_again, .teardown = key_teardown, FFDH_GROUP(BITS)}, \
    {.id = ALGORITHM "/keygen", .impl = "default", .name = "gnutls_privkey_generate2", .setup = ffdh_keygen_setup, .call = ffdh_keygen_call, .teardown = ffdh_keygen_teardown, FFDH_GROUP(BITS), .seed = seed_random}
/* clang-format on */

static const cs_op rows[] = {
    FFDH_ROWS_OF("dh-2048", 2048),
    FFDH_ROWS_OF("dh-3072", 3072),
};
const cs_table gnutls_ffdh = CS_TABLE(rows);
#else
const cs_table gnutls_ffdh = {NULL, 0};
#endif
