/* SPDX-License-Identifier: Apache-2.0
 *
 * X25519. Where the peer's value is of low order the library gives zeros, and refuses nothing.
 */
#include "../program.h"

#include <monocypher.h>

enum { LENGTH = 32 };

int main(void)
{
    uint8_t out[LENGTH];
    span key, pub;

    if (!read_input())
        return BROKEN;
    key = field(), pub = rest();
    if (key.len != LENGTH || pub.len != LENGTH)
        return BROKEN;
    crypto_x25519(out, key.data, pub.data);
    return write_output(out, sizeof out);
}
