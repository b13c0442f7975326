/* SPDX-License-Identifier: Apache-2.0
 *
 * Ed25519, verified.
 */
#include "begin.h"

int main(void)
{
    span pub, sig, msg;

    if (!begun())
        return BROKEN;
    pub = field(), sig = field(), msg = rest();
    if (pub.len != crypto_sign_PUBLICKEYBYTES)
        return BROKEN;
    if (sig.len != crypto_sign_BYTES)
        return NO;
    return crypto_sign_verify_detached(sig.data, msg.data, msg.len, pub.data) == 0 ? YES : NO;
}
