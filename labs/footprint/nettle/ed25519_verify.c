/* SPDX-License-Identifier: Apache-2.0
 *
 * Ed25519, verified.
 */
#include "../program.h"

#include <nettle/eddsa.h>

int main(void)
{
    span pub, sig, msg;

    if (!read_input())
        return BROKEN;
    pub = field(), sig = field(), msg = rest();
    if (pub.len != ED25519_KEY_SIZE)
        return BROKEN;
    if (sig.len != ED25519_SIGNATURE_SIZE)
        return NO;
    return ed25519_sha512_verify(pub.data, msg.len, msg.data, sig.data) ? YES : NO;
}
