/* SPDX-License-Identifier: Apache-2.0
 *
 * RSA with 2048 bits, PKCS#1 v1.5 with SHA-256. Numbers are LibTomMath's.
 */
#include "digest.h"

int main(void)
{
    uint8_t digest[SHA256_BYTES];
    span modulus, exponent, sig, msg;
    rsa_key key;
    int right = 0, hash;

    if (!read_input())
        return BROKEN;
    modulus = field(), exponent = field(), sig = field(), msg = rest();
    ltc_mp = ltm_desc;
    hash = register_hash(&sha256_desc);
    if (hash < 0 || !digest_of(msg, digest) ||
        rsa_set_key(modulus.data, modulus.len, exponent.data, exponent.len, NULL, 0, &key) != CRYPT_OK)
        return BROKEN;
    if (rsa_verify_hash_ex(sig.data, sig.len, digest, sizeof digest, LTC_PKCS_1_V1_5, hash, 0, &right, &key) !=
        CRYPT_OK)
        right = 0;
    rsa_free(&key);
    return right == 1 ? YES : NO;
}
