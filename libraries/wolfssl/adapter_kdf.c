/* SPDX-License-Identifier: Apache-2.0
 *
 * wolfSSL adapter: HKDF, PBKDF2, and scrypt where the build has it; each one function without a context.
 */
#include "adapter_kdf.h"

#include <wolfssl/wolfcrypt/hmac.h>
#include <wolfssl/wolfcrypt/pwdbased.h>

struct kdf_state {
    int hash, iterations;
    cs_span salt, info;
    int cost, r, p; /* `cost` is the logarithm of N */
};

int kdf_setup(cs_case *c)
{
    const struct kdf_kind *kind = c->op->param;
    struct kdf_state *s = new_state(c, sizeof *s);

    if (s == NULL)
        return CS_ERROR;
    s->hash = kind->hash;
    s->salt = cs_input(c, "salt");
    s->info = cs_input(c, "info");
    s->iterations = (int)cs_param_number(c, "iterations", 0);
    c->out_len = kind->bytes;
    return CS_OK;
}

int hkdf_call(cs_case *c)
{
    const struct kdf_state *s = c->state;

    return from_wc(wc_HKDF(s->hash, c->key.data, (word32)c->key.len, s->salt.data, (word32)s->salt.len, s->info.data,
                           (word32)s->info.len, c->out, (word32)c->out_len));
}

int pbkdf2_call(cs_case *c)
{
    const struct kdf_state *s = c->state;

    return from_wc(wc_PBKDF2(c->out, c->key.data, (int)c->key.len, s->salt.data, (int)s->salt.len, s->iterations,
                             (int)c->out_len, s->hash));
}

#ifdef HAVE_SCRYPT
int scrypt_setup(cs_case *c)
{
    const uint64_t n = cs_param_number(c, "n", 0);
    struct kdf_state *s;

    if (cs_memory_there(128 * n * cs_param_number(c, "r", 0)) != CS_OK || kdf_setup(c) != CS_OK)
        return CS_ERROR;
    s = c->state;
    while (((uint64_t)2 << s->cost) <= n)
        s->cost++;
    s->r = (int)cs_param_number(c, "r", 0);
    s->p = (int)cs_param_number(c, "p", 0);
    return CS_OK;
}

int scrypt_call(cs_case *c)
{
    const struct kdf_state *s = c->state;

    return from_wc(wc_scrypt(c->out, c->key.data, (int)c->key.len, s->salt.data, (int)s->salt.len, s->cost, s->r, s->p,
                             (int)c->out_len));
}
#endif
