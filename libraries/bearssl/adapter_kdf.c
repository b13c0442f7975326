/* SPDX-License-Identifier: Apache-2.0
 *
 * BearSSL adapter: HKDF (bearssl_kdf.h).
 */
#include "adapter.h"

struct hkdf_state {
    cs_span salt, info;
};

/* The row's `param` is a br_hash_class, whose digest is as long as the output. */
static int bear_hkdf_setup(cs_case *c)
{
    const br_hash_class *hash = c->op->param;
    struct hkdf_state *state = cs_alloc(sizeof *state);

    if (state == NULL) {
        return CS_ERROR;
    }
    state->salt = cs_input(c, "salt");
    state->info = cs_input(c, "info");
    c->state = state;
    c->out_len = (hash->desc >> BR_HASHDESC_OUT_OFF) & BR_HASHDESC_OUT_MASK;
    return CS_OK;
}

static int bear_hkdf(cs_case *c)
{
    const struct hkdf_state *state = c->state;
    br_hkdf_context context;

    br_hkdf_init(&context, c->op->param, state->salt.data, state->salt.len);
    br_hkdf_inject(&context, c->key.data, c->key.len);
    br_hkdf_flip(&context);
    return br_hkdf_produce(&context, state->info.data, state->info.len, c->out, c->out_len) == c->out_len ? CS_OK
                                                                                                          : CS_ERROR;
}

/* -- rows -- */

/* clang-format off */
static const cs_op rows[] = {
    {.id = "hkdf-sha-256/derive", .impl = "default", .name = "br_hkdf, br_sha256", .setup = bear_hkdf_setup, .call = bear_hkdf, .rekey = cs_key_in_call, .teardown = cs_teardown_state, .param = &br_sha256_vtable},
    {.id = "hkdf-sha-512/derive", .impl = "default", .name = "br_hkdf, br_sha512", .setup = bear_hkdf_setup, .call = bear_hkdf, .rekey = cs_key_in_call, .teardown = cs_teardown_state, .param = &br_sha512_vtable},
};
/* clang-format on */

const cs_table bearssl_kdf = CS_TABLE(rows);
