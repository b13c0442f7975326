/* SPDX-License-Identifier: Apache-2.0
 *
 * OpenSSL adapter: AES-CBC by the functions below EVP, https://docs.openssl.org/3.0/man3/AES_cbc_encrypt/, which are
 * deprecated from 3.0 on: without provider, fetch or context, and on x86-64 and AArch64 without AES instructions.
 */
#define OPENSSL_SUPPRESS_DEPRECATED

#include <limits.h>
#include <string.h>

#include <openssl/aes.h>

#include "session.h"

static int bits(const cs_case *c)
{
    return (int)c->key.len * CHAR_BIT;
}

static int aes_encrypt_rekey(cs_case *c)
{
    return AES_set_encrypt_key(c->key.data, bits(c), c->state) == 0 ? CS_OK : cs_fail("AES_set_encrypt_key");
}

static int aes_decrypt_rekey(cs_case *c)
{
    return AES_set_decrypt_key(c->key.data, bits(c), c->state) == 0 ? CS_OK : cs_fail("AES_set_decrypt_key");
}

static int set_up(cs_case *c, int (*set)(cs_case *c))
{
    c->out_len = c->msg.len;
    c->state = cs_alloc(sizeof(AES_KEY));
    if (c->state == NULL)
        return CS_ERROR;
    if (set(c) == CS_OK)
        return CS_OK;
    cs_teardown_state(c);
    return CS_ERROR;
}

static int aes_encrypt_setup(cs_case *c)
{
    return set_up(c, aes_encrypt_rekey);
}

static int aes_decrypt_setup(cs_case *c)
{
    return set_up(c, aes_decrypt_rekey);
}

/* The function leaves the last block where it found the IV. */
static int call(cs_case *c, int direction)
{
    unsigned char iv[AES_BLOCK_SIZE];

    memcpy(iv, c->iv.data, sizeof iv);
    AES_cbc_encrypt(c->msg.data, c->out, c->msg.len, c->state, iv, direction);
    return CS_OK;
}

static int aes_cbc_encrypt_call(cs_case *c)
{
    return call(c, AES_ENCRYPT);
}

static int aes_cbc_decrypt_call(cs_case *c)
{
    return call(c, AES_DECRYPT);
}

/* ---- rows ---- */

#define AES_CBC_ROW(ALGORITHM, VERB)                                                                                   \
    {.id = ALGORITHM "/" #VERB,                                                                                        \
     .impl = "AES_cbc_encrypt",                                                                                        \
     .name = "AES_cbc_encrypt",                                                                                        \
     .setup = aes_##VERB##_setup,                                                                                      \
     .call = aes_cbc_##VERB##_call,                                                                                    \
     .rekey = aes_##VERB##_rekey,                                                                                      \
     .teardown = cs_teardown_state,                                                                                    \
     .block = 16}
#define AES_CBC_ROWS(ALGORITHM) AES_CBC_ROW(ALGORITHM, encrypt), AES_CBC_ROW(ALGORITHM, decrypt)

static const cs_op rows[] = {AES_CBC_ROWS("aes-128-cbc"), AES_CBC_ROWS("aes-192-cbc"), AES_CBC_ROWS("aes-256-cbc")};
const cs_table openssl_aes = CS_TABLE(rows);
