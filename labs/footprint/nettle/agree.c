/* SPDX-License-Identifier: Apache-2.0
 *
 * X25519. Where the peer's value is of low order the library gives zeros, and refuses nothing.
 */
#include "../program.h"

#include <nettle/curve25519.h>

int main(void)
{
    uint8_t out[CURVE25519_SIZE];
    span key, pub;

    if (!read_input())
        return BROKEN;
    key = field(), pub = rest();
    if (key.len != CURVE25519_SIZE || pub.len != CURVE25519_SIZE)
        return BROKEN;
    curve25519_mul(out, key.data, pub.data);
    return write_output(out, sizeof out);
}
