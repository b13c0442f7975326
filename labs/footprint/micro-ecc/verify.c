/* SPDX-License-Identifier: Apache-2.0
 *
 * ECDSA on P-256 with SHA-256, r and s behind each other.
 */
#include "digest.h"

#include <uECC.h>

int main(void)
{
    uint8_t digest[br_sha256_SIZE];
    span pub, sig, msg;

    if (!read_input())
        return BROKEN;
    pub = field(), sig = field(), msg = rest();
    if (pub.len != POINT_BYTES || pub.data[0] != UNCOMPRESSED)
        return BROKEN;
    digest_of(msg, digest);
    if (sig.len != 2 * P256_BYTES || !uECC_valid_public_key(pub.data + 1, uECC_secp256r1()))
        return NO;
    return uECC_verify(pub.data + 1, digest, sizeof digest, sig.data, uECC_secp256r1()) ? YES : NO;
}
