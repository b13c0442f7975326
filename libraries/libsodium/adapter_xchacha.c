/* SPDX-License-Identifier: Apache-2.0
 *
 * libsodium: XChaCha20-Poly1305, which its manual advises for random nonces.
 */
#include <sodium.h>

#include "adapter.h"

static int setup_xchacha_seal(cs_case *c)
{
    c->out_len = c->msg.len + crypto_aead_xchacha20poly1305_ietf_ABYTES;
    return CS_OK;
}

static int setup_xchacha_open(cs_case *c)
{
    c->out_len = c->msg.len;
    return CS_OK;
}

static int call_xchacha_seal(cs_case *c)
{
    const int failed = crypto_aead_xchacha20poly1305_ietf_encrypt(c->out, NULL, c->msg.data, c->msg.len, c->aad.data,
                                                                  c->aad.len, NULL, c->iv.data, c->key.data);
    return failed == 0 ? CS_OK : CS_ERROR;
}

/* All lengths are right, so a refusal by the library can only mean the tag. */
static int call_xchacha_open(cs_case *c)
{
    const int refused = crypto_aead_xchacha20poly1305_ietf_decrypt_detached(
        c->out, NULL, c->msg.data, c->msg.len, c->tag.data, c->aad.data, c->aad.len, c->iv.data, c->key.data);
    return refused == 0 ? CS_OK : CS_REJECTED;
}

#define XCHACHA_ROW(VERB)                                                                                              \
    {.id = "xchacha20-poly1305/" #VERB,                                                                                \
     .impl = "default",                                                                                                \
     .name = "crypto_aead_xchacha20poly1305_ietf",                                                                     \
     .setup = setup_xchacha_##VERB,                                                                                    \
     .call = call_xchacha_##VERB,                                                                                      \
     .rekey = cs_key_in_call}

static const cs_op rows[] = {
    XCHACHA_ROW(seal),
    XCHACHA_ROW(open),
};
const cs_table libsodium_xchacha = CS_TABLE(rows);
