/* SPDX-License-Identifier: Apache-2.0
 *
 * GnuTLS: keys out of DER, as abstract keys. A call frees the key of the call before.
 *
 * Entry points: gnutls_pubkey_init, gnutls_pubkey_import, gnutls_privkey_init, gnutls_privkey_import_x509_raw.
 */
#include "adapter.h"

#include <string.h>

#include <gnutls/x509.h>

enum { EXPONENT = 4 };

static void forget(struct key_state *s)
{
    if (s->pub != NULL)
        gnutls_pubkey_deinit(s->pub);
    if (s->key != NULL)
        gnutls_privkey_deinit(s->key);
    s->pub = NULL;
    s->key = NULL;
}

/* Without keys: new_keys makes both. */
static int import_setup(cs_case *c)
{
    c->state = cs_alloc(sizeof(struct key_state));
    return c->state != NULL ? CS_OK : CS_ERROR;
}

static void import_teardown(cs_case *c)
{
    forget(c->state);
    cs_free(c->state);
    c->state = NULL;
}

/* What is refused is the input's fault, but for a want of memory. The row's `param` is the kind of keys. */
static int judged(const cs_case *c, int status, int kind)
{
    struct key_state *s = c->state;

    if (status >= 0 && kind == *(const int *)c->op->param)
        return CS_OK;
    forget(s);
    return status == GNUTLS_E_MEMORY_ERROR ? done(status) : CS_REJECTED;
}

static int import_public_call(cs_case *c)
{
    struct key_state *s = c->state;
    gnutls_datum_t bytes = datum(c->msg);
    int status;

    forget(s);
    status = gnutls_pubkey_init(&s->pub);
    if (status < 0)
        return done(status);
    status = gnutls_pubkey_import(s->pub, &bytes, GNUTLS_X509_FMT_DER);
    return judged(c, status, status < 0 ? status : gnutls_pubkey_get_pk_algorithm(s->pub, NULL));
}

static int import_private_call(cs_case *c)
{
    struct key_state *s = c->state;
    gnutls_datum_t bytes = datum(c->msg);
    int status;

    forget(s);
    status = gnutls_privkey_init(&s->key);
    if (status < 0)
        return done(status);
    status = gnutls_privkey_import_x509_raw(s->key, &bytes, GNUTLS_X509_FMT_DER, NULL, 0);
    return judged(c, status, status < 0 ? status : gnutls_privkey_get_pk_algorithm(s->key, NULL));
}

/* Right-aligned in `len` bytes; frees what the library gave. 1 if it fits. */
static int put(uint8_t *at, size_t len, gnutls_datum_t *number)
{
    size_t skip = 0;
    int fits;

    while (skip < number->size && number->data[skip] == 0)
        skip++;
    fits = number->size - skip <= len;
    if (fits) {
        memset(at, 0, len);
        memcpy(at + len - (number->size - skip), number->data + skip, number->size - skip);
    }
    gnutls_free(number->data);
    return fits;
}

static int import_public_finish(cs_case *c)
{
    struct key_state *s = c->state;
    gnutls_datum_t n, e;
    size_t len = c->out_cap - EXPONENT;
    int status = gnutls_pubkey_export_rsa_raw2(s->pub, &n, &e, 0), fits;

    forget(s);
    if (status < 0)
        return done(status);
    fits = put(c->out, len, &n);
    fits &= put(c->out + len, EXPONENT, &e);
    c->out_len = c->out_cap;
    return fits ? CS_OK : cs_fail("a number of the key is longer than it should be");
}

static int import_private_finish(cs_case *c)
{
    struct key_state *s = c->state;
    gnutls_datum_t p, q;
    size_t len = c->out_cap / 2;
    int status = gnutls_privkey_export_rsa_raw2(s->key, NULL, NULL, NULL, &p, &q, NULL, NULL, NULL, 0), fits;

    forget(s);
    if (status < 0)
        return done(status);
    fits = put(c->out, len, &p);
    fits &= put(c->out + len, len, &q);
    c->out_len = c->out_cap;
    return fits ? CS_OK : cs_fail("a number of the key is longer than it should be");
}

/* ---- P-256: the library keeps x and y, and the scalar ---- */

static int import_point_finish(cs_case *c)
{
    struct key_state *s = c->state;
    gnutls_ecc_curve_t curve;
    gnutls_datum_t x, y;
    int status = gnutls_pubkey_export_ecc_raw2(s->pub, &curve, &x, &y, 0), fits;

    forget(s);
    if (status < 0)
        return done(status);
    c->out[0] = 4;
    fits = put(c->out + 1, CS_P256_BYTES, &x);
    fits &= put(c->out + 1 + CS_P256_BYTES, CS_P256_BYTES, &y);
    c->out_len = c->out_cap;
    return fits && curve == GNUTLS_ECC_CURVE_SECP256R1 ? CS_OK : cs_fail("the key is on another curve");
}

static int import_scalar_finish(cs_case *c)
{
    struct key_state *s = c->state;
    gnutls_datum_t k;
    int status = gnutls_privkey_export_ecc_raw2(s->key, NULL, NULL, NULL, &k, 0), fits;

    forget(s);
    if (status < 0)
        return done(status);
    fits = put(c->out, c->out_cap, &k);
    c->out_len = c->out_cap;
    return fits ? CS_OK : cs_fail("a number of the key is longer than it should be");
}

#define IMPORT_ROW(ID, NAME, CALL, FINISH, KIND)                                                                       \
    {.id = ID,                                                                                                         \
     .impl = "default",                                                                                                \
     .name = NAME,                                                                                                     \
     .setup = import_setup,                                                                                            \
     .call = import_##CALL##_call,                                                                                     \
     .finish = import_##FINISH##_finish,                                                                               \
     .teardown = import_teardown,                                                                                      \
     .param = &(const int){KIND},                                                                                      \
     .seed = seed_random}
#define IMPORT_ROWS_OF(KEYS, PUBLIC, PRIVATE, KIND)                                                                    \
    IMPORT_ROW(KEYS "-spki/import-public", "gnutls_pubkey_import", public, PUBLIC, KIND),                              \
        IMPORT_ROW(KEYS "-pkcs8/import-private", "gnutls_privkey_import_x509_raw", private, PRIVATE, KIND)

static const cs_op rows[] = {
    IMPORT_ROWS_OF("rsa-2048", public, private, GNUTLS_PK_RSA),
    IMPORT_ROWS_OF("rsa-4096", public, private, GNUTLS_PK_RSA),
    IMPORT_ROWS_OF("p-256", point, scalar, GNUTLS_PK_ECDSA),
};
const cs_table gnutls_import = CS_TABLE(rows);
