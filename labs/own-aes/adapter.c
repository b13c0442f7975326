/* SPDX-License-Identifier: Apache-2.0
 *
 * AES by instructions, behind the protocol as any library's: `default` keeps the key schedule, `oneshot` makes it in
 * each call, as the pseudo-library of lelegard/cryptobench does.
 */
#include "aes.h"
#include "cipherstone.h"

static const char *version(void)
{
    return CS_PACKAGE_VERSION;
}

static const char *unavailable(const cs_op *op)
{
    (void)op;
    return own_aes_missing();
}

static int room(cs_case *c)
{
    c->out_len = c->msg.len;
    c->state = cs_alloc(sizeof(own_aes_key));
    return c->state == NULL ? CS_ERROR : CS_OK;
}

static int encryption_key(cs_case *c)
{
    own_aes_encryption_key(c->state, c->key.data, c->key.len);
    return CS_OK;
}

static int decryption_key(cs_case *c)
{
    own_aes_decryption_key(c->state, c->key.data, c->key.len);
    return CS_OK;
}

static int setup_encrypt(cs_case *c)
{
    return room(c) == CS_OK ? encryption_key(c) : CS_ERROR;
}

static int setup_decrypt(cs_case *c)
{
    return room(c) == CS_OK ? decryption_key(c) : CS_ERROR;
}

static int encrypt(cs_case *c)
{
    own_aes_cbc_encrypt(c->state, c->iv.data, c->msg.data, c->out, c->msg.len);
    return CS_OK;
}

static int decrypt(cs_case *c)
{
    own_aes_cbc_decrypt(c->state, c->iv.data, c->msg.data, c->out, c->msg.len);
    return CS_OK;
}

static int oneshot_encrypt(cs_case *c)
{
    own_aes_key key;

    own_aes_encryption_key(&key, c->key.data, c->key.len);
    own_aes_cbc_encrypt(&key, c->iv.data, c->msg.data, c->out, c->msg.len);
    return CS_OK;
}

static int oneshot_decrypt(cs_case *c)
{
    own_aes_key key;

    own_aes_decryption_key(&key, c->key.data, c->key.len);
    own_aes_cbc_decrypt(&key, c->iv.data, c->msg.data, c->out, c->msg.len);
    return CS_OK;
}

#define ROWS(algorithm)                                                                                                \
    {.id = algorithm "/encrypt",                                                                                       \
     .impl = "default",                                                                                                \
     .name = "own_aes_cbc_encrypt",                                                                                    \
     .setup = setup_encrypt,                                                                                           \
     .call = encrypt,                                                                                                  \
     .rekey = encryption_key,                                                                                          \
     .teardown = cs_teardown_state,                                                                                    \
     .unavailable = unavailable,                                                                                       \
     .block = OWN_AES_BLOCK},                                                                                          \
        {.id = algorithm "/encrypt",                                                                                   \
         .impl = "oneshot",                                                                                            \
         .name = "own_aes_encryption_key, own_aes_cbc_encrypt",                                                        \
         .setup = cs_setup_msg_length,                                                                                 \
         .call = oneshot_encrypt,                                                                                      \
         .rekey = cs_key_in_call,                                                                                      \
         .unavailable = unavailable,                                                                                   \
         .block = OWN_AES_BLOCK},                                                                                      \
        {.id = algorithm "/decrypt",                                                                                   \
         .impl = "default",                                                                                            \
         .name = "own_aes_cbc_decrypt",                                                                                \
         .setup = setup_decrypt,                                                                                       \
         .call = decrypt,                                                                                              \
         .rekey = decryption_key,                                                                                      \
         .teardown = cs_teardown_state,                                                                                \
         .unavailable = unavailable,                                                                                   \
         .block = OWN_AES_BLOCK},                                                                                      \
    {                                                                                                                  \
        .id = algorithm "/decrypt", .impl = "oneshot", .name = "own_aes_decryption_key, own_aes_cbc_decrypt",          \
        .setup = cs_setup_msg_length, .call = oneshot_decrypt, .rekey = cs_key_in_call, .unavailable = unavailable,    \
        .block = OWN_AES_BLOCK                                                                                         \
    }

static const cs_op ops[] = {ROWS("aes-128-cbc"), ROWS("aes-192-cbc"), ROWS("aes-256-cbc")};

int main(int argc, char **argv)
{
    const cs_library library = {
        .abi = CS_ABI, .id = "own-aes", .version = version, .version_from = "package", .tables = CS_ROWS(ops)};
    return cs_worker_main(&library, argc, argv);
}
