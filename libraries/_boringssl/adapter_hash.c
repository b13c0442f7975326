/* SPDX-License-Identifier: Apache-2.0
 *
 * BoringSSL and AWS-LC adapter: hashes and MACs.
 *
 * Entry points: EVP_Digest*, HMAC_*, CMAC_*, CRYPTO_poly1305_*; in one call EVP_Digest, MD5, SHA1, SHA224 and its like,
 * HMAC, AES_CMAC.
 */
#include <openssl/md5.h>
#include <openssl/poly1305.h>
#include <openssl/sha.h>
#include <openssl/siphash.h>

#include "adapter.h"

typedef const EVP_MD *(*md_getter)(void);
typedef const EVP_CIPHER *(*cipher_getter)(void);

/* ---- hash ---- */

int hash_setup(cs_case *c)
{
    struct session *s = session_new(c);

    if (s == NULL)
        return CS_ERROR;
    s->md = (*(const md_getter *)c->op->param)();
    s->md_ctx = EVP_MD_CTX_new();
    if (s->md_ctx == NULL || EVP_DigestInit_ex(s->md_ctx, s->md, NULL) != 1)
        return session_give_up(c, "EVP_DigestInit_ex");
    c->out_len = EVP_MD_size(s->md);
    return CS_OK;
}

int hash_call(cs_case *c)
{
    struct session *s = c->state;

    return EVP_DigestInit_ex(s->md_ctx, s->md, NULL) == 1 &&
                   EVP_DigestUpdate(s->md_ctx, c->msg.data, c->msg.len) == 1 &&
                   EVP_DigestFinal_ex(s->md_ctx, c->out, NULL) == 1
               ? CS_OK
               : session_fail("EVP_Digest");
}

int hash_oneshot_call(cs_case *c)
{
    unsigned len = 0;

    if (EVP_Digest(c->msg.data, c->msg.len, c->out, &len, (*(const md_getter *)c->op->param)(), NULL) != 1)
        return session_fail("EVP_Digest");
    c->out_len = len;
    return CS_OK;
}

int md5_call(cs_case *c)
{
    c->out_len = MD5_DIGEST_LENGTH;
    return MD5(c->msg.data, c->msg.len, c->out) != NULL ? CS_OK : session_fail("MD5");
}

int sha1_call(cs_case *c)
{
    c->out_len = SHA_DIGEST_LENGTH;
    return SHA1(c->msg.data, c->msg.len, c->out) != NULL ? CS_OK : session_fail("SHA1");
}

int sha256_call(cs_case *c)
{
    c->out_len = SHA256_DIGEST_LENGTH;
    return SHA256(c->msg.data, c->msg.len, c->out) != NULL ? CS_OK : session_fail("SHA256");
}

int sha512_call(cs_case *c)
{
    c->out_len = SHA512_DIGEST_LENGTH;
    return SHA512(c->msg.data, c->msg.len, c->out) != NULL ? CS_OK : session_fail("SHA512");
}

int sha224_call(cs_case *c)
{
    c->out_len = SHA224_DIGEST_LENGTH;
    return SHA224(c->msg.data, c->msg.len, c->out) != NULL ? CS_OK : session_fail("SHA224");
}

int sha384_call(cs_case *c)
{
    c->out_len = SHA384_DIGEST_LENGTH;
    return SHA384(c->msg.data, c->msg.len, c->out) != NULL ? CS_OK : session_fail("SHA384");
}

int sha512_256_call(cs_case *c)
{
    c->out_len = SHA512_256_DIGEST_LENGTH;
    return SHA512_256(c->msg.data, c->msg.len, c->out) != NULL ? CS_OK : session_fail("SHA512_256");
}

/* ---- mac ---- */

static const EVP_MD *hmac_digest(const cs_case *c)
{
    const md_getter *digest = c->op->param;

    return digest == NULL ? EVP_sha256() : (*digest)();
}

int hmac_setup(cs_case *c)
{
    struct session *s = session_new(c);

    if (s == NULL)
        return CS_ERROR;
    s->hmac_ctx = HMAC_CTX_new();
    if (s->hmac_ctx == NULL || HMAC_Init_ex(s->hmac_ctx, c->key.data, c->key.len, hmac_digest(c), NULL) != 1)
        return session_give_up(c, "HMAC_Init_ex");
    c->out_len = HMAC_size(s->hmac_ctx);
    return CS_OK;
}

