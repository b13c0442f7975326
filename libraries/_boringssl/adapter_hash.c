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

static int hash_setup(cs_case *c)
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

static int hash_call(cs_case *c)
{
    struct session *s = c->state;

    return EVP_DigestInit_ex(s->md_ctx, s->md, NULL) == 1 &&
                   EVP_DigestUpdate(s->md_ctx, c->msg.data, c->msg.len) == 1 &&
                   EVP_DigestFinal_ex(s->md_ctx, c->out, NULL) == 1
               ? CS_OK
               : session_fail("EVP_Digest");
}

static int hash_oneshot_call(cs_case *c)
{
    unsigned len = 0;

    if (EVP_Digest(c->msg.data, c->msg.len, c->out, &len, (*(const md_getter *)c->op->param)(), NULL) != 1)
        return session_fail("EVP_Digest");
    c->out_len = len;
    return CS_OK;
}

static int md5_call(cs_case *c)
{
    c->out_len = MD5_DIGEST_LENGTH;
    return MD5(c->msg.data, c->msg.len, c->out) != NULL ? CS_OK : session_fail("MD5");
}

static int sha1_call(cs_case *c)
{
    c->out_len = SHA_DIGEST_LENGTH;
    return SHA1(c->msg.data, c->msg.len, c->out) != NULL ? CS_OK : session_fail("SHA1");
}

static int sha256_call(cs_case *c)
{
    c->out_len = SHA256_DIGEST_LENGTH;
    return SHA256(c->msg.data, c->msg.len, c->out) != NULL ? CS_OK : session_fail("SHA256");
}

static int sha512_call(cs_case *c)
{
    c->out_len = SHA512_DIGEST_LENGTH;
    return SHA512(c->msg.data, c->msg.len, c->out) != NULL ? CS_OK : session_fail("SHA512");
}

static int sha224_call(cs_case *c)
{
    c->out_len = SHA224_DIGEST_LENGTH;
    return SHA224(c->msg.data, c->msg.len, c->out) != NULL ? CS_OK : session_fail("SHA224");
}

static int sha384_call(cs_case *c)
{
    c->out_len = SHA384_DIGEST_LENGTH;
    return SHA384(c->msg.data, c->msg.len, c->out) != NULL ? CS_OK : session_fail("SHA384");
}

static int sha512_256_call(cs_case *c)
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

static int hmac_setup(cs_case *c)
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

static int hmac_rekey(cs_case *c)
{
    struct session *s = c->state;

    return HMAC_Init_ex(s->hmac_ctx, c->key.data, c->key.len, hmac_digest(c), NULL) == 1 ? CS_OK
                                                                                         : session_fail("HMAC_Init_ex");
}

/* Without key and digest it goes back to the keyed state. */
static int hmac_call(cs_case *c)
{
    struct session *s = c->state;

    return HMAC_Init_ex(s->hmac_ctx, NULL, 0, NULL, NULL) == 1 &&
                   HMAC_Update(s->hmac_ctx, c->msg.data, c->msg.len) == 1 && HMAC_Final(s->hmac_ctx, c->out, NULL) == 1
               ? CS_OK
               : session_fail("HMAC_Final");
}

static int hmac_oneshot_call(cs_case *c)
{
    unsigned len = 0;

    if (HMAC(hmac_digest(c), c->key.data, c->key.len, c->msg.data, c->msg.len, c->out, &len) == NULL)
        return session_fail("HMAC");
    c->out_len = len;
    return CS_OK;
}

static int cmac_rekey(cs_case *c)
{
    struct session *s = c->state;
    const EVP_CIPHER *cipher = (*(const cipher_getter *)c->op->param)();

    return CMAC_Init(s->cmac_ctx, c->key.data, c->key.len, cipher, NULL) == 1 ? CS_OK : session_fail("CMAC_Init");
}

static int cmac_setup(cs_case *c)
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

static int cmac_call(cs_case *c)
{
    struct session *s = c->state;
    size_t len = 0;

    return CMAC_Reset(s->cmac_ctx) == 1 && CMAC_Update(s->cmac_ctx, c->msg.data, c->msg.len) == 1 &&
                   CMAC_Final(s->cmac_ctx, c->out, &len) == 1
               ? CS_OK
               : session_fail("CMAC_Final");
}

static int cmac_oneshot_call(cs_case *c)
{
    c->out_len = AES_BLOCK_SIZE;
    return AES_CMAC(c->out, c->key.data, c->key.len, c->msg.data, c->msg.len) == 1 ? CS_OK : session_fail("AES_CMAC");
}

static int poly1305_setup(cs_case *c)
{
    c->out_len = 16;
    return CS_OK;
}

static int poly1305_call(cs_case *c)
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

static int siphash_rekey(cs_case *c)
{
    struct siphash_state *s = c->state;

    for (size_t word = 0; word < 2; word++) {
        s->key[word] = 0;
        for (size_t i = 8; i-- > 0;)
            s->key[word] = s->key[word] << 8 | c->key.data[8 * word + i];
    }
    return CS_OK;
}

static int siphash_setup(cs_case *c)
{
    c->state = cs_alloc(sizeof(struct siphash_state));
    if (c->state == NULL)
        return CS_ERROR;
    c->out_len = sizeof(uint64_t);
    return siphash_rekey(c);
}

