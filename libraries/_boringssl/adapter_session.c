/* SPDX-License-Identifier: Apache-2.0
 *
 * BoringSSL and AWS-LC adapter: the state of a case, failures, and what the library knows of the processor.
 */
#include <stdio.h>

#include <openssl/err.h>
#include <openssl/rand.h>

#include "adapter.h"

struct session *session_new(cs_case *c)
{
    struct session *s = cs_alloc(sizeof *s);

    if (s != NULL)
        EVP_AEAD_CTX_zero(&s->aead_ctx);
    c->state = s;
    return s;
}

void session_free(cs_case *c)
{
    struct session *s = c->state;

    EVP_MD_CTX_free(s->md_ctx);
    HMAC_CTX_free(s->hmac_ctx);
    CMAC_CTX_free(s->cmac_ctx);
    EVP_CIPHER_CTX_free(s->cipher_ctx);
    EVP_AEAD_CTX_cleanup(&s->aead_ctx);
    BN_CTX_free(s->bn_ctx);
    EC_POINT_free(s->point);
    EC_KEY_free(s->ec);
    EVP_PKEY_CTX_free(s->key_ctx);
    EVP_PKEY_free(s->peer);
    EVP_PKEY_free(s->key);
    cs_free(s);
    c->state = NULL;
}

int session_fail(const char *what)
{
    const char *reason = ERR_reason_error_string(ERR_peek_last_error());
    char text[256];

    if (reason == NULL)
        return cs_fail(what);
    (void)snprintf(text, sizeof text, "%s: %s", what, reason);
    ERR_clear_error();
    return cs_fail(text);
}

int session_give_up(cs_case *c, const char *what)
{
    session_free(c);
    return session_fail(what);
}

int session_refuse_key(cs_case *c)
{
    session_free(c);
    ERR_clear_error();
    return CS_BAD_KEY;
}

int session_reject(const char *what)
{
    if (ERR_GET_REASON(ERR_peek_error()) == ERR_R_MALLOC_FAILURE)
        return session_fail(what);
    ERR_clear_error();
    return CS_REJECTED;
}

const char *random_seed(void)
{
    uint8_t drawn;

    return RAND_bytes(&drawn, sizeof drawn) == 1 ? NULL : "RAND_bytes fails: no seed";
}

/* What the headers let an application ask about the processor. */
const char *boringssl_cpu_path(void)
{
    return EVP_has_aes_hardware() ? "AES and GHASH by instructions" : "AES and GHASH without instructions of their own";
}
