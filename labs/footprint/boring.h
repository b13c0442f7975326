/* SPDX-License-Identifier: Apache-2.0
 *
 * Programs without TLS for BoringSSL and for AWS-LC, which have these functions alike.
 */
#ifndef FOOTPRINT_BORING_H
#define FOOTPRINT_BORING_H

#include <string.h>
#ifndef FOOTPRINT_BOARD
#include <sys/wait.h>
#endif

#include "posix.h"
#include "program.h"

#include <openssl/aead.h>
#include <openssl/bn.h>
#include <openssl/curve25519.h>
#include <openssl/ec.h>
#include <openssl/ec_key.h>
#include <openssl/ecdh.h>
#include <openssl/ecdsa.h>
#include <openssl/nid.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/sha.h>

enum { AES_128_BYTES = 16, TAG_BYTES = 16, POINT_BYTES = 65, SECRET_BYTES = 32, RSA_MOST = 512, ECDSA_MOST = 72 };

static inline int hashed(void)
{
    uint8_t digest[SHA256_DIGEST_LENGTH];

    if (!read_input())
        return BROKEN;
    SHA256(given, given_len, digest);
    return write_output(digest, sizeof digest);
}

static inline int hashed_512(void)
{
    uint8_t digest[SHA512_DIGEST_LENGTH];

    if (!read_input())
        return BROKEN;
    SHA512(given, given_len, digest);
    return write_output(digest, sizeof digest);
}

/* What follows the key. */
static inline int opened_by(const EVP_AEAD *aead, span key)
{
    static uint8_t out[MOST];
    EVP_AEAD_CTX ctx;
    span iv, aad, tag, msg;

    iv = field(), aad = field(), tag = field(), msg = rest();
    if (EVP_AEAD_CTX_init(&ctx, aead, key.data, key.len, TAG_BYTES, NULL) != 1)
        return BROKEN;
    if (tag.len != TAG_BYTES || EVP_AEAD_CTX_open_gather(&ctx, out, iv.data, iv.len, msg.data, msg.len, tag.data,
                                                         tag.len, aad.data, aad.len) != 1)
        return NO;
    return write_output(out, msg.len);
}

/* AES-128-GCM; with a key of the double length AES-256-GCM. */
static inline int opened(void)
{
    span key;

    if (!read_input())
        return BROKEN;
    key = field();
    return opened_by(key.len == AES_128_BYTES ? EVP_aead_aes_128_gcm() : EVP_aead_aes_256_gcm(), key);
}

static inline int chacha_opened(void)
{
    if (!read_input())
        return BROKEN;
    return opened_by(EVP_aead_chacha20_poly1305(), field());
}

/* Draws, forks, draws in both processes: YES if the child drew what its parent did. A board has no processes. */
static inline int drawn_alike(uint8_t *out, size_t len)
{
#ifdef FOOTPRINT_BOARD
    (void)out, (void)len;
    return NO;
#else
    static uint8_t again[MOST];
    int ends[2], status;
    pid_t child;

    if (pipe(ends) != 0 || (child = fork()) < 0)
        return BROKEN;
    if (child == 0)
        _exit(RAND_bytes(again, len) == 1 && write(ends[1], again, len) == (ssize_t)len ? YES : BROKEN);
    if (waitpid(child, &status, 0) != child || status != 0 || read(ends[0], again, len) != (ssize_t)len ||
        memcmp(out, again, len) == 0 || RAND_bytes(given, len) != 1 || memcmp(out, given, len) == 0)
        return BROKEN;
    return memcmp(again, given, len) == 0 ? YES : NO;
#endif
}

/* With a first field the fork too. */
static inline int drawn(void)
{
    static uint8_t out[MOST];
    int is_forked;
    size_t len;

    if (!read_input())
        return BROKEN;
    is_forked = field().len > 0, len = rest().len;
    if (RAND_bytes(out, len) != 1)
        return BROKEN;
    return is_forked ? drawn_alike(out, len) : write_output(out, len);
}

