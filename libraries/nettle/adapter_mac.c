/* SPDX-License-Identifier: Apache-2.0
 *
 * Nettle adapter: HMAC with SHA-1, SHA-384 and SHA-512.
 *
 * Entry points: hmac_sha1_*, hmac_sha384_*, hmac_sha512_*.
 */
#include "adapter.h"

#include <nettle/hmac.h>

/* Taking the tag sets the context back to the keyed state. SHA-384 shares the context and the update of SHA-512. */
#define HMAC(NAME, CONTEXT, UPDATE, BYTES)                                                                             \
    static int NAME##_rekey(cs_case *c)                                                                                \
    {                                                                                                                  \
        NAME##_set_key(c->state, c->key.len, c->key.data);                                                             \
        return CS_OK;                                                                                                  \
    }                                                                                                                  \
    static int NAME##_setup(cs_case *c)                                                                                \
    {                                                                                                                  \
        if (cs_new_state(c, sizeof(CONTEXT)) == NULL)                                                                  \
            return CS_ERROR;                                                                                           \
        c->out_len = BYTES;                                                                                            \
        return NAME##_rekey(c);                                                                                        \
    }                                                                                                                  \
    static int NAME##_call(cs_case *c)                                                                                 \
    {                                                                                                                  \
        UPDATE(c->state, c->msg.len, c->msg.data);                                                                     \
        NAME##_digest(c->state, BYTES, c->out);                                                                        \
        return CS_OK;                                                                                                  \
    }

HMAC(hmac_sha1, struct hmac_sha1_ctx, hmac_sha1_update, SHA1_DIGEST_SIZE)
HMAC(hmac_sha384, struct hmac_sha512_ctx, hmac_sha384_update, SHA384_DIGEST_SIZE)
HMAC(hmac_sha512, struct hmac_sha512_ctx, hmac_sha512_update, SHA512_DIGEST_SIZE)

#define HMAC_ROW(ALGORITHM, NAME)                                                                                      \
    {.id = ALGORITHM "/mac",                                                                                           \
     .impl = "default",                                                                                                \
     .name = #NAME,                                                                                                    \
     .setup = NAME##_setup,                                                                                            \
     .call = NAME##_call,                                                                                              \
     .rekey = NAME##_rekey,                                                                                            \
     .teardown = cs_teardown_state}

static const cs_op rows[] = {
    HMAC_ROW("hmac-sha-1", hmac_sha1),
    HMAC_ROW("hmac-sha-384", hmac_sha384),
    HMAC_ROW("hmac-sha-512", hmac_sha512),
};
const cs_table nettle_mac = CS_TABLE(rows);
