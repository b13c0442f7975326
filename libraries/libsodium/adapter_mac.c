/* SPDX-License-Identifier: Apache-2.0
 *
 * libsodium: HMAC-SHA-512 on a copy of the keyed state, as HMAC-SHA-256 in adapter.c, and SipHash, which takes the key
 * in every call.
 */
#include "adapter.h"

#include <sodium.h>

struct mac_state {
    crypto_auth_hmacsha512_state keyed; /* after the key, before any message */
};

static int rekey_hmac_sha512(cs_case *c)
{
    struct mac_state *s = c->state;

    return crypto_auth_hmacsha512_init(&s->keyed, c->key.data, c->key.len) == 0 ? CS_OK : CS_ERROR;
}

static int setup_hmac_sha512(cs_case *c)
{
    c->state = cs_alloc(sizeof(struct mac_state));
    if (c->state == NULL)
        return CS_ERROR;
    c->out_len = crypto_auth_hmacsha512_BYTES;
    if (rekey_hmac_sha512(c) == CS_OK)
        return CS_OK;
    cs_teardown_state(c);
    return cs_fail("crypto_auth_hmacsha512_init");
}

static int call_hmac_sha512(cs_case *c)
{
    const struct mac_state *s = c->state;
    crypto_auth_hmacsha512_state work = s->keyed;

    if (crypto_auth_hmacsha512_update(&work, c->msg.data, c->msg.len) != 0)
        return CS_ERROR;
    return crypto_auth_hmacsha512_final(&work, c->out) == 0 ? CS_OK : CS_ERROR;
}

static int setup_siphash(cs_case *c)
{
    c->out_len = crypto_shorthash_BYTES;
    return CS_OK;
}

static int call_siphash(cs_case *c)
{
    return crypto_shorthash(c->out, c->msg.data, c->msg.len, c->key.data) == 0 ? CS_OK : CS_ERROR;
}

static const cs_op rows[] = {
    {.id = "hmac-sha-512/mac",
     .impl = "default",
     .name = "crypto_auth_hmacsha512",
     .setup = setup_hmac_sha512,
     .call = call_hmac_sha512,
     .rekey = rekey_hmac_sha512,
     .teardown = cs_teardown_state},
    {.id = "siphash-2-4/mac",
     .impl = "default",
     .name = "crypto_shorthash",
     .setup = setup_siphash,
     .call = call_siphash,
     .rekey = cs_key_in_call},
};
const cs_table libsodium_mac = CS_TABLE(rows);
