/* SPDX-License-Identifier: Apache-2.0
 *
 * RSA with 2048 bits, PKCS#1 v1.5 with SHA-256. Numbers are mini-gmp's.
 */
#include "../program.h"

#include <nettle/bignum.h>
#include <nettle/rsa.h>
#include <nettle/sha2.h>

int main(void)
{
    struct rsa_public_key key;
    struct sha256_ctx hash;
    span modulus, exponent, sig, msg;
    mpz_t signature;
    int right;

    if (!read_input())
        return BROKEN;
    modulus = field(), exponent = field(), sig = field(), msg = rest();
    rsa_public_key_init(&key);
    nettle_mpz_set_str_256_u(key.n, modulus.len, modulus.data);
    nettle_mpz_set_str_256_u(key.e, exponent.len, exponent.data);
    if (!rsa_public_key_prepare(&key))
        return BROKEN;
    if (sig.len != key.size)
        return NO;
    sha256_init(&hash);
    sha256_update(&hash, msg.len, msg.data);
    nettle_mpz_init_set_str_256_u(signature, sig.len, sig.data);
    right = rsa_sha256_verify(&key, &hash, signature);
    mpz_clear(signature);
    rsa_public_key_clear(&key);
    return right ? YES : NO;
}
