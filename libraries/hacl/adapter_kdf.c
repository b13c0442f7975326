/* SPDX-License-Identifier: Apache-2.0
 *
 * HACL*: HKDF through EverCrypt, which chooses the code of the hash.
 */
#include <EverCrypt_HKDF.h>

#include "adapter.h"

/* What a row points to: the hash, and the bytes of a digest and of the output. */
struct hkdf_kind {
    Spec_Hash_Definitions_hash_alg hash;
    uint32_t bytes;
};

struct hkdf_state {
    cs_span salt, info;
};

static int setup_hkdf(cs_case *c)
{
    const struct hkdf_kind *kind = c->op->param;
    struct hkdf_state *s = cs_alloc(sizeof *s);

    if (s == NULL)
        return CS_ERROR;
    s->salt = cs_input(c, "salt");
    s->info = cs_input(c, "info");
    c->state = s;
    c->out_len = kind->bytes;
    return CS_OK;
}

static int call_hkdf(cs_case *c)
{
    const struct hkdf_kind *kind = c->op->param;
    const struct hkdf_state *s = c->state;
    uint8_t prk[64];

    EverCrypt_HKDF_extract(kind->hash, prk, bytes_of(s->salt), (uint32_t)s->salt.len, bytes_of(c->key),
                           (uint32_t)c->key.len);
    EverCrypt_HKDF_expand(kind->hash, c->out, prk, kind->bytes, bytes_of(s->info), (uint32_t)s->info.len, kind->bytes);
    return CS_OK;
}

#define HKDF_ROW(ALGORITHM, HASH, BYTES)                                                                               \
    {                                                                                                                  \
        .id = ALGORITHM "/derive", .impl = "default", .name = "EverCrypt_HKDF_extract, EverCrypt_HKDF_expand",         \
        .setup = setup_hkdf, .call = call_hkdf, .rekey = cs_key_in_call, .teardown = cs_teardown_state,                \
        .param = &(const struct hkdf_kind)                                                                             \
        {                                                                                                              \
            HASH, BYTES                                                                                                \
        }                                                                                                              \
    }

static const cs_op rows[] = {
    HKDF_ROW("hkdf-sha-256", Spec_Hash_Definitions_SHA2_256, 32),
    HKDF_ROW("hkdf-sha-512", Spec_Hash_Definitions_SHA2_512, 64),
};
const cs_table hacl_kdf = CS_TABLE(rows);
