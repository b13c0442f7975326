/* SPDX-License-Identifier: Apache-2.0
 *
 * Nettle 3.8 and later 3.x, with Hogweed for public keys: https://www.lysator.liu.se/~nisse/nettle/nettle.html
 *
 * Contexts are plain structs of the caller's: setup sets the key, a call sets the IV, processes and takes the digest.
 * Entry points: the nettle_hash and nettle_aead tables, hmac_sha256_*, cmac_aes*_*, cbc_*, ctr_crypt, chacha_*;
 * adapter_pkey.c has those for public keys.
 */
#include <stdio.h>
#include <string.h>

#include <nettle/aes.h>
#include <nettle/cbc.h>
#include <nettle/chacha.h>
#include <nettle/cmac.h>
#include <nettle/ctr.h>
#include <nettle/des.h>
#include <nettle/hmac.h>
#include <nettle/memops.h>
#include <nettle/nettle-meta.h>
#include <nettle/sha2.h>
#include <nettle/sha3.h>
#include <nettle/version.h>

#include "adapter.h"

/* ---- library ---- */

/* The library reports major and minor only; the patch level is not in it. */
static const char *library_version(void)
{
    static char text[32];

    (void)snprintf(text, sizeof text, "%d.%d", nettle_version_major(), nettle_version_minor());
    return text;
}

/* ---- hash ---- */

static int hash_setup(cs_case *c)
{
    const struct nettle_hash *hash = c->op->param;

    if (cs_new_state(c, hash->context_size) == NULL)
        return CS_ERROR;
    hash->init(c->state);
    c->out_len = hash->digest_size;
    return CS_OK;
}

/* Taking the digest also sets the context back to its initial state. */
static int hash_call(cs_case *c)
{
    const struct nettle_hash *hash = c->op->param;

    hash->update(c->state, c->msg.len, c->msg.data);
    hash->digest(c->state, hash->digest_size, c->out);
    return CS_OK;
}

#define NETTLE_HAS_SHAKE128 (NETTLE_VERSION_MAJOR > 3 || NETTLE_VERSION_MINOR >= 10)

