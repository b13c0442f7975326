/* SPDX-License-Identifier: Apache-2.0
 *
 * Ed25519, verified.
 */
#include "../program.h"

#include <wolfssl/options.h>
#include <wolfssl/wolfcrypt/ed25519.h>

#include "random.h"

int main(void)
{
    static ed25519_key key;
    span pub, sig, msg;
    int right = 0;

    if (!read_input())
        return BROKEN;
    pub = field(), sig = field(), msg = rest();
    if (wc_ed25519_init(&key) != 0)
        return BROKEN;
    if (wc_ed25519_import_public(pub.data, (word32)pub.len, &key) != 0 ||
        wc_ed25519_verify_msg(sig.data, (word32)sig.len, msg.data, (word32)msg.len, &right, &key) != 0)
        return NO;
    return right == 1 ? YES : NO;
}
