/* SPDX-License-Identifier: Apache-2.0
 *
 * RSA with 2048 bits, PKCS#1 v1.5 with SHA-256. SMALL: one implementation by name, not the best for the processor.
 */
#include "../program.h"

#include <string.h>

#include <bearssl.h>

int main(void)
{
    br_sha256_context hash;
    br_rsa_public_key key;
    uint8_t digest[br_sha256_SIZE], signed_digest[br_sha256_SIZE];
    span modulus, exponent, sig, msg;
    uint32_t right;

    if (!read_input())
        return BROKEN;
    modulus = field(), exponent = field(), sig = field(), msg = rest();
    br_sha256_init(&hash);
    br_sha256_update(&hash, msg.data, msg.len);
    br_sha256_out(&hash, digest);
    key = (br_rsa_public_key){modulus.data, modulus.len, exponent.data, exponent.len};
#ifdef SMALL
    right = br_rsa_i31_pkcs1_vrfy(sig.data, sig.len, BR_HASH_OID_SHA256, sizeof digest, &key, signed_digest);
#else
    right = br_rsa_pkcs1_vrfy_get_default()(sig.data, sig.len, BR_HASH_OID_SHA256, sizeof digest, &key, signed_digest);
#endif
    return right && memcmp(digest, signed_digest, sizeof digest) == 0 ? YES : NO;
}
