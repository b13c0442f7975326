/* SPDX-License-Identifier: Apache-2.0
 *
 * libsodium: HMAC-SHA-512 on a copy of the keyed state, as HMAC-SHA-256 in adapter.c, and SipHash, which takes the key
 * in every call.
 */
#include "adapter_mac.h"

#include <sodium.h>

struct mac_state {
    crypto_auth_hmacsha512_state keyed; /* after the key, before any message */
};

void teardown_mac(cs_case *c)
{
    cs_free(c->state);
    c->state = NULL;
}

int rekey_hmac_sha512(cs_case *c)
{
    struct mac_state *s = c->state;

    return crypto_auth_hmacsha512_init(&s->keyed, c->key.data, c->key.len) == 0 ? CS_OK : CS_ERROR;
}

int setup_hmac_sha512(cs_case *c)
{
    c->state = cs_alloc(sizeof(struct mac_state));
    if (c->state == NULL)
        return CS_ERROR;
    c->out_len = crypto_auth_hmacsha512_BYTES;
    if (rekey_hmac_sha512(c) == CS_OK)
        return CS_OK;
    teardown_mac(c);
    return cs_fail("crypto_auth_hmacsha512_init");
}

int call_hmac_sha512(cs_case *c)
{
    const struct mac_state *s = c->state;
    crypto_auth_hmacsha512_state work = s->keyed;

    if (crypto_auth_hmacsha512_update(&work, c->msg.data, c->msg.len) != 0)
        return CS_ERROR;
    return crypto_auth_hmacsha512_final(&work, c->out) == 0 ? CS_OK : CS_ERROR;
}

int setup_siphash(cs_case *c)
{
    c->out_len = crypto_shorthash_BYTES;
    return CS_OK;
}

int call_siphash(cs_case *c)
{
    return crypto_shorthash(c->out, c->msg.data, c->msg.len, c->key.data) == 0 ? CS_OK : CS_ERROR;
}
