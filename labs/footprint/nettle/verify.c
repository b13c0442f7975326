/* SPDX-License-Identifier: Apache-2.0
 *
 * ECDSA on P-256 with SHA-256, r and s behind each other. Numbers are mini-gmp's.
 */
#include "../program.h"

#include <nettle/bignum.h>
#include <nettle/dsa.h>
#include <nettle/ecc-curve.h>
#include <nettle/ecdsa.h>
#include <nettle/sha2.h>

enum { P256_BYTES = 32, POINT_BYTES = 1 + 2 * P256_BYTES, UNCOMPRESSED = 4 };

int main(void)
{
    struct sha256_ctx hash;
    struct ecc_point point;
    struct dsa_signature signature;
    uint8_t digest[SHA256_DIGEST_SIZE];
    span pub, sig, msg;
    mpz_t x, y;
    int right;

    if (!read_input())
        return BROKEN;
    pub = field(), sig = field(), msg = rest();
    if (pub.len != POINT_BYTES || pub.data[0] != UNCOMPRESSED)
        return BROKEN;
    if (sig.len != 2 * P256_BYTES)
        return NO;
    sha256_init(&hash);
    sha256_update(&hash, msg.len, msg.data);
    sha256_digest(&hash, sizeof digest, digest);
    nettle_mpz_init_set_str_256_u(x, P256_BYTES, pub.data + 1);
    nettle_mpz_init_set_str_256_u(y, P256_BYTES, pub.data + 1 + P256_BYTES);
    dsa_signature_init(&signature);
    nettle_mpz_set_str_256_u(signature.r, P256_BYTES, sig.data);
    nettle_mpz_set_str_256_u(signature.s, P256_BYTES, sig.data + P256_BYTES);
    ecc_point_init(&point, nettle_get_secp_256r1());
    right = ecc_point_set(&point, x, y) && ecdsa_verify(&point, sizeof digest, digest, &signature);
    ecc_point_clear(&point);
    dsa_signature_clear(&signature);
    mpz_clear(x);
    mpz_clear(y);
    return right ? YES : NO;
}
