/* SPDX-License-Identifier: Apache-2.0
 *
 * BoringSSL and AWS-LC adapter: HKDF, PBKDF2 and scrypt, each one function without a context.
 */
#include <openssl/evp.h>
#include <openssl/hkdf.h>

#include "adapter.h"

/* What a row points to: a function that gives the hash, NULL for scrypt, and the bytes of output. */
struct kdf_kind {
    const EVP_MD *(*digest)(void);
    size_t bytes;
};

struct kdf_state {
    const EVP_MD *digest;
    cs_span salt, info;
    unsigned iterations;
    uint64_t n, r, p;
};

static struct kdf_state *new_kdf(cs_case *c)
{
    const struct kdf_kind *kind = c->op->param;
    struct kdf_state *s = cs_alloc(sizeof *s);

    if (s == NULL)
        return NULL;
    s->digest = kind->digest == NULL ? NULL : kind->digest();
    s->salt = cs_input(c, "salt");
    s->info = cs_input(c, "info");
    c->state = s;
    c->out_len = kind->bytes;
    return s;
}

static int kdf_setup(cs_case *c)
{
    return new_kdf(c) != NULL ? CS_OK : CS_ERROR;
}

static int hkdf_call(cs_case *c)
{
    const struct kdf_state *s = c->state;

    return HKDF(c->out, c->out_len, s->digest, c->key.data, c->key.len, s->salt.data, s->salt.len, s->info.data,
                s->info.len) == 1
               ? CS_OK
               : session_fail("HKDF");
}

static int pbkdf2_setup(cs_case *c)
{
    struct kdf_state *s = new_kdf(c);

    if (s == NULL)
        return CS_ERROR;
    s->iterations = (unsigned)cs_param_number(c, "iterations", 0);
    return CS_OK;
}

static int pbkdf2_call(cs_case *c)
{
    const struct kdf_state *s = c->state;

    return PKCS5_PBKDF2_HMAC((const char *)c->key.data, c->key.len, s->salt.data, s->salt.len, s->iterations, s->digest,
                             c->out_len, c->out) == 1
               ? CS_OK
               : session_fail("PKCS5_PBKDF2_HMAC");
}

static int scrypt_setup(cs_case *c)
{
    struct kdf_state *s;

    if (cs_memory_there(128 * cs_param_number(c, "n", 0) * cs_param_number(c, "r", 0)) != CS_OK)
        return CS_ERROR;
    s = new_kdf(c);
    if (s == NULL)
        return CS_ERROR;
    s->n = cs_param_number(c, "n", 0);
    s->r = cs_param_number(c, "r", 0);
    s->p = cs_param_number(c, "p", 0);
    return CS_OK;
}

/* The limit of memory that the library sets itself is 65 MiB. */
static int scrypt_call(cs_case *c)
{
    const struct kdf_state *s = c->state;

    return EVP_PBE_scrypt((const char *)c->key.data, c->key.len, s->salt.data, s->salt.len, s->n, s->r, s->p, SIZE_MAX,
                          c->out, c->out_len) == 1
               ? CS_OK
               : session_fail("EVP_PBE_scrypt");
}

/* ---- rows ---- */

#define KDF_ROW(ALGORITHM, NAME, SETUP, CALL, DIGEST, BYTES)                                                           \
    {                                                                                                                  \
        .id = ALGORITHM "/derive", .impl = "default", .name = NAME, .setup = SETUP, .call = CALL,                      \
        .rekey = cs_key_in_call, .teardown = cs_teardown_state, .param = &(const struct kdf_kind)                      \
        {                                                                                                              \
            DIGEST, BYTES                                                                                              \
        }                                                                                                              \
    }
#define PBKDF2_ROW(ALGORITHM, DIGEST, BYTES)                                                                           \
    KDF_ROW("pbkdf2-hmac-" ALGORITHM, "PKCS5_PBKDF2_HMAC " #DIGEST, pbkdf2_setup, pbkdf2_call, DIGEST, BYTES)

static const cs_op rows[] = {
    KDF_ROW("hkdf-sha-256", "HKDF EVP_sha256", kdf_setup, hkdf_call, EVP_sha256, 32),
    KDF_ROW("hkdf-sha-512", "HKDF EVP_sha512", kdf_setup, hkdf_call, EVP_sha512, 64),
    PBKDF2_ROW("sha-1", EVP_sha1, 20),
    PBKDF2_ROW("sha-256", EVP_sha256, 32),
    PBKDF2_ROW("sha-512", EVP_sha512, 64),
    KDF_ROW("scrypt", "EVP_PBE_scrypt", scrypt_setup, scrypt_call, NULL, 64),
};
const cs_table boringssl_kdf = CS_TABLE(rows);
