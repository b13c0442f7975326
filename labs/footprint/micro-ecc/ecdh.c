/* SPDX-License-Identifier: Apache-2.0
 *
 * ECDH on P-256.
 */
#include "digest.h"

#include <uECC.h>

int main(void)
{
    uint8_t out[P256_BYTES];
    span key, pub;

    if (!read_input())
        return BROKEN;
    key = field(), pub = rest();
    if (key.len != P256_BYTES)
        return BROKEN;
    if (pub.len != POINT_BYTES || pub.data[0] != UNCOMPRESSED ||
        !uECC_valid_public_key(pub.data + 1, uECC_secp256r1()) ||
        !uECC_shared_secret(pub.data + 1, key.data, out, uECC_secp256r1()))
        return NO;
    return write_output(out, sizeof out);
}