int hmac_rekey(cs_case *c)
{
    struct session *s = c->state;

    return HMAC_Init_ex(s->hmac_ctx, c->key.data, c->key.len, hmac_digest(c), NULL) == 1 ? CS_OK
                                                                                         : session_fail("HMAC_Init_ex");
}

/* Without key and digest it goes back to the keyed state. */
int hmac_call(cs_case *c)
{
    struct session *s = c->state;

    return HMAC_Init_ex(s->hmac_ctx, NULL, 0, NULL, NULL) == 1 &&
                   HMAC_Update(s->hmac_ctx, c->msg.data, c->msg.len) == 1 && HMAC_Final(s->hmac_ctx, c->out, NULL) == 1
               ? CS_OK
               : session_fail("HMAC_Final");
}

int hmac_oneshot_call(cs_case *c)
{
    unsigned len = 0;

    if (HMAC(hmac_digest(c), c->key.data, c->key.len, c->msg.data, c->msg.len, c->out, &len) == NULL)
        return session_fail("HMAC");
    c->out_len = len;
    return CS_OK;
}

int cmac_rekey(cs_case *c)
{
    struct session *s = c->state;
    const EVP_CIPHER *cipher = (*(const cipher_getter *)c->op->param)();

    return CMAC_Init(s->cmac_ctx, c->key.data, c->key.len, cipher, NULL) == 1 ? CS_OK : session_fail("CMAC_Init");
}

int cmac_setup(cs_case *c)
{
    struct session *s = session_new(c);

    if (s == NULL)
        return CS_ERROR;
    s->cmac_ctx = CMAC_CTX_new();
    if (s->cmac_ctx == NULL || cmac_rekey(c) != CS_OK)
        return session_give_up(c, "CMAC_Init");
    c->out_len = AES_BLOCK_SIZE;
    return CS_OK;
}

int cmac_call(cs_case *c)
{
    struct session *s = c->state;
    size_t len = 0;

    return CMAC_Reset(s->cmac_ctx) == 1 && CMAC_Update(s->cmac_ctx, c->msg.data, c->msg.len) == 1 &&
                   CMAC_Final(s->cmac_ctx, c->out, &len) == 1
               ? CS_OK
               : session_fail("CMAC_Final");
}

int cmac_oneshot_call(cs_case *c)
{
    c->out_len = AES_BLOCK_SIZE;
    return AES_CMAC(c->out, c->key.data, c->key.len, c->msg.data, c->msg.len) == 1 ? CS_OK : session_fail("AES_CMAC");
}

int poly1305_setup(cs_case *c)
{
    c->out_len = 16;
    return CS_OK;
}

int poly1305_call(cs_case *c)
{
    poly1305_state state;

    CRYPTO_poly1305_init(&state, c->key.data);
    CRYPTO_poly1305_update(&state, c->msg.data, c->msg.len);
    CRYPTO_poly1305_finish(&state, c->out);
    return CS_OK;
}

/* ---- SipHash: the key is two numbers, and so is the tag one ---- */

struct siphash_state {
    uint64_t key[2];
};

int siphash_rekey(cs_case *c)
{
    struct siphash_state *s = c->state;

    for (size_t word = 0; word < 2; word++) {
        s->key[word] = 0;
        for (size_t i = 8; i-- > 0;)
            s->key[word] = s->key[word] << 8 | c->key.data[8 * word + i];
    }
    return CS_OK;
}

int siphash_setup(cs_case *c)
{
    c->state = cs_alloc(sizeof(struct siphash_state));
    if (c->state == NULL)
        return CS_ERROR;
    c->out_len = sizeof(uint64_t);
    return siphash_rekey(c);
}

int siphash_call(cs_case *c)
{
    const struct siphash_state *s = c->state;
    const uint64_t tag = SIPHASH_24(s->key, c->msg.data, c->msg.len);

    for (size_t i = 0; i < sizeof tag; i++)
        c->out[i] = (uint8_t)(tag >> (8 * i));
    return CS_OK;
}

void siphash_teardown(cs_case *c)
{
    cs_free(c->state);
    c->state = NULL;
}
