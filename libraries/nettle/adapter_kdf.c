/* SPDX-License-Identifier: Apache-2.0
 *
 * Nettle: HKDF over an HMAC that the caller keys, and PBKDF2.
 */
#include <nettle/hkdf.h>
#include <nettle/hmac.h>
#include <nettle/pbkdf2.h>

#include "adapter.h"

struct kdf_state {
    cs_span salt, info;
    unsigned iterations;
};

static int kdf_setup(cs_case *c)
{
    struct kdf_state *s = cs_new_state(c, sizeof *s);
    const size_t *bytes = c->op->param;

    if (s == NULL)
        return CS_ERROR;
    s->salt = cs_input(c, "salt");
    s->info = cs_input(c, "info");
    s->iterations = (unsigned)cs_param_number(c, "iterations", 0);
    c->out_len = *bytes;
    return CS_OK;
}

#define HKDF_CALL(HASH, BYTES)                                                                                         \
    static int hkdf_##HASH##_call(cs_case *c)                                                                          \
    {                                                                                                                  \
        const struct kdf_state *s = c->state;                                                                          \
        struct hmac_##HASH##_ctx hmac;                                                                                 \
        uint8_t prk[BYTES];                                                                                            \
                                                                                                                       \
        hmac_##HASH##_set_key(&hmac, s->salt.len, s->salt.data);                                                       \
        hkdf_extract(&hmac, (nettle_hash_update_func *)hmac_##HASH##_update,                                           \
                     (nettle_hash_digest_func *)hmac_##HASH##_digest, BYTES, c->key.len, c->key.data, prk);            \
        hmac_##HASH##_set_key(&hmac, BYTES, prk);                                                                      \
        hkdf_expand(&hmac, (nettle_hash_update_func *)hmac_##HASH##_update,                                            \
                    (nettle_hash_digest_func *)hmac_##HASH##_digest, BYTES, s->info.len, s->info.data, c->out_len,     \
                    c->out);                                                                                           \
        return CS_OK;                                                                                                  \
    }

HKDF_CALL(sha256, SHA256_DIGEST_SIZE)
HKDF_CALL(sha512, SHA512_DIGEST_SIZE)

#define PBKDF2_CALL(HASH)                                                                                              \
    static int pbkdf2_##HASH##_call(cs_case *c)                                                                        \
    {                                                                                                                  \
        const struct kdf_state *s = c->state;                                                                          \
                                                                                                                       \
        pbkdf2_hmac_##HASH(c->key.len, c->key.data, s->iterations, s->salt.len, s->salt.data, c->out_len, c->out);     \
        return CS_OK;                                                                                                  \
    }

PBKDF2_CALL(sha1)
PBKDF2_CALL(sha256)
PBKDF2_CALL(sha512)

/* `param` is the bytes of output. */
#define KDF_ROW(ALGORITHM, NAME, CALL, BYTES)                                                                          \
    {                                                                                                                  \
        .id = ALGORITHM "/derive", .impl = "default", .name = NAME, .setup = kdf_setup, .call = CALL,                  \
        .rekey = cs_key_in_call, .teardown = cs_teardown_state, .param = &(const size_t)                               \
        {                                                                                                              \
            BYTES                                                                                                      \
        }                                                                                                              \
    }

static const cs_op rows[] = {
    KDF_ROW("hkdf-sha-256", "hkdf_extract, hkdf_expand", hkdf_sha256_call, 32),
    KDF_ROW("hkdf-sha-512", "hkdf_extract, hkdf_expand", hkdf_sha512_call, 64),
    KDF_ROW("pbkdf2-hmac-sha-1", "pbkdf2_hmac_sha1", pbkdf2_sha1_call, 20),
    KDF_ROW("pbkdf2-hmac-sha-256", "pbkdf2_hmac_sha256", pbkdf2_sha256_call, 32),
    KDF_ROW("pbkdf2-hmac-sha-512", "pbkdf2_hmac_sha512", pbkdf2_sha512_call, 64),
};
const cs_table nettle_kdf = CS_TABLE(rows);
