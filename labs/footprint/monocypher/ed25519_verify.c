/* SPDX-License-Identifier: Apache-2.0
 *
 * Ed25519, verified.
 */
#include "../program.h"

#include <monocypher-ed25519.h>

enum { KEY_BYTES = 32, SIGNATURE_BYTES = 64 };

int main(void)
{
    span pub, sig, msg;

    if (!read_input())
        return BROKEN;
    pub = field(), sig = field(), msg = rest();
    if (pub.len != KEY_BYTES)
        return BROKEN;
    if (sig.len != SIGNATURE_BYTES)
        return NO;
    return crypto_ed25519_check(sig.data, pub.data, msg.data, msg.len) == 0 ? YES : NO;
}