/* ECDSA on P-256 with SHA-256, signatures in DER. */
static inline int signed_by_ec(void)
{
    EC_KEY *key = EC_KEY_new_by_curve_name(NID_X9_62_prime256v1);
    uint8_t digest[SHA256_DIGEST_LENGTH], sig[ECDSA_MOST];
    unsigned len = 0;
    BIGNUM *number;
    span private, msg;
    int done;

    if (!read_input() || key == NULL)
        return BROKEN;
  private
    = field(), msg = rest();
    number = BN_bin2bn(private.data, private.len, NULL);
    SHA256(msg.data, msg.len, digest);
    done = number != NULL && EC_KEY_set_private_key(key, number) == 1 && ECDSA_size(key) <= sizeof sig &&
           ECDSA_sign(0, digest, sizeof digest, sig, &len, key) == 1;
    BN_free(number);
    EC_KEY_free(key);
    return done ? write_output(sig, len) : BROKEN;
}

/* The same, verified. */
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

static inline int ed25519_verified(void)
{
    span pub, sig, msg;

    if (!read_input())
        return BROKEN;
    pub = field(), sig = field(), msg = rest();
    if (pub.len != ED25519_PUBLIC_KEY_LEN)
        return BROKEN;
    return sig.len == ED25519_SIGNATURE_LEN && ED25519_verify(msg.data, msg.len, sig.data, pub.data) == 1 ? YES : NO;
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

/* PKCS#1 v1.5 with SHA-256: n, e, d, p, q, dP, dQ, qInv, and the message. */
static inline int rsa_signed(void)
{
    enum { N, E, D, P, Q, DP, DQ, QINV, NUMBERS };
    uint8_t digest[SHA256_DIGEST_LENGTH], sig[RSA_MOST];
    BIGNUM *part[NUMBERS];
    RSA *key = RSA_new();
    unsigned len = 0;
    span msg;
    int done;

    if (!read_input() || key == NULL)
        return BROKEN;
    for (int i = 0; i < NUMBERS; i++) {
        span number = field();

        part[i] = BN_bin2bn(number.data, number.len, NULL);
    }
    msg = rest();
    SHA256(msg.data, msg.len, digest);
    done = RSA_set0_key(key, part[N], part[E], part[D]) == 1 && RSA_set0_factors(key, part[P], part[Q]) == 1 &&
           RSA_set0_crt_params(key, part[DP], part[DQ], part[QINV]) == 1 && RSA_size(key) <= sizeof sig &&
           RSA_sign(NID_sha256, digest, sizeof digest, sig, &len, key) == 1;
    RSA_free(key);
    return done ? write_output(sig, len) : BROKEN;
}

/* A key is drawn, on P-256 or, where the peer's value is that short, on Curve25519: its public value, and the secret.
 */
static inline int agreed_ephemeral(void)
{
    uint8_t out[POINT_BYTES + SECRET_BYTES], x25519_key[X25519_PRIVATE_KEY_LEN];
    EC_KEY *key;
    const EC_GROUP *group;
    EC_POINT *peer;
    int done;

    if (!read_input())
        return BROKEN;
    if (given_len == X25519_PUBLIC_VALUE_LEN) {
        X25519_keypair(out, x25519_key);
        return X25519(out + X25519_PUBLIC_VALUE_LEN, x25519_key, given) == 1
                   ? write_output(out, X25519_PUBLIC_VALUE_LEN + X25519_SHARED_KEY_LEN)
                   : NO;
    }
    key = EC_KEY_new_by_curve_name(NID_X9_62_prime256v1);
    group = key != NULL ? EC_KEY_get0_group(key) : NULL;
    peer = group != NULL ? EC_POINT_new(group) : NULL;
    if (peer == NULL || EC_KEY_generate_key(key) != 1 ||
        EC_POINT_point2oct(group, EC_KEY_get0_public_key(key), POINT_CONVERSION_UNCOMPRESSED, out, POINT_BYTES, NULL) !=
            POINT_BYTES)
        return BROKEN;
    done = EC_POINT_oct2point(group, peer, given, given_len, NULL) == 1 &&
           ECDH_compute_key(out + POINT_BYTES, SECRET_BYTES, peer, key, NULL) == SECRET_BYTES;
    EC_POINT_free(peer);
    EC_KEY_free(key);
    return done ? write_output(out, sizeof out) : NO;
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
