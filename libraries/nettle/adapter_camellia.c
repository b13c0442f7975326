/* SPDX-License-Identifier: Apache-2.0
 *
 * Nettle: Camellia in CBC and SM4 in CTR, each by the generic function of the mode.
 */
#include <string.h>

#include <nettle/camellia.h>
#include <nettle/cbc.h>
#include <nettle/ctr.h>
#include <nettle/nettle-meta.h>
#include <nettle/version.h>

#include "adapter.h"

#define HAS_SM4 (NETTLE_VERSION_MAJOR > 3 || NETTLE_VERSION_MINOR >= 9)
#if HAS_SM4
#include <nettle/sm4.h>
#endif

enum { BLOCK = 16 };

struct keyed {
    union {
        struct camellia128_ctx camellia;
#if HAS_SM4
        struct sm4_ctx sm4;
#endif
    } key;
    uint8_t iv[BLOCK]; /* running */
};

static int other_encrypt_rekey(cs_case *c)
{
    const struct nettle_cipher *cipher = c->op->param;
    struct keyed *s = c->state;

    cipher->set_encrypt_key(&s->key, c->key.data);
    return CS_OK;
}

static int other_decrypt_rekey(cs_case *c)
{
    const struct nettle_cipher *cipher = c->op->param;
    struct keyed *s = c->state;

    cipher->set_decrypt_key(&s->key, c->key.data);
    return CS_OK;
}

static int other_encrypt_setup(cs_case *c)
{
    c->out_len = c->msg.len;
    return cs_new_state(c, sizeof(struct keyed)) == NULL ? CS_ERROR : other_encrypt_rekey(c);
}

static int other_decrypt_setup(cs_case *c)
{
    c->out_len = c->msg.len;
    return cs_new_state(c, sizeof(struct keyed)) == NULL ? CS_ERROR : other_decrypt_rekey(c);
}

static int other_cbc_encrypt_call(cs_case *c)
{
    const struct nettle_cipher *cipher = c->op->param;
    struct keyed *s = c->state;

    memcpy(s->iv, c->iv.data, BLOCK);
    cbc_encrypt(&s->key, cipher->encrypt, BLOCK, s->iv, c->msg.len, c->out, c->msg.data);
    return CS_OK;
}

static int other_cbc_decrypt_call(cs_case *c)
{
    const struct nettle_cipher *cipher = c->op->param;
    struct keyed *s = c->state;

    memcpy(s->iv, c->iv.data, BLOCK);
    cbc_decrypt(&s->key, cipher->decrypt, BLOCK, s->iv, c->msg.len, c->out, c->msg.data);
    return CS_OK;
}

#if HAS_SM4
static int other_ctr_call(cs_case *c)
{
    const struct nettle_cipher *cipher = c->op->param;
    struct keyed *s = c->state;

    memcpy(s->iv, c->iv.data, BLOCK);
    ctr_crypt(&s->key, cipher->encrypt, BLOCK, s->iv, c->msg.len, c->out, c->msg.data);
    return CS_OK;
}
#endif

/* clang-format off */
/* `param` is Nettle's description of the cipher. */
static const cs_op rows[] = {
    {.id = "camellia-128-cbc/encrypt", .impl = "default", .name = "cbc_encrypt camellia128", .setup = other_encrypt_setup, .call = other_cbc_encrypt_call, .rekey = other_encrypt_rekey, .teardown = cs_teardown_state, .param = &nettle_camellia128, .block = 16},
    {.id = "camellia-128-cbc/decrypt", .impl = "default", .name = "cbc_decrypt camellia128", .setup = other_decrypt_setup, .call = other_cbc_decrypt_call, .rekey = other_decrypt_rekey, .teardown = cs_teardown_state, .param = &nettle_camellia128, .block = 16},
#if HAS_SM4
    {.id = "sm4-ctr/encrypt", .impl = "default", .name = "ctr_crypt sm4", .setup = other_encrypt_setup, .call = other_ctr_call, .rekey = other_encrypt_rekey, .teardown = cs_teardown_state, .param = &nettle_sm4},
#endif
};
const cs_table nettle_camellia = CS_TABLE(rows);
/* clang-format on */