/* Taking the output also sets the context back to its initial state. */
#define SHAKE(NAME, PREFIX, BYTES)                                                                                     \
    static int NAME##_setup(cs_case *c)                                                                                \
    {                                                                                                                  \
        if (cs_new_state(c, sizeof(struct PREFIX##_ctx)) == NULL)                                                      \
            return CS_ERROR;                                                                                           \
        PREFIX##_init(c->state);                                                                                       \
        c->out_len = BYTES;                                                                                            \
        return CS_OK;                                                                                                  \
    }                                                                                                                  \
    static int NAME##_call(cs_case *c)                                                                                 \
    {                                                                                                                  \
        PREFIX##_update(c->state, c->msg.len, c->msg.data);                                                            \
        PREFIX##_shake(c->state, BYTES, c->out);                                                                       \
        return CS_OK;                                                                                                  \
    }

SHAKE(shake256, sha3_256, 64)
#if NETTLE_HAS_SHAKE128
SHAKE(shake128, sha3_128, 32)
#endif

/* ---- mac ---- */

static int hmac_sha256_setup(cs_case *c)
{
    if (cs_new_state(c, sizeof(struct hmac_sha256_ctx)) == NULL)
        return CS_ERROR;
    hmac_sha256_set_key(c->state, c->key.len, c->key.data);
    c->out_len = SHA256_DIGEST_SIZE;
    return CS_OK;
}

static int hmac_sha256_rekey(cs_case *c)
{
    hmac_sha256_set_key(c->state, c->key.len, c->key.data);
    return CS_OK;
}

/* Taking the tag sets the context back to the keyed state, here and for CMAC. */
static int hmac_sha256_call(cs_case *c)
{
    hmac_sha256_update(c->state, c->msg.len, c->msg.data);
    hmac_sha256_digest(c->state, SHA256_DIGEST_SIZE, c->out);
    return CS_OK;
}

static int cmac_aes128_setup(cs_case *c)
{
    if (cs_new_state(c, sizeof(struct cmac_aes128_ctx)) == NULL)
        return CS_ERROR;
    cmac_aes128_set_key(c->state, c->key.data);
    c->out_len = CMAC128_DIGEST_SIZE;
    return CS_OK;
}

static int cmac_aes128_rekey(cs_case *c)
{
    cmac_aes128_set_key(c->state, c->key.data);
    return CS_OK;
}

static int cmac_aes128_call(cs_case *c)
{
    cmac_aes128_update(c->state, c->msg.len, c->msg.data);
    cmac_aes128_digest(c->state, CMAC128_DIGEST_SIZE, c->out);
    return CS_OK;
}

static int cmac_aes256_setup(cs_case *c)
{
    if (cs_new_state(c, sizeof(struct cmac_aes256_ctx)) == NULL)
        return CS_ERROR;
    cmac_aes256_set_key(c->state, c->key.data);
    c->out_len = CMAC128_DIGEST_SIZE;
    return CS_OK;
}

static int cmac_aes256_rekey(cs_case *c)
{
    cmac_aes256_set_key(c->state, c->key.data);
    return CS_OK;
}

static int cmac_aes256_call(cs_case *c)
{
    cmac_aes256_update(c->state, c->msg.len, c->msg.data);
    cmac_aes256_digest(c->state, CMAC128_DIGEST_SIZE, c->out);
    return CS_OK;
}

/* ---- cipher ---- */

/* Key schedule and the running IV or counter, which the modes change in place: a call starts from a fresh copy. */
struct aes_state {
    union {
        struct aes128_ctx aes128;
        struct aes192_ctx aes192;
        struct aes256_ctx aes256;
    } key;
    uint8_t iv[AES_BLOCK_SIZE];
};

static int aes_setup(cs_case *c, int decrypt)
{
    const struct nettle_cipher *aes = c->op->param;
    struct aes_state *s;

    s = cs_new_state(c, sizeof *s);
    if (s == NULL)
        return CS_ERROR;
    if (decrypt)
        aes->set_decrypt_key(&s->key, c->key.data);
    else
        aes->set_encrypt_key(&s->key, c->key.data);
    c->out_len = c->msg.len;
    return CS_OK;
}

static int aes_encrypt_setup(cs_case *c)
{
    return aes_setup(c, 0);
}

static int aes_decrypt_setup(cs_case *c)
{
    return aes_setup(c, 1);
}

static int aes_encrypt_rekey(cs_case *c)
{
    const struct nettle_cipher *aes = c->op->param;
    struct aes_state *s = c->state;

    aes->set_encrypt_key(&s->key, c->key.data);
    return CS_OK;
}

static int aes_decrypt_rekey(cs_case *c)
{
    const struct nettle_cipher *aes = c->op->param;
    struct aes_state *s = c->state;

    aes->set_decrypt_key(&s->key, c->key.data);
    return CS_OK;
}

static int aes128_cbc_encrypt_call(cs_case *c)
{
    struct aes_state *s = c->state;

    memcpy(s->iv, c->iv.data, AES_BLOCK_SIZE);
    cbc_aes128_encrypt(&s->key.aes128, s->iv, c->msg.len, c->out, c->msg.data);
    return CS_OK;
}

static int aes192_cbc_encrypt_call(cs_case *c)
{
    struct aes_state *s = c->state;

    memcpy(s->iv, c->iv.data, AES_BLOCK_SIZE);
    cbc_aes192_encrypt(&s->key.aes192, s->iv, c->msg.len, c->out, c->msg.data);
    return CS_OK;
}

static int aes256_cbc_encrypt_call(cs_case *c)
{
    struct aes_state *s = c->state;

    memcpy(s->iv, c->iv.data, AES_BLOCK_SIZE);
    cbc_aes256_encrypt(&s->key.aes256, s->iv, c->msg.len, c->out, c->msg.data);
    return CS_OK;
}

static int aes_cbc_decrypt_call(cs_case *c)
{
    const struct nettle_cipher *aes = c->op->param;
    struct aes_state *s = c->state;

    memcpy(s->iv, c->iv.data, AES_BLOCK_SIZE);
    cbc_decrypt(&s->key, aes->decrypt, AES_BLOCK_SIZE, s->iv, c->msg.len, c->out, c->msg.data);
    return CS_OK;
}

static int aes_ctr_call(cs_case *c)
{
    const struct nettle_cipher *aes = c->op->param;
    struct aes_state *s = c->state;

    memcpy(s->iv, c->iv.data, AES_BLOCK_SIZE);
    ctr_crypt(&s->key, aes->encrypt, AES_BLOCK_SIZE, s->iv, c->msg.len, c->out, c->msg.data);
    return CS_OK;
}

struct des3_state CBC_CTX(struct des3_ctx, DES3_BLOCK_SIZE);

/* The return value of des3_set_key says that a part is a weak key; the schedule is made all the same. */
static int des3_setup(cs_case *c)
{
    struct des3_state *s;

    s = cs_new_state(c, sizeof *s);
    if (s == NULL)
        return CS_ERROR;
    (void)des3_set_key(&s->ctx, c->key.data);
    c->out_len = c->msg.len;
    return CS_OK;
}

static int des3_rekey(cs_case *c)
{
    struct des3_state *s = c->state;

    (void)des3_set_key(&s->ctx, c->key.data);
    return CS_OK;
}

static int des3_encrypt_call(cs_case *c)
{
    struct des3_state *s = c->state;

    CBC_SET_IV(s, c->iv.data);
    CBC_ENCRYPT(s, des3_encrypt, c->msg.len, c->out, c->msg.data);
    return CS_OK;
}

static int des3_decrypt_call(cs_case *c)
{
    struct des3_state *s = c->state;

    CBC_SET_IV(s, c->iv.data);
    CBC_DECRYPT(s, des3_decrypt, c->msg.len, c->out, c->msg.data);
    return CS_OK;
}

static int chacha20_setup(cs_case *c)
{
    if (cs_new_state(c, sizeof(struct chacha_ctx)) == NULL)
        return CS_ERROR;
    chacha_set_key(c->state, c->key.data);
    c->out_len = c->msg.len;
    return CS_OK;
}

static int chacha20_rekey(cs_case *c)
{
    chacha_set_key(c->state, c->key.data);
    return CS_OK;
}

/* Setting the nonce sets the block counter to 0. */
static int chacha20_call(cs_case *c)
{
    chacha_set_nonce96(c->state, c->iv.data);
    chacha_crypt32(c->state, c->msg.len, c->out, c->msg.data);
    return CS_OK;
}

/* ---- aead ---- */

static int aead_setup(cs_case *c)
{
    const struct nettle_aead *aead = c->op->param;

    if (cs_new_state(c, aead->context_size) == NULL)
        return CS_ERROR;
    aead->set_encrypt_key(c->state, c->key.data);
    c->out_len = c->msg.len + aead->digest_size;
    return CS_OK;
}

static int open_setup(cs_case *c)
{
    int status = aead_setup(c);

    c->out_len = c->msg.len;
    return status;
}

static int aead_rekey(cs_case *c)
{
    const struct nettle_aead *aead = c->op->param;

    aead->set_encrypt_key(c->state, c->key.data);
    return CS_OK;
}

static int seal_call(cs_case *c)
{
    const struct nettle_aead *aead = c->op->param;

    aead->set_nonce(c->state, c->iv.data);
    aead->update(c->state, c->aad.len, c->aad.data);
    aead->encrypt(c->state, c->msg.len, c->out, c->msg.data);
    aead->digest(c->state, aead->digest_size, c->out + c->msg.len);
    return CS_OK;
}

/* Nettle has no function that checks a tag: the caller compares, and memeql_sec is for that. */
static int open_call(cs_case *c)
{
    const struct nettle_aead *aead = c->op->param;
    uint8_t tag[16];

    aead->set_nonce(c->state, c->iv.data);
    aead->update(c->state, c->aad.len, c->aad.data);
    aead->decrypt(c->state, c->msg.len, c->out, c->msg.data);
    aead->digest(c->state, sizeof tag, tag);
    return memeql_sec(tag, c->tag.data, sizeof tag) ? CS_OK : CS_REJECTED;
}

/* ---- table ---- */

/* clang-format off */
static const cs_op rows[] = {
    {.id = "md5/hash", .impl = "default", .name = "nettle_md5", .setup = hash_setup, .call = hash_call, .teardown = cs_teardown_state, .param = &nettle_md5},
    {.id = "sha-1/hash", .impl = "default", .name = "nettle_sha1", .setup = hash_setup, .call = hash_call, .teardown = cs_teardown_state, .param = &nettle_sha1},
    {.id = "sha-256/hash", .impl = "default", .name = "nettle_sha256", .setup = hash_setup, .call = hash_call, .teardown = cs_teardown_state, .param = &nettle_sha256},
    {.id = "sha-512/hash", .impl = "default", .name = "nettle_sha512", .setup = hash_setup, .call = hash_call, .teardown = cs_teardown_state, .param = &nettle_sha512},
    {.id = "sha3-256/hash", .impl = "default", .name = "nettle_sha3_256", .setup = hash_setup, .call = hash_call, .teardown = cs_teardown_state, .param = &nettle_sha3_256},

    {.id = "sha-224/hash", .impl = "default", .name = "nettle_sha224", .setup = hash_setup, .call = hash_call, .teardown = cs_teardown_state, .param = &nettle_sha224},
    {.id = "sha-384/hash", .impl = "default", .name = "nettle_sha384", .setup = hash_setup, .call = hash_call, .teardown = cs_teardown_state, .param = &nettle_sha384},
    {.id = "sha-512-256/hash", .impl = "default", .name = "nettle_sha512_256", .setup = hash_setup, .call = hash_call, .teardown = cs_teardown_state, .param = &nettle_sha512_256},
    {.id = "sha3-384/hash", .impl = "default", .name = "nettle_sha3_384", .setup = hash_setup, .call = hash_call, .teardown = cs_teardown_state, .param = &nettle_sha3_384},
    {.id = "sha3-512/hash", .impl = "default", .name = "nettle_sha3_512", .setup = hash_setup, .call = hash_call, .teardown = cs_teardown_state, .param = &nettle_sha3_512},
    {.id = "shake256/hash", .impl = "default", .name = "sha3_256_shake", .setup = shake256_setup, .call = shake256_call, .teardown = cs_teardown_state},
    {.id = "sm3/hash", .impl = "default", .name = "nettle_sm3", .setup = hash_setup, .call = hash_call, .teardown = cs_teardown_state, .param = &nettle_sm3},
    {.id = "ripemd-160/hash", .impl = "default", .name = "nettle_ripemd160", .setup = hash_setup, .call = hash_call, .teardown = cs_teardown_state, .param = &nettle_ripemd160},
#if NETTLE_HAS_SHAKE128
    {.id = "shake128/hash", .impl = "default", .name = "sha3_128_shake", .setup = shake128_setup, .call = shake128_call, .teardown = cs_teardown_state},
#endif

    {.id = "hmac-sha-256/mac", .impl = "default", .name = "hmac_sha256", .setup = hmac_sha256_setup, .call = hmac_sha256_call, .rekey = hmac_sha256_rekey, .teardown = cs_teardown_state},
    {.id = "cmac-aes-128/mac", .impl = "default", .name = "cmac_aes128", .setup = cmac_aes128_setup, .call = cmac_aes128_call, .rekey = cmac_aes128_rekey, .teardown = cs_teardown_state},
    {.id = "cmac-aes-256/mac", .impl = "default", .name = "cmac_aes256", .setup = cmac_aes256_setup, .call = cmac_aes256_call, .rekey = cmac_aes256_rekey, .teardown = cs_teardown_state},

    {.id = "aes-128-cbc/encrypt", .impl = "default", .name = "cbc_aes128_encrypt", .setup = aes_encrypt_setup, .call = aes128_cbc_encrypt_call, .rekey = aes_encrypt_rekey, .teardown = cs_teardown_state, .param = &nettle_aes128, .block = 16},
    {.id = "aes-192-cbc/encrypt", .impl = "default", .name = "cbc_aes192_encrypt", .setup = aes_encrypt_setup, .call = aes192_cbc_encrypt_call, .rekey = aes_encrypt_rekey, .teardown = cs_teardown_state, .param = &nettle_aes192, .block = 16},
    {.id = "aes-128-cbc/decrypt", .impl = "default", .name = "cbc_decrypt aes128", .setup = aes_decrypt_setup, .call = aes_cbc_decrypt_call, .rekey = aes_decrypt_rekey, .teardown = cs_teardown_state, .param = &nettle_aes128, .block = 16},
    {.id = "aes-192-cbc/decrypt", .impl = "default", .name = "cbc_decrypt aes192", .setup = aes_decrypt_setup, .call = aes_cbc_decrypt_call, .rekey = aes_decrypt_rekey, .teardown = cs_teardown_state, .param = &nettle_aes192, .block = 16},
    {.id = "aes-256-cbc/encrypt", .impl = "default", .name = "cbc_aes256_encrypt", .setup = aes_encrypt_setup, .call = aes256_cbc_encrypt_call, .rekey = aes_encrypt_rekey, .teardown = cs_teardown_state, .param = &nettle_aes256, .block = 16},
    {.id = "aes-256-cbc/decrypt", .impl = "default", .name = "cbc_decrypt aes256", .setup = aes_decrypt_setup, .call = aes_cbc_decrypt_call, .rekey = aes_decrypt_rekey, .teardown = cs_teardown_state, .param = &nettle_aes256, .block = 16},
    {.id = "3des-cbc/encrypt", .impl = "default", .name = "CBC_ENCRYPT des3", .setup = des3_setup, .call = des3_encrypt_call, .rekey = des3_rekey, .teardown = cs_teardown_state, .block = 8},
    {.id = "3des-cbc/decrypt", .impl = "default", .name = "CBC_DECRYPT des3", .setup = des3_setup, .call = des3_decrypt_call, .rekey = des3_rekey, .teardown = cs_teardown_state, .block = 8},
    {.id = "aes-128-ctr/encrypt", .impl = "default", .name = "ctr_crypt aes128", .setup = aes_encrypt_setup, .call = aes_ctr_call, .rekey = aes_encrypt_rekey, .teardown = cs_teardown_state, .param = &nettle_aes128},
    {.id = "aes-192-ctr/encrypt", .impl = "default", .name = "ctr_crypt aes192", .setup = aes_encrypt_setup, .call = aes_ctr_call, .rekey = aes_encrypt_rekey, .teardown = cs_teardown_state, .param = &nettle_aes192},
    {.id = "aes-256-ctr/encrypt", .impl = "default", .name = "ctr_crypt aes256", .setup = aes_encrypt_setup, .call = aes_ctr_call, .rekey = aes_encrypt_rekey, .teardown = cs_teardown_state, .param = &nettle_aes256},
    {.id = "chacha20/encrypt", .impl = "default", .name = "chacha_crypt32", .setup = chacha20_setup, .call = chacha20_call, .rekey = chacha20_rekey, .teardown = cs_teardown_state},

    {.id = "aes-128-gcm/seal", .impl = "default", .name = "nettle_gcm_aes128", .setup = aead_setup, .call = seal_call, .rekey = aead_rekey, .teardown = cs_teardown_state, .param = &nettle_gcm_aes128},
    {.id = "aes-192-gcm/seal", .impl = "default", .name = "nettle_gcm_aes192", .setup = aead_setup, .call = seal_call, .rekey = aead_rekey, .teardown = cs_teardown_state, .param = &nettle_gcm_aes192},
    {.id = "aes-128-gcm/open", .impl = "default", .name = "nettle_gcm_aes128", .setup = open_setup, .call = open_call, .rekey = aead_rekey, .teardown = cs_teardown_state, .param = &nettle_gcm_aes128},
    {.id = "aes-192-gcm/open", .impl = "default", .name = "nettle_gcm_aes192", .setup = open_setup, .call = open_call, .rekey = aead_rekey, .teardown = cs_teardown_state, .param = &nettle_gcm_aes192},
    {.id = "aes-256-gcm/seal", .impl = "default", .name = "nettle_gcm_aes256", .setup = aead_setup, .call = seal_call, .rekey = aead_rekey, .teardown = cs_teardown_state, .param = &nettle_gcm_aes256},
    {.id = "aes-256-gcm/open", .impl = "default", .name = "nettle_gcm_aes256", .setup = open_setup, .call = open_call, .rekey = aead_rekey, .teardown = cs_teardown_state, .param = &nettle_gcm_aes256},
    {.id = "chacha20-poly1305/seal", .impl = "default", .name = "nettle_chacha_poly1305", .setup = aead_setup, .call = seal_call, .rekey = aead_rekey, .teardown = cs_teardown_state, .param = &nettle_chacha_poly1305},
    {.id = "chacha20-poly1305/open", .impl = "default", .name = "nettle_chacha_poly1305", .setup = open_setup, .call = open_call, .rekey = aead_rekey, .teardown = cs_teardown_state, .param = &nettle_chacha_poly1305},
};
/* clang-format on */
static const cs_table symmetric = CS_TABLE(rows);

static const cs_library library = {
    .abi = CS_ABI,
    .id = "nettle",
    .version = library_version,
    .version_from = "library",
    .cpu_path = NULL,
    .open = NULL,
    .tables = CS_TABLES(&symmetric, &nettle_mac, &nettle_modes, &nettle_camellia, &nettle_pkey, &nettle_keys,
                        &nettle_curve448, &nettle_random, &nettle_rsa, &nettle_dsa, &nettle_root, &nettle_kdf),
};

CS_WORKER_MAIN(library)
