/* SPDX-License-Identifier: Apache-2.0
 *
 * X25519.
 */
#include "own.h"

enum { KEY_BYTES = 32 };

int main(void)
{
    uint8_t secret[KEY_BYTES];
    span key, pub;

    if (!read_input() || !begun())
        return BROKEN;
    key = field(), pub = rest();
    if (key.len != KEY_BYTES || pub.len != KEY_BYTES)
        return BROKEN;
    return gcry_ecc_mul_point(GCRY_ECC_CURVE25519, secret, key.data, pub.data) == 0 ? write_output(secret, KEY_BYTES)
                                                                                    : NO;
}
