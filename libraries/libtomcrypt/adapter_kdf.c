/* SPDX-License-Identifier: Apache-2.0
 *
 * LibTomCrypt: HKDF, and PBKDF2 under its name in PKCS #5; each one function without a context.
 */
#include "adapter.h"

struct kdf_state {
    cs_span salt, info;
    int hash; /* its place in the library's table */
    int iterations;
};

static int kdf_setup(cs_case *c)
{
    const struct ltc_hash_descriptor *hash = c->op->param;
    struct kdf_state *s = cs_new_state(c, sizeof *s);

    if (s == NULL)
        return CS_ERROR;
    s->salt = cs_input(c, "salt");
    s->info = cs_input(c, "info");
    s->iterations = (int)cs_param_number(c, "iterations", 0);
    s->hash = register_hash(hash);
    c->out_len = hash->hashsize;
    if (s->hash >= 0)
        return CS_OK;
    cs_teardown_state(c);
    return cs_fail("register_hash: the table is full");
}

static int hkdf_call(cs_case *c)
{
    const struct kdf_state *s = c->state;

    return from_ltc(hkdf(s->hash, s->salt.data, s->salt.len, s->info.data, s->info.len, c->key.data, c->key.len, c->out,
                         c->out_len));
}

static int pbkdf2_call(cs_case *c)
{
    const struct kdf_state *s = c->state;
    unsigned long len = c->out_len;
    const int error =
        pkcs_5_alg2(c->key.data, c->key.len, s->salt.data, s->salt.len, s->iterations, s->hash, c->out, &len);

    /* A password of no bytes: HMAC takes no such key. */
    return error == CRYPT_INVALID_KEYSIZE ? CS_BAD_KEY : from_ltc(error);
}

/* ---- rows ---- */

/* clang-format off */
/* `param` is the library's description of the hash, whose digest is as long as the output. */
#define KDF_ROW(ALGORITHM, NAME, CALL, HASH)                                                                           \
    {.id = ALGORITHM "/derive", .impl = "default", .name = NAME, .setup = kdf_setup, .call = CALL, .rekey = cs_key_in_call, .teardown = cs_teardown_state, .param = &(HASH)}

static const cs_op rows[] = {
    KDF_ROW("hkdf-sha-256", "hkdf", hkdf_call, sha256_desc),
    KDF_ROW("hkdf-sha-512", "hkdf", hkdf_call, sha512_desc),
    KDF_ROW("pbkdf2-hmac-sha-1", "pkcs_5_alg2", pbkdf2_call, sha1_desc),
    KDF_ROW("pbkdf2-hmac-sha-256", "pkcs_5_alg2", pbkdf2_call, sha256_desc),
    KDF_ROW("pbkdf2-hmac-sha-512", "pkcs_5_alg2", pbkdf2_call, sha512_desc),
};
/* clang-format on */

const cs_table libtomcrypt_kdf = CS_TABLE(rows);
