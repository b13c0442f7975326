/* SPDX-License-Identifier: Apache-2.0
 *
 * LibTomCrypt: HKDF, and PBKDF2 under its name in PKCS #5; each one function without a context.
 */
#include "adapter_kdf.h"

struct kdf_state {
    cs_span salt, info;
    int hash; /* its place in the library's table */
    int iterations;
};

int kdf_setup(cs_case *c)
{
    const struct ltc_hash_descriptor *hash = c->op->param;
    struct kdf_state *s = new_state(c, sizeof *s);

    if (s == NULL)
        return CS_ERROR;
    s->salt = cs_input(c, "salt");
    s->info = cs_input(c, "info");
    s->iterations = (int)cs_param_number(c, "iterations", 0);
    s->hash = register_hash(hash);
    c->out_len = hash->hashsize;
    if (s->hash >= 0)
        return CS_OK;
    free_state(c);
    return cs_fail("register_hash: the table is full");
}

int hkdf_call(cs_case *c)
{
    const struct kdf_state *s = c->state;

    return from_ltc(hkdf(s->hash, s->salt.data, s->salt.len, s->info.data, s->info.len, c->key.data, c->key.len, c->out,
                         c->out_len));
}

int pbkdf2_call(cs_case *c)
{
    const struct kdf_state *s = c->state;
    unsigned long len = c->out_len;
    const int error =
        pkcs_5_alg2(c->key.data, c->key.len, s->salt.data, s->salt.len, s->iterations, s->hash, c->out, &len);

    /* A password of no bytes: HMAC takes no such key. */
    return error == CRYPT_INVALID_KEYSIZE ? CS_BAD_KEY : from_ltc(error);
}
