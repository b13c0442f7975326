/* SPDX-License-Identifier: Apache-2.0
 *
 * BoringSSL and AWS-LC adapter: keys out of DER. A call frees the key of the call before.
 *
 * Entry points: EVP_parse_public_key, EVP_parse_private_key.
 */
#include <openssl/bn.h>
#include <openssl/bytestring.h>
#include <openssl/ec.h>
#include <openssl/ec_key.h>
#include <openssl/rsa.h>

#include "adapter.h"

enum { EXPONENT = 4 };

static int import_setup(cs_case *c)
{
    return session_new(c) != NULL ? CS_OK : CS_ERROR;
}

static void forget(struct session *s)
{
    EVP_PKEY_free(s->key);
    s->key = NULL;
}

/* The row's `param` is the number of the keys' type. */
static int judged(const cs_case *c, const char *entry_point)
{
    const struct session *s = c->state;

    return s->key != NULL && EVP_PKEY_id(s->key) == *(const int *)c->op->param ? CS_OK : session_reject(entry_point);
}

static int import_public_call(cs_case *c)
{
    struct session *s = c->state;
    CBS bytes;

    forget(s);
    CBS_init(&bytes, c->msg.data, c->msg.len);
    s->key = EVP_parse_public_key(&bytes);
    return judged(c, "EVP_parse_public_key");
}

static int import_private_call(cs_case *c)
{
    struct session *s = c->state;
    CBS bytes;

    forget(s);
    CBS_init(&bytes, c->msg.data, c->msg.len);
    s->key = EVP_parse_private_key(&bytes);
    return judged(c, "EVP_parse_private_key");
}

static int finish(cs_case *c, const BIGNUM *first, const BIGNUM *second, size_t len)
{
    int done = first != NULL && second != NULL && BN_bn2bin_padded(c->out, len, first) == 1 &&
               BN_bn2bin_padded(c->out + len, c->out_cap - len, second) == 1;

    forget(c->state);
    c->out_len = c->out_cap;
    return done ? CS_OK : session_fail("BN_bn2bin_padded");
}

static int import_public_finish(cs_case *c)
{
    const struct session *s = c->state;
    const BIGNUM *n, *e;

    RSA_get0_key(EVP_PKEY_get0_RSA(s->key), &n, &e, NULL);
    return finish(c, n, e, c->out_cap - EXPONENT);
}

static int import_private_finish(cs_case *c)
{
    const struct session *s = c->state;
    const BIGNUM *p, *q;

    RSA_get0_factors(EVP_PKEY_get0_RSA(s->key), &p, &q);
    return finish(c, p, q, c->out_cap / 2);
}

static int import_point_finish(cs_case *c)
{
    const struct session *s = c->state;
    const EC_KEY *key = EVP_PKEY_get0_EC_KEY(s->key);

    c->out_len = EC_POINT_point2oct(EC_KEY_get0_group(key), EC_KEY_get0_public_key(key), POINT_CONVERSION_UNCOMPRESSED,
                                    c->out, c->out_cap, NULL);
    forget(c->state);
    return c->out_len != 0 ? CS_OK : session_fail("EC_POINT_point2oct");
}

static int import_scalar_finish(cs_case *c)
{
    const struct session *s = c->state;
    int done = BN_bn2bin_padded(c->out, c->out_cap, EC_KEY_get0_private_key(EVP_PKEY_get0_EC_KEY(s->key))) == 1;

    forget(c->state);
    c->out_len = c->out_cap;
    return done ? CS_OK : session_fail("BN_bn2bin_padded");
}

/* ---- rows ---- */

#define IMPORT_ROW(ID, NAME, CALL, FINISH, TYPE)                                                                       \
    {.id = ID,                                                                                                         \
     .impl = "default",                                                                                                \
     .name = NAME,                                                                                                     \
     .setup = import_setup,                                                                                            \
     .call = import_##CALL##_call,                                                                                     \
     .finish = import_##FINISH##_finish,                                                                               \
     .teardown = session_free,                                                                                         \
     .param = &(const int){TYPE},                                                                                      \
     .seed = random_seed}
#define IMPORT_ROWS_OF(KEYS, PUBLIC, PRIVATE, TYPE)                                                                    \
    IMPORT_ROW(KEYS "-spki/import-public", "EVP_parse_public_key", public, PUBLIC, TYPE),                              \
        IMPORT_ROW(KEYS "-pkcs8/import-private", "EVP_parse_private_key", private, PRIVATE, TYPE)

static const cs_op rows[] = {
    IMPORT_ROWS_OF("rsa-2048", public, private, EVP_PKEY_RSA),
    IMPORT_ROWS_OF("rsa-4096", public, private, EVP_PKEY_RSA),
    IMPORT_ROWS_OF("p-256", point, scalar, EVP_PKEY_EC),
};
const cs_table boringssl_import = CS_TABLE(rows);
