/* SPDX-License-Identifier: Apache-2.0
 *
 * BoringSSL and AWS-LC adapter: key agreement in finite fields.
 */
#include <openssl/bn.h>
#include <openssl/dh.h>
#include <openssl/err.h>

#include "ffdhe.h"
#include "adapter.h"

struct agreement {
    DH *dh;
    BIGNUM *peer;
};

static void ffdh_teardown(cs_case *c)
{
    struct agreement *s = c->state;

    BN_free(s->peer);
    DH_free(s->dh);
    cs_free(s);
    c->state = NULL;
}

/* The group as numbers: BoringSSL has the smaller one by name alone. */
static DH *new_group(const struct cs_ffdhe *of)
{
    DH *dh = DH_new();
    BIGNUM *p = BN_bin2bn(of->p, of->bytes, NULL);
    BIGNUM *q = BN_bin2bn(of->q, of->bytes, NULL);
    BIGNUM *g = BN_new();

    if (dh != NULL && p != NULL && q != NULL && g != NULL && BN_set_word(g, CS_FFDHE_GENERATOR) == 1 &&
        DH_set0_pqg(dh, p, q, g) == 1)
        return dh;
    BN_free(g);
    BN_free(q);
    BN_free(p);
    DH_free(dh);
    return NULL;
}

static int open_group(cs_case *c)
{
    struct agreement *s = cs_alloc(sizeof *s);

    if (s == NULL)
        return CS_ERROR;
    c->state = s;
    s->dh = new_group(c->op->param);
    if (s->dh != NULL)
        return CS_OK;
    ffdh_teardown(c);
    return session_fail("DH_set0_pqg");
}

static int ffdh_setup(cs_case *c)
{
    struct agreement *s;
    BIGNUM *key;

    if (open_group(c) != CS_OK)
        return CS_ERROR;
    s = c->state;
    c->out_len = c->pub.len;
    s->peer = BN_bin2bn(c->pub.data, c->pub.len, NULL);
    key = BN_bin2bn(c->key.data, c->key.len, NULL);
    if (s->peer != NULL && key != NULL && DH_set0_key(s->dh, NULL, key) == 1)
        return CS_OK;
    BN_free(key);
    ffdh_teardown(c);
    return session_fail("DH_set0_key");
}

/* The public value is checked in every call. */
static int ffdh_call(cs_case *c)
{
    const struct agreement *s = c->state;

    if (DH_compute_key_padded(c->out, s->peer, s->dh) == (int)c->out_len)
        return CS_OK;
    if (ERR_GET_REASON(ERR_peek_last_error()) != DH_R_INVALID_PUBKEY)
        return session_fail("DH_compute_key_padded");
    ERR_clear_error();
    return CS_BAD_KEY;
}

static int ffdh_keygen_setup(cs_case *c)
{
    (void)c;
    return CS_OK;
}

/* A key is drawn once for a DH object; making one is part of the call. */
static int ffdh_keygen_call(cs_case *c)
{
    const struct cs_ffdhe *of = c->op->param;
    DH *dh = new_group(of);
    int done = dh != NULL && DH_generate_key(dh) == 1 &&
               BN_bn2bin_padded(c->out, of->bytes, DH_get0_priv_key(dh)) == 1 &&
               BN_bn2bin_padded(c->out + of->bytes, of->bytes, DH_get0_pub_key(dh)) == 1;

    DH_free(dh);
    c->out_len = 2 * of->bytes;
    return done ? CS_OK : session_fail("DH_generate_key");
}

/* ---- rows ---- */

/* clang-format off */
#define FFDH_ROWS_OF(ALGORITHM, GROUP)                                                                                 \
    {.id = ALGORITHM "/derive", .impl = "default", .name = "DH_compute_key_padded", .setup = ffdh_setup, .call = ffdh_call, .rekey = cs_setup_again, .teardown = ffdh_teardown, .param = &(GROUP)}, \
    {.id = ALGORITHM "/keygen", .impl = "default", .name = "DH_generate_key", .setup = ffdh_keygen_setup, .call = ffdh_keygen_call, .param = &(GROUP), .seed = random_seed}
/* clang-format on */

static const cs_op rows[] = {FFDH_ROWS_OF("dh-2048", cs_ffdhe_2048), FFDH_ROWS_OF("dh-3072", cs_ffdhe_3072)};
const cs_table boringssl_ffdh = CS_TABLE(rows);
