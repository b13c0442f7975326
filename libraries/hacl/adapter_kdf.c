/* SPDX-License-Identifier: Apache-2.0
 *
 * HACL*: HKDF through EverCrypt, which chooses the code of the hash.
 */
#include "adapter_kdf.h"

struct hkdf_state {
    cs_span salt, info;
};

int setup_hkdf(cs_case *c)
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

int call_hkdf(cs_case *c)
{
    const struct hkdf_kind *kind = c->op->param;
    const struct hkdf_state *s = c->state;
    uint8_t prk[64];

    EverCrypt_HKDF_extract(kind->hash, prk, bytes_of(s->salt), (uint32_t)s->salt.len, bytes_of(c->key),
                           (uint32_t)c->key.len);
    EverCrypt_HKDF_expand(kind->hash, c->out, prk, kind->bytes, bytes_of(s->info), (uint32_t)s->info.len, kind->bytes);
    return CS_OK;
}