static int siphash_call(cs_case *c)
{
    const struct siphash_state *s = c->state;
    const uint64_t tag = SIPHASH_24(s->key, c->msg.data, c->msg.len);

    for (size_t i = 0; i < sizeof tag; i++)
        c->out[i] = (uint8_t)(tag >> (8 * i));
    return CS_OK;
}

/* ---- rows ---- */

#define MD(NAME) &(const md_getter){EVP_##NAME}
#define HASH(ALGORITHM, NAME)                                                                                          \
    {.id = ALGORITHM "/hash",                                                                                          \
     .impl = "default",                                                                                                \
     .name = "EVP_" #NAME,                                                                                             \
     .setup = hash_setup,                                                                                              \
     .call = hash_call,                                                                                                \
     .teardown = session_free,                                                                                         \
     .param = MD(NAME)},                                                                                               \
    {                                                                                                                  \
        .id = ALGORITHM "/hash", .impl = "oneshot", .name = "EVP_Digest EVP_" #NAME, .call = hash_oneshot_call,        \
        .param = MD(NAME)                                                                                              \
    }
#define HASH_FUNCTION(ALGORITHM, FUNCTION, CALL)                                                                       \
    {.id = ALGORITHM "/hash", .impl = #FUNCTION, .name = #FUNCTION, .call = CALL}
#define CMAC(ALGORITHM, NAME)                                                                                          \
    {.id = ALGORITHM "/mac",                                                                                           \
     .impl = "default",                                                                                                \
     .name = "CMAC_CTX EVP_" #NAME,                                                                                    \
     .setup = cmac_setup,                                                                                              \
     .call = cmac_call,                                                                                                \
     .rekey = cmac_rekey,                                                                                              \
     .teardown = session_free,                                                                                         \
     .param = &(const cipher_getter){EVP_##NAME}},                                                                     \
    {                                                                                                                  \
        .id = ALGORITHM "/mac", .impl = "oneshot", .name = "AES_CMAC", .call = cmac_oneshot_call,                      \
        .rekey = cs_key_in_call                                                                                        \
    }
#define HMAC_ROWS(ALGORITHM, DIGEST)                                                                                   \
    {.id = ALGORITHM "/mac",                                                                                           \
     .impl = "default",                                                                                                \
     .name = "HMAC_CTX EVP_" #DIGEST,                                                                                  \
     .setup = hmac_setup,                                                                                              \
     .call = hmac_call,                                                                                                \
     .rekey = hmac_rekey,                                                                                              \
     .teardown = session_free,                                                                                         \
     .param = MD(DIGEST)},                                                                                             \
    {                                                                                                                  \
        .id = ALGORITHM "/mac", .impl = "oneshot", .name = "HMAC EVP_" #DIGEST, .call = hmac_oneshot_call,             \
        .rekey = cs_key_in_call, .param = MD(DIGEST)                                                                   \
    }

static const cs_op rows[] = {
    HASH("md5", md5),
    HASH("sha-1", sha1),
    HASH("sha-224", sha224),
    HASH("sha-256", sha256),
    HASH("sha-384", sha384),
    HASH("sha-512", sha512),
    HASH("sha-512-256", sha512_256),
    HASH("sha3-256", sha3_256),
    HASH("sha3-384", sha3_384),
    HASH("sha3-512", sha3_512),
#ifdef OPENSSL_IS_AWSLC
    HASH("ripemd-160", ripemd160),
#endif
    HASH_FUNCTION("md5", MD5, md5_call),
    HASH_FUNCTION("sha-1", SHA1, sha1_call),
    HASH_FUNCTION("sha-224", SHA224, sha224_call),
    HASH_FUNCTION("sha-256", SHA256, sha256_call),
    HASH_FUNCTION("sha-384", SHA384, sha384_call),
    HASH_FUNCTION("sha-512", SHA512, sha512_call),
    HASH_FUNCTION("sha-512-256", SHA512_256, sha512_256_call),
    {.id = "hmac-sha-256/mac",
     .impl = "default",
     .name = "HMAC_CTX EVP_sha256",
     .setup = hmac_setup,
     .call = hmac_call,
     .rekey = hmac_rekey,
     .teardown = session_free},
    {.id = "hmac-sha-256/mac", .impl = "oneshot", .name = "HMAC", .call = hmac_oneshot_call, .rekey = cs_key_in_call},
    HMAC_ROWS("hmac-sha-1", sha1),
    HMAC_ROWS("hmac-sha-384", sha384),
    HMAC_ROWS("hmac-sha-512", sha512),
    CMAC("cmac-aes-128", aes_128_cbc),
    CMAC("cmac-aes-256", aes_256_cbc),
    {.id = "siphash-2-4/mac",
     .impl = "default",
     .name = "SIPHASH_24",
     .setup = siphash_setup,
     .call = siphash_call,
     .rekey = siphash_rekey,
     .teardown = cs_teardown_state},
    {.id = "poly1305/mac",
     .impl = "default",
     .name = "CRYPTO_poly1305",
     .setup = poly1305_setup,
     .call = poly1305_call,
     .rekey = cs_key_in_call},
};
const cs_table boringssl_hashes = CS_TABLE(rows);
