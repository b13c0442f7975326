/* SPDX-License-Identifier: Apache-2.0
 *
 * A public key out of its parts, and a signature verified with it.
 */
#ifndef FOOTPRINT_KEY_H
#define FOOTPRINT_KEY_H

#include "../posix.h"
#include "../program.h"

#include <openssl/evp.h>

/* NULL if the parts are no key. */
static inline EVP_PKEY *public_key(const char *kind, OSSL_PARAM *parts)
{
    EVP_PKEY_CTX *ctx = EVP_PKEY_CTX_new_from_name(NULL, kind, NULL);
    EVP_PKEY *key = NULL;

    if (ctx == NULL || EVP_PKEY_fromdata_init(ctx) != 1 ||
        EVP_PKEY_fromdata(ctx, &key, EVP_PKEY_PUBLIC_KEY, parts) != 1)
        key = NULL;
    EVP_PKEY_CTX_free(ctx);
    return key;
}

/* With SHA-256. */
static inline int verified(EVP_PKEY *key, span sig, span msg)
{
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();
    int right = ctx != NULL && key != NULL && EVP_DigestVerifyInit(ctx, NULL, EVP_sha256(), NULL, key) == 1 &&
                EVP_DigestVerify(ctx, sig.data, sig.len, msg.data, msg.len) == 1;

    EVP_MD_CTX_free(ctx);
    EVP_PKEY_free(key);
    return right ? YES : NO;
}

#endif
