/* SPDX-License-Identifier: Apache-2.0
 *
 * wolfSSL adapter: HKDF, PBKDF2, and scrypt where the build has it; each one function without a context.
 */
#include "adapter.h"

#include <wolfssl/wolfcrypt/hash.h>
#include <wolfssl/wolfcrypt/hmac.h>
#include <wolfssl/wolfcrypt/pwdbased.h>

/* What a row points to: the hash, and the bytes of output. */
struct kdf_kind {
    int hash;
    size_t bytes;
};

struct kdf_state {
    int hash, iterations;
    cs_span salt, info;
    int cost, r, p; /* `cost` is the logarithm of N */
};

static int kdf_setup(cs_case *c)
{
    const struct kdf_kind *kind = c->op->param;
    struct kdf_state *s = cs_new_state(c, sizeof *s);

    if (s == NULL)
        return CS_ERROR;
    s->hash = kind->hash;
    s->salt = cs_input(c, "salt");
    s->info = cs_input(c, "info");
    s->iterations = (int)cs_param_number(c, "iterations", 0);
    c->out_len = kind->bytes;
    return CS_OK;
}

static int hkdf_call(cs_case *c)
{
    const struct kdf_state *s = c->state;

    return from_wc(wc_HKDF(s->hash, c->key.data, (word32)c->key.len, s->salt.data, (word32)s->salt.len, s->info.data,
                           (word32)s->info.len, c->out, (word32)c->out_len));
}

static int pbkdf2_call(cs_case *c)
{
    const struct kdf_state *s = c->state;

    return from_wc(wc_PBKDF2(c->out, c->key.data, (int)c->key.len, s->salt.data, (int)s->salt.len, s->iterations,
                             (int)c->out_len, s->hash));
}

#ifdef HAVE_SCRYPT
static int scrypt_setup(cs_case *c)
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

static int scrypt_call(cs_case *c)
{
    const struct kdf_state *s = c->state;

    return from_wc(wc_scrypt(c->out, c->key.data, (int)c->key.len, s->salt.data, (int)s->salt.len, s->cost, s->r, s->p,
                             (int)c->out_len));
}
#endif

/* clang-format off */
#define KDF_ROW(ALGORITHM, NAME, SETUP, CALL, HASH, BYTES)                                                             \
    {.id = ALGORITHM "/derive", .impl = "default", .name = NAME, .setup = SETUP, .call = CALL, .rekey = cs_key_in_call, .teardown = cs_teardown_state, .param = &(const struct kdf_kind){HASH, BYTES}}

static const cs_op rows[] = {
    KDF_ROW("hkdf-sha-256", "wc_HKDF", kdf_setup, hkdf_call, WC_SHA256, 32),
    KDF_ROW("hkdf-sha-512", "wc_HKDF", kdf_setup, hkdf_call, WC_SHA512, 64),
    KDF_ROW("pbkdf2-hmac-sha-1", "wc_PBKDF2", kdf_setup, pbkdf2_call, WC_SHA, 20),
    KDF_ROW("pbkdf2-hmac-sha-256", "wc_PBKDF2", kdf_setup, pbkdf2_call, WC_SHA256, 32),
    KDF_ROW("pbkdf2-hmac-sha-512", "wc_PBKDF2", kdf_setup, pbkdf2_call, WC_SHA512, 64),
#ifdef HAVE_SCRYPT
    KDF_ROW("scrypt", "wc_scrypt", scrypt_setup, scrypt_call, 0, 64),
#endif
};
/* clang-format on */

const cs_table wolfssl_kdf = CS_TABLE(rows);
