/* SPDX-License-Identifier: Apache-2.0
 *
 * wolfSSL: keys out of DER. A call frees the key of the call before.
 *
 * Entry points: wc_InitRsaKey, wc_RsaPublicKeyDecode, wc_RsaPrivateKeyDecode, wc_FreeRsaKey; wc_ecc_init_ex,
 * wc_EccPublicKeyDecode, wc_EccPrivateKeyDecode, wc_ecc_free.
 */
#include "adapter.h"

#include <wolfssl/wolfcrypt/asn.h>
#include <wolfssl/wolfcrypt/asn_public.h>
#include <wolfssl/wolfcrypt/ecc.h>
#include <wolfssl/wolfcrypt/rsa.h>

enum { EXPONENT = 4 };

struct import {
    RsaKey key;
    int is_there;
};

static int import_setup(cs_case *c)
{
    return cs_new_state(c, sizeof(struct import)) != NULL ? CS_OK : CS_ERROR;
}

static void forget(struct import *s)
{
    if (s->is_there)
        (void)wc_FreeRsaKey(&s->key);
    s->is_there = 0;
}

static void import_teardown(cs_case *c)
{
    forget(c->state);
    cs_teardown_state(c);
}

/* An empty key in the place of the one before. */
static int renew(struct import *s)
{
    int error;

    forget(s);
    error = wc_InitRsaKey(&s->key, NULL);
    s->is_there = error == 0;
    return error;
}

/* What is refused is the input's fault, but for a want of memory. */
static int judged(int error)
{
    if (error == MEMORY_E)
        return from_wc(error);
    return error == 0 ? CS_OK : CS_REJECTED;
}

static int import_public_call(cs_case *c)
{
    struct import *s = c->state;
    word32 at = 0;
    int error = renew(s);

    return error != 0 ? from_wc(error) : judged(wc_RsaPublicKeyDecode(c->msg.data, &at, &s->key, (word32)c->msg.len));
}

static int import_private_call(cs_case *c)
{
    struct import *s = c->state;
    word32 at = 0;
    int error = renew(s);

    return error != 0 ? from_wc(error) : judged(wc_RsaPrivateKeyDecode(c->msg.data, &at, &s->key, (word32)c->msg.len));
}

static int finish(cs_case *c, mp_int *first, mp_int *second, size_t len)
{
    int error = mp_to_unsigned_bin_len(first, c->out, (int)len);

    if (error == 0)
        error = mp_to_unsigned_bin_len(second, c->out + len, (int)(c->out_cap - len));
    forget(c->state);
    c->out_len = c->out_cap;
    return from_wc(error);
}

static int import_public_finish(cs_case *c)
{
    struct import *s = c->state;

    return finish(c, &s->key.n, &s->key.e, c->out_cap - EXPONENT);
}

static int import_private_finish(cs_case *c)
{
    struct import *s = c->state;

    return finish(c, &s->key.p, &s->key.q, c->out_cap / 2);
}

/* ---- P-256 ---- */

struct ec_import {
    ecc_key key;
    int is_there;
};

static int ec_import_setup(cs_case *c)
{
    return cs_new_state(c, sizeof(struct ec_import)) != NULL ? CS_OK : CS_ERROR;
}

static void ec_forget(struct ec_import *s)
{
    if (s->is_there)
        (void)wc_ecc_free(&s->key);
    s->is_there = 0;
}

static void ec_import_teardown(cs_case *c)
{
    ec_forget(c->state);
    cs_teardown_state(c);
}

typedef int (*ec_decode)(const byte *input, word32 *at, ecc_key *key, word32 len);

static int ec_import_call(cs_case *c, ec_decode decode)
{
    struct ec_import *s = c->state;
    word32 at = 0;
    int error;

    ec_forget(s);
    error = wc_ecc_init_ex(&s->key, NULL, INVALID_DEVID);
    if (error != 0)
        return from_wc(error);
    s->is_there = 1;
    error = decode(c->msg.data, &at, &s->key, (word32)c->msg.len);
    if (error == 0 && wc_ecc_get_curve_id(s->key.idx) != ECC_SECP256R1)
        return CS_REJECTED;
    return judged(error);
}

static int point_import_call(cs_case *c)
{
    return ec_import_call(c, wc_EccPublicKeyDecode);
}

static int scalar_import_call(cs_case *c)
{
    return ec_import_call(c, wc_EccPrivateKeyDecode);
}

static int point_import_finish(cs_case *c)
{
    struct ec_import *s = c->state;
    word32 len = (word32)c->out_cap;
    int error = wc_ecc_export_x963(&s->key, c->out, &len);

    ec_forget(s);
    c->out_len = len;
    return from_wc(error);
}

static int scalar_import_finish(cs_case *c)
{
    struct ec_import *s = c->state;
    word32 len = (word32)c->out_cap;
    int error = wc_ecc_export_private_only(&s->key, c->out, &len);

    ec_forget(s);
    c->out_len = len;
    return from_wc(error);
}

/* clang-format off */
#define IMPORT_ROW(ID, NAME, KIND)                                                                                     \
    {.id = ID, .impl = "default", .name = NAME, .setup = import_setup, .call = import_##KIND##_call, .finish = import_##KIND##_finish, .teardown = import_teardown}

static const cs_op rows[] = {
    IMPORT_ROW("rsa-2048-spki/import-public", "wc_RsaPublicKeyDecode", public),
    IMPORT_ROW("rsa-2048-pkcs8/import-private", "wc_RsaPrivateKeyDecode", private),
    IMPORT_ROW("rsa-4096-spki/import-public", "wc_RsaPublicKeyDecode", public),
    IMPORT_ROW("rsa-4096-pkcs8/import-private", "wc_RsaPrivateKeyDecode", private),
    {.id = "p-256-spki/import-public", .impl = "default", .name = "wc_EccPublicKeyDecode", .setup = ec_import_setup, .call = point_import_call, .finish = point_import_finish, .teardown = ec_import_teardown},
    {.id = "p-256-pkcs8/import-private", .impl = "default", .name = "wc_EccPrivateKeyDecode", .setup = ec_import_setup, .call = scalar_import_call, .finish = scalar_import_finish, .teardown = ec_import_teardown},
};
/* clang-format on */

const cs_table wolfssl_import = CS_TABLE(rows);
