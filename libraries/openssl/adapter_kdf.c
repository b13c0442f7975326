/* SPDX-License-Identifier: Apache-2.0
 *
 * OpenSSL adapter: HKDF, PBKDF2, scrypt and Argon2id, through EVP_KDF. https://docs.openssl.org/3.0/man3/EVP_KDF/
 *
 * A context keeps the hash and the costs; secret, salt and info are given to it anew in every call.
 */
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/kdf.h>
#include <openssl/params.h>

#include "session.h"

/* What a row points to: the KDF's name to fetch, the hash that its HMAC is made of or NULL, and the bytes of output. */
struct kdf_kind {
    const char *kdf;
    const char *digest;
    size_t bytes;
};

struct kdf_state {
    EVP_KDF_CTX *context;
    OSSL_PARAM inputs[4];
};

static const char *kdf_unavailable(const struct cs_op *op)
{
    const struct kdf_kind *kind = op->param;
    EVP_KDF *kdf = EVP_KDF_fetch(NULL, kind->kdf, NULL);
    const char *reason = kdf == NULL ? "no loaded provider has this function" : NULL;

    EVP_KDF_free(kdf);
    ERR_clear_error();
    return reason;
}

static const char *kdf_fetch(const struct cs_op *op, void **fetched)
{
    const struct kdf_kind *kind = op->param;

    *fetched = EVP_KDF_fetch(NULL, kind->kdf, NULL);
    return *fetched != NULL ? NULL : "EVP_KDF_fetch fails";
}

static void kdf_teardown(cs_case *c)
{
    struct kdf_state *s = c->state;

    EVP_KDF_CTX_free(s->context);
    cs_free(s);
    c->state = NULL;
}

static OSSL_PARAM octets(const char *name, cs_span input)
{
    return OSSL_PARAM_construct_octet_string(name, (void *)(uintptr_t)input.data, input.len);
}

/* The context with what it keeps: `costs`, and the hash if the row names one. */
static int kdf_setup(cs_case *c, const OSSL_PARAM *costs)
{
    const struct kdf_kind *kind = c->op->param;
    struct kdf_state *s = cs_alloc(sizeof *s);
    OSSL_PARAM digest[2] = {OSSL_PARAM_construct_end(), OSSL_PARAM_construct_end()};

    if (s == NULL)
        return CS_ERROR;
    c->state = s;
    c->out_len = kind->bytes;
    s->inputs[1] = octets(OSSL_KDF_PARAM_SALT, cs_input(c, "salt"));
    s->inputs[2] = s->inputs[3] = OSSL_PARAM_construct_end();
    s->context = EVP_KDF_CTX_new(c->fetched);
    if (kind->digest != NULL)
        digest[0] = OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, (char *)(uintptr_t)kind->digest, 0);
    if (s->context != NULL && EVP_KDF_CTX_set_params(s->context, digest) == 1 &&
        EVP_KDF_CTX_set_params(s->context, costs) == 1)
        return CS_OK;
    kdf_teardown(c);
    return session_fail("EVP_KDF_CTX_set_params");
}

static int hkdf_setup(cs_case *c)
{
    const OSSL_PARAM none = OSSL_PARAM_construct_end();
    int status = kdf_setup(c, &none);

    if (status == CS_OK)
        ((struct kdf_state *)c->state)->inputs[2] = octets(OSSL_KDF_PARAM_INFO, cs_input(c, "info"));
    return status;
}

static int derive(cs_case *c)
{
    struct kdf_state *s = c->state;

    return EVP_KDF_derive(s->context, c->out, c->out_len, s->inputs) == 1 ? CS_OK : session_fail("EVP_KDF_derive");
}

static int hkdf_call(cs_case *c)
{
    struct kdf_state *s = c->state;

    s->inputs[0] = octets(OSSL_KDF_PARAM_KEY, c->key);
    return derive(c);
}

static int password_call(cs_case *c)
{
    struct kdf_state *s = c->state;

    s->inputs[0] = octets(OSSL_KDF_PARAM_PASSWORD, c->key);
    return derive(c);
}

