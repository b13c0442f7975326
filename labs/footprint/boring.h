/* SPDX-License-Identifier: Apache-2.0
 *
 * Programs without TLS for BoringSSL and for AWS-LC, which have these functions alike.
 */
#ifndef FOOTPRINT_BORING_H
#define FOOTPRINT_BORING_H

#include "posix.h"
#include "program.h"

#include <openssl/aead.h>
#include <openssl/bn.h>
#include <openssl/curve25519.h>
#include <openssl/ec.h>
#include <openssl/ec_key.h>
#include <openssl/ecdsa.h>
#include <openssl/nid.h>
#include <openssl/rsa.h>
#include <openssl/sha.h>

enum { AES_128_BYTES = 16, TAG_BYTES = 16 };

static inline int hashed(void)
{
    uint8_t digest[SHA256_DIGEST_LENGTH];

    if (!read_input())
        return BROKEN;
    SHA256(given, given_len, digest);
    return write_output(digest, sizeof digest);
}

/* AES-128-GCM; with a key of the double length AES-256-GCM. */
static inline int opened(void)
{
    static uint8_t out[MOST];
    EVP_AEAD_CTX ctx;
    span key, iv, aad, tag, msg;

    if (!read_input())
        return BROKEN;
    key = field(), iv = field(), aad = field(), tag = field(), msg = rest();
    if (EVP_AEAD_CTX_init(&ctx, key.len == AES_128_BYTES ? EVP_aead_aes_128_gcm() : EVP_aead_aes_256_gcm(), key.data,
                          key.len, TAG_BYTES, NULL) != 1)
        return BROKEN;
    if (tag.len != TAG_BYTES || EVP_AEAD_CTX_open_gather(&ctx, out, iv.data, iv.len, msg.data, msg.len, tag.data,
                                                         tag.len, aad.data, aad.len) != 1)
        return NO;
    return write_output(out, msg.len);
}

/* ECDSA on P-256 with SHA-256, signatures in DER. */
static inline int verified(void)
{
    EC_KEY *key = EC_KEY_new_by_curve_name(NID_X9_62_prime256v1);
    const EC_GROUP *group = key != NULL ? EC_KEY_get0_group(key) : NULL;
    EC_POINT *point = group != NULL ? EC_POINT_new(group) : NULL;
    uint8_t digest[SHA256_DIGEST_LENGTH];
    span pub, sig, msg;
    int right;

    if (!read_input() || point == NULL)
        return BROKEN;
    pub = field(), sig = field(), msg = rest();
    SHA256(msg.data, msg.len, digest);
    right = EC_POINT_oct2point(group, point, pub.data, pub.len, NULL) == 1 && EC_KEY_set_public_key(key, point) == 1 &&
            ECDSA_verify(0, digest, sizeof digest, sig.data, sig.len, key) == 1;
    EC_POINT_free(point);
    EC_KEY_free(key);
    return right ? YES : NO;
}

/* PKCS#1 v1.5 with SHA-256. */
static inline int rsa_verified(void)
{
    RSA *key = RSA_new();
    uint8_t digest[SHA256_DIGEST_LENGTH];
    span modulus, exponent, sig, msg;

    if (!read_input() || key == NULL)
        return BROKEN;
    modulus = field(), exponent = field(), sig = field(), msg = rest();
    SHA256(msg.data, msg.len, digest);
    if (RSA_set0_key(key, BN_bin2bn(modulus.data, modulus.len, NULL), BN_bin2bn(exponent.data, exponent.len, NULL),
                     NULL) != 1)
        return BROKEN;
    return RSA_verify(NID_sha256, digest, sizeof digest, sig.data, sig.len, key) == 1 ? YES : NO;
}

static inline int agreed(void)
{
    uint8_t out[X25519_SHARED_KEY_LEN];
    span key, pub;

    if (!read_input())
        return BROKEN;
    key = field(), pub = rest();
    if (key.len != X25519_PRIVATE_KEY_LEN || pub.len != X25519_PUBLIC_VALUE_LEN)
        return BROKEN;
    return X25519(out, key.data, pub.data) == 1 ? write_output(out, sizeof out) : NO;
}

#endif
