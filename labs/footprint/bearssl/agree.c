/* SPDX-License-Identifier: Apache-2.0
 *
 * X25519. SMALL: one implementation by name, not the best for the processor. The library takes the scalar's bytes as
 * they are in 0.6, and clamps it.
 */
#include "../program.h"

#include <bearssl.h>

enum { LENGTH = 32 };

int main(void)
{
    span key, pub;

    if (!read_input())
        return BROKEN;
    key = field(), pub = rest();
    if (key.len != LENGTH || pub.len != LENGTH)
        return BROKEN;
#ifdef SMALL
    if (!br_ec_c25519_i31.mul(pub.data, LENGTH, key.data, LENGTH, BR_EC_curve25519))
#else
    if (!br_ec_get_default()->mul(pub.data, LENGTH, key.data, LENGTH, BR_EC_curve25519))
#endif
        return NO;
    return write_output(pub.data, LENGTH);
}