static int pbkdf2_setup(cs_case *c)
{
    uint64_t iterations = cs_param_number(c, "iterations", 0);
    const OSSL_PARAM costs[] = {OSSL_PARAM_construct_uint64(OSSL_KDF_PARAM_ITER, &iterations),
                                OSSL_PARAM_construct_end()};

    return kdf_setup(c, costs);
}

/* The limit of memory that the library sets itself is 32 MiB. */
static int scrypt_setup(cs_case *c)
{
    uint64_t n = cs_param_number(c, "n", 0), most = UINT64_MAX;
    uint32_t r = (uint32_t)cs_param_number(c, "r", 0), p = (uint32_t)cs_param_number(c, "p", 0);
    const OSSL_PARAM costs[] = {OSSL_PARAM_construct_uint64(OSSL_KDF_PARAM_SCRYPT_N, &n),
                                OSSL_PARAM_construct_uint32(OSSL_KDF_PARAM_SCRYPT_R, &r),
                                OSSL_PARAM_construct_uint32(OSSL_KDF_PARAM_SCRYPT_P, &p),
                                OSSL_PARAM_construct_uint64(OSSL_KDF_PARAM_SCRYPT_MAXMEM, &most),
                                OSSL_PARAM_construct_end()};

    return cs_memory_there(128 * n * r) == CS_OK ? kdf_setup(c, costs) : CS_ERROR;
}

#if OPENSSL_VERSION_NUMBER >= 0x30200000L
/* One thread, which is what the library takes without a word: more need a limit of threads to be set for the process.
 */
static int argon2id_setup(cs_case *c)
{
    uint32_t m = (uint32_t)cs_param_number(c, "m", 0), t = (uint32_t)cs_param_number(c, "t", 0);
    uint32_t p = (uint32_t)cs_param_number(c, "p", 0);
    const OSSL_PARAM costs[] = {OSSL_PARAM_construct_uint32(OSSL_KDF_PARAM_ARGON2_MEMCOST, &m),
                                OSSL_PARAM_construct_uint32(OSSL_KDF_PARAM_ITER, &t),
                                OSSL_PARAM_construct_uint32(OSSL_KDF_PARAM_ARGON2_LANES, &p),
                                OSSL_PARAM_construct_end()};

    return cs_memory_there((uint64_t)m * 1024) == CS_OK ? kdf_setup(c, costs) : CS_ERROR;
}
#endif

/* ---- rows ---- */

#define KDF_ROW(ALGORITHM, KDF, DIGEST, BYTES, FUNCTIONS, CALL)                                                        \
    {.id = ALGORITHM "/derive",                                                                                        \
     .impl = "default",                                                                                                \
     .name = "EVP_KDF_derive " KDF,                                                                                    \
     .setup = FUNCTIONS##_setup,                                                                                       \
     .call = CALL,                                                                                                     \
     .rekey = cs_key_in_call,                                                                                          \
     .teardown = kdf_teardown,                                                                                         \
     .param = &(const struct kdf_kind){KDF, DIGEST, BYTES},                                                            \
     FETCHED(kdf)}
#define PBKDF2_ROW(ALGORITHM, DIGEST, BYTES)                                                                           \
    KDF_ROW("pbkdf2-hmac-" ALGORITHM, "PBKDF2", DIGEST, BYTES, pbkdf2, password_call)

static const cs_op rows[] = {
    KDF_ROW("hkdf-sha-256", "HKDF", "SHA256", 32, hkdf, hkdf_call),
    KDF_ROW("hkdf-sha-512", "HKDF", "SHA512", 64, hkdf, hkdf_call),
    PBKDF2_ROW("sha-1", "SHA1", 20),
    PBKDF2_ROW("sha-256", "SHA256", 32),
    PBKDF2_ROW("sha-512", "SHA512", 64),
    KDF_ROW("scrypt", "SCRYPT", NULL, 64, scrypt, password_call),
#if OPENSSL_VERSION_NUMBER >= 0x30200000L
    KDF_ROW("argon2id", "ARGON2ID", NULL, 32, argon2id, password_call),
#endif
};
const cs_table openssl_kdf = CS_TABLE(rows);
