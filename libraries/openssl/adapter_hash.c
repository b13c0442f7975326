/* SPDX-License-Identifier: Apache-2.0
 *
 * OpenSSL adapter: hashes, in one call and on a context that is kept.
 *
 * Entry points: EVP_Digest*, EVP_DigestFinalXOF, EVP_Q_digest, SHA1, SHA224, SHA256, SHA384, SHA512.
 */
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/sha.h>

#include "session.h"

static const char *hash_unavailable(const struct cs_op *op)
{
    EVP_MD *md = EVP_MD_fetch(NULL, op->param, NULL);
    const char *reason = md == NULL ? "no loaded provider has this digest" : NULL;

    EVP_MD_free(md);
    ERR_clear_error();
    return reason;
}

static const char *hash_fetch(const struct cs_op *op, void **fetched)
{
    *fetched = EVP_MD_fetch(NULL, op->param, NULL);
    return *fetched != NULL ? NULL : "EVP_MD_fetch fails";
}

int session_open_digest(struct session *s, EVP_MD *md)
{
    if (EVP_MD_up_ref(md) != 1)
        return 0;
    s->md = md;
    s->md_ctx = EVP_MD_CTX_new();
    return s->md_ctx != NULL && EVP_DigestInit_ex2(s->md_ctx, s->md, NULL) == 1;
}

static int hash_setup(cs_case *c)
{
    struct session *s = session_new(c);

    if (s == NULL)
        return CS_ERROR;
    if (!session_open_digest(s, c->fetched))
        return session_give_up(c, "EVP_DigestInit_ex2");
    c->out_len = (size_t)EVP_MD_get_size(s->md);
    return CS_OK;
}

int session_digest(struct session *s, cs_span msg, uint8_t *out)
{
    return EVP_DigestInit_ex2(s->md_ctx, s->md, NULL) == 1 && EVP_DigestUpdate(s->md_ctx, msg.data, msg.len) == 1 &&
           EVP_DigestFinal_ex(s->md_ctx, out, NULL) == 1;
}

static int hash_call(cs_case *c)
{
    return session_digest(c->state, c->msg, c->out) ? CS_OK : session_fail("EVP_Digest");
}

/* Functions of extendable output: the digest is as long as the catalogue says. */
static int shake_setup(cs_case *c)
{
    int status = hash_setup(c);

    c->out_len = EVP_MD_is_a(c->fetched, "SHAKE-128") ? 32 : 64;
    return status;
}

static int shake_call(cs_case *c)
{
    const struct session *s = c->state;

    return EVP_DigestInit_ex2(s->md_ctx, s->md, NULL) == 1 &&
                   EVP_DigestUpdate(s->md_ctx, c->msg.data, c->msg.len) == 1 &&
                   EVP_DigestFinalXOF(s->md_ctx, c->out, c->out_len) == 1
               ? CS_OK
               : session_fail("EVP_DigestFinalXOF");
}

/* ---- one call, nothing kept ---- */

static int oneshot_hash_call(cs_case *c)
{
    return EVP_Q_digest(NULL, c->op->param, NULL, c->msg.data, c->msg.len, c->out, &c->out_len) == 1
               ? CS_OK
               : session_fail("EVP_Q_digest");
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

/* ---- rows ---- */

#define KEPT_HASH(ALGORITHM, DIGEST, SETUP, CALL)                                                                      \
    {.id = ALGORITHM "/hash",                                                                                          \
     .impl = "default",                                                                                                \
     .name = "EVP_MD " DIGEST,                                                                                         \
     .setup = SETUP,                                                                                                   \
     .call = CALL,                                                                                                     \
     .teardown = session_free,                                                                                         \
     .param = DIGEST,                                                                                                  \
     FETCHED(hash)}
#define ONESHOT_HASH(ALGORITHM, DIGEST)                                                                                \
    {.id = ALGORITHM "/hash",                                                                                          \
     .impl = "oneshot",                                                                                                \
     .name = "EVP_Q_digest " DIGEST,                                                                                   \
     .call = oneshot_hash_call,                                                                                        \
     .param = DIGEST,                                                                                                  \
     .unavailable = hash_unavailable,                                                                                  \
     .open = evp_open}
#define BOTH_HASHES(ALGORITHM, DIGEST)                                                                                 \
    KEPT_HASH(ALGORITHM, DIGEST, hash_setup, hash_call), ONESHOT_HASH(ALGORITHM, DIGEST)
#define SHA_FUNCTION(ALGORITHM, FUNCTION, CALL)                                                                        \
    {.id = ALGORITHM "/hash",                                                                                          \
     .impl = #FUNCTION,                                                                                                \
     .name = #FUNCTION,                                                                                                \
     .call = CALL,                                                                                                     \
     .param = #FUNCTION,                                                                                               \
     .unavailable = hash_unavailable,                                                                                  \
     .open = evp_open}

static const cs_op rows[] = {
    BOTH_HASHES("md5", "MD5"),
    BOTH_HASHES("sha-1", "SHA1"),
    BOTH_HASHES("sha-224", "SHA224"),
    BOTH_HASHES("sha-256", "SHA256"),
    BOTH_HASHES("sha-384", "SHA384"),
    BOTH_HASHES("sha-512", "SHA512"),
    BOTH_HASHES("sha-512-256", "SHA512-256"),
    BOTH_HASHES("sha3-256", "SHA3-256"),
    BOTH_HASHES("sha3-384", "SHA3-384"),
    BOTH_HASHES("sha3-512", "SHA3-512"),
    BOTH_HASHES("blake2b-512", "BLAKE2B-512"),
    BOTH_HASHES("blake2s-256", "BLAKE2S-256"),
    BOTH_HASHES("sm3", "SM3"),
    BOTH_HASHES("ripemd-160", "RIPEMD160"),
    KEPT_HASH("shake128", "SHAKE-128", shake_setup, shake_call),
    KEPT_HASH("shake256", "SHAKE-256", shake_setup, shake_call),
    SHA_FUNCTION("sha-1", SHA1, sha1_call),
    SHA_FUNCTION("sha-224", SHA224, sha224_call),
    SHA_FUNCTION("sha-256", SHA256, sha256_call),
    SHA_FUNCTION("sha-384", SHA384, sha384_call),
    SHA_FUNCTION("sha-512", SHA512, sha512_call),
};
const cs_table openssl_hashes = CS_TABLE(rows);
