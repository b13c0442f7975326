/* SPDX-License-Identifier: Apache-2.0
 *
 * Libgcrypt adapter: PBKDF2 and scrypt by gcry_kdf_derive; Argon2id and (from 1.11) HKDF by gcry_kdf_open, which takes
 * the secret, so that a handle serves one call.
 */
#include "adapter.h"

/* What a row points to: the function of the library, what it is made with, and the bytes of output. */
struct kdf_kind {
    int algo, inner;
    size_t bytes;
};

struct kdf_state {
    const struct kdf_kind *kind;
    cs_span salt, info;
    unsigned long iterations; /* of scrypt its p */
    int subalgo;              /* the hash; of scrypt its N */
    unsigned long params[4];
    unsigned n_params;
};

static struct kdf_state *new_kdf(cs_case *c)
{
    struct kdf_state *s = cs_alloc(sizeof *s);

    if (s == NULL)
        return NULL;
    s->kind = c->op->param;
    s->salt = cs_input(c, "salt");
    s->info = cs_input(c, "info");
    s->subalgo = s->kind->inner;
    c->state = s;
    c->out_len = s->kind->bytes;
    return s;
}

static int done(gcry_error_t error)
{
    return error == 0 ? CS_OK : cs_fail(gcry_strerror(error));
}

static int pbkdf2_setup(cs_case *c)
{
    struct kdf_state *s = new_kdf(c);

    if (s == NULL)
        return CS_ERROR;
    s->iterations = (unsigned long)cs_param_number(c, "iterations", 0);
    return CS_OK;
}

static int scrypt_setup(cs_case *c)
{
    struct kdf_state *s;

    if (cs_memory_there(128 * cs_param_number(c, "n", 0) * cs_param_number(c, "r", 0)) != CS_OK)
        return CS_ERROR;
    s = new_kdf(c);
    if (s == NULL)
        return CS_ERROR;
    s->subalgo = (int)cs_param_number(c, "n", 0);
    s->iterations = (unsigned long)cs_param_number(c, "p", 0);
    return CS_OK;
}

static int pbkdf2_call(cs_case *c)
{
    const struct kdf_state *s = c->state;

    return done(gcry_kdf_derive(c->key.data, c->key.len, s->kind->algo, s->subalgo, s->salt.data, s->salt.len,
                                s->iterations, c->out_len, c->out));
}

static int scrypt_call(cs_case *c)
{
    return pbkdf2_call(c);
}

/* ---- functions with a handle ---- */

/* Computes with `hd`, which is closed in any case. */
static int compute(cs_case *c, gcry_kdf_hd_t hd, gcry_error_t error)
{
    if (error != 0)
        return done(error);
    error = gcry_kdf_compute(hd, NULL);
    if (error == 0)
        error = gcry_kdf_final(hd, c->out_len, c->out);
    gcry_kdf_close(hd);
    return done(error);
}

static int argon2id_setup(cs_case *c)
{
    struct kdf_state *s;

    if (cs_memory_there(1024 * cs_param_number(c, "m", 0)) != CS_OK)
        return CS_ERROR;
    s = new_kdf(c);
    if (s == NULL)
        return CS_ERROR;
    s->params[0] = s->kind->bytes;
    s->params[1] = (unsigned long)cs_param_number(c, "t", 0);
    s->params[2] = (unsigned long)cs_param_number(c, "m", 0);
    s->params[3] = (unsigned long)cs_param_number(c, "p", 0);
    s->n_params = 4;
    return CS_OK;
}

/* Without jobs that the caller would spread over threads: one lane after the other. */
static int argon2id_call(cs_case *c)
{
    const struct kdf_state *s = c->state;
    gcry_kdf_hd_t hd = NULL;
    gcry_error_t error = gcry_kdf_open(&hd, s->kind->algo, s->subalgo, s->params, s->n_params, c->key.data, c->key.len,
                                       s->salt.data, s->salt.len, NULL, 0, NULL, 0);

    /* A password of no bytes. */
    return gcry_err_code(error) == GPG_ERR_INV_VALUE ? CS_BAD_KEY : compute(c, hd, error);
}

#if GCRYPT_VERSION_NUMBER >= 0x010b00
static int hkdf_setup(cs_case *c)
{
    struct kdf_state *s = new_kdf(c);

    if (s == NULL)
        return CS_ERROR;
    s->params[0] = s->kind->bytes;
    s->n_params = 1;
    return CS_OK;
}

/* The salt of HKDF is the `key` of the interface, since it is the key of the first HMAC. */
static int hkdf_call(cs_case *c)
{
    const struct kdf_state *s = c->state;
    gcry_kdf_hd_t hd = NULL;
    gcry_error_t error = gcry_kdf_open(&hd, s->kind->algo, s->subalgo, s->params, s->n_params, c->key.data, c->key.len,
                                       NULL, 0, s->salt.data, s->salt.len, s->info.data, s->info.len);

    return compute(c, hd, error);
}
#endif

#define KDF_ROW(ALGORITHM, NAME, FUNCTIONS, ALGO, INNER, BYTES, ...)                                                   \
    {.id = ALGORITHM "/derive",                                                                                        \
     .impl = "default",                                                                                                \
     .name = NAME,                                                                                                     \
     .setup = FUNCTIONS##_setup,                                                                                       \
     .call = FUNCTIONS##_call,                                                                                         \
     .rekey = cs_key_in_call,                                                                                          \
     .teardown = cs_teardown_state,                                                                                    \
     .param = &(const struct kdf_kind){ALGO, INNER, BYTES},                                                            \
     __VA_ARGS__}
#define PBKDF2_ROW(ALGORITHM, HASH, BYTES)                                                                             \
    KDF_ROW("pbkdf2-hmac-" ALGORITHM, "gcry_kdf_derive PBKDF2 " #HASH, pbkdf2, GCRY_KDF_PBKDF2, HASH, BYTES,           \
            .seeded = 0)

/* The library's scrypt has r = 8 and no other. */
static const cs_op rows[] = {
    PBKDF2_ROW("sha-1", GCRY_MD_SHA1, 20),
    PBKDF2_ROW("sha-256", GCRY_MD_SHA256, 32),
    PBKDF2_ROW("sha-512", GCRY_MD_SHA512, 64),
    KDF_ROW("scrypt", "gcry_kdf_derive SCRYPT", scrypt, GCRY_KDF_SCRYPT, 0, 64, .params = "r=8"),
    KDF_ROW("argon2id", "gcry_kdf_open ARGON2ID", argon2id, GCRY_KDF_ARGON2, GCRY_KDF_ARGON2ID, 32, .seeded = 0),
#if GCRYPT_VERSION_NUMBER >= 0x010b00
    KDF_ROW("hkdf-sha-256", "gcry_kdf_open HKDF", hkdf, GCRY_KDF_HKDF, GCRY_MAC_HMAC_SHA256, 32, .seeded = 0),
    KDF_ROW("hkdf-sha-512", "gcry_kdf_open HKDF", hkdf, GCRY_KDF_HKDF, GCRY_MAC_HMAC_SHA512, 64, .seeded = 0),
#endif
};

const cs_table libgcrypt_kdf = CS_TABLE(rows);
