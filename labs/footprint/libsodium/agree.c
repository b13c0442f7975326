/* SPDX-License-Identifier: Apache-2.0
 *
 * X25519.
 */
#include "begin.h"

int main(void)
{
    uint8_t out[crypto_scalarmult_BYTES];
    span key, pub;

    if (!begun())
        return BROKEN;
    key = field(), pub = rest();
    if (key.len != crypto_scalarmult_SCALARBYTES || pub.len != crypto_scalarmult_BYTES)
        return BROKEN;
    return crypto_scalarmult(out, key.data, pub.data) == 0 ? write_output(out, sizeof out) : NO;
}
