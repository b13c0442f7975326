/* SPDX-License-Identifier: Apache-2.0
 *
 * OpenSSL adapter: hashes and MACs in one call, and hashes on a context that is kept.
 *
 * Entry points: EVP_Digest*, EVP_DigestFinalXOF, EVP_Q_digest, EVP_Q_mac, SHA1, SHA224, SHA256, SHA384, SHA512.
 */
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/sha.h>

#include "adapter_hash.h"

const char *hash_unavailable(const struct cs_op *op)
{
    EVP_MD *md = EVP_MD_fetch(NULL, op->param, NULL);
    const char *reason = md == NULL ? "no loaded provider has this digest" : NULL;

    EVP_MD_free(md);
    ERR_clear_error();
    return reason;
}

const char *hash_fetch(const struct cs_op *op, void **fetched)
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

int hash_setup(cs_case *c)
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

int hash_call(cs_case *c)
{
    return session_digest(c->state, c->msg, c->out) ? CS_OK : session_fail("EVP_Digest");
}

int shake_setup(cs_case *c)
{
    int status = hash_setup(c);

    c->out_len = EVP_MD_is_a(c->fetched, "SHAKE-128") ? 32 : 64;
    return status;
}

int shake_call(cs_case *c)
{
    const struct session *s = c->state;

    return EVP_DigestInit_ex2(s->md_ctx, s->md, NULL) == 1 &&
                   EVP_DigestUpdate(s->md_ctx, c->msg.data, c->msg.len) == 1 &&
                   EVP_DigestFinalXOF(s->md_ctx, c->out, c->out_len) == 1
               ? CS_OK
               : session_fail("EVP_DigestFinalXOF");
}

/* ---- one call, nothing kept ---- */

int oneshot_hash_call(cs_case *c)
{
    return EVP_Q_digest(NULL, c->op->param, NULL, c->msg.data, c->msg.len, c->out, &c->out_len) == 1
               ? CS_OK
               : session_fail("EVP_Q_digest");
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

int oneshot_mac_call(cs_case *c)
{
    const struct mac_kind *kind = c->op->param;

    return EVP_Q_mac(NULL, kind->mac, NULL, kind->inner, NULL, c->key.data, c->key.len, c->msg.data, c->msg.len, c->out,
                     c->out_cap, &c->out_len) != NULL
               ? CS_OK
               : session_fail("EVP_Q_mac");
}
