/* SPDX-License-Identifier: Apache-2.0
 *
 * A hand-written loop around libsodium: the same call on the same inputs as libraries/libsodium, without the SDK.
 */
#include "loop.h"

#include <sodium.h>

int main(int argc, char **argv)
{
    struct inputs in = place(argc, argv);

    if (strcmp(argv[1], "x25519/derive") != 0 || sodium_init() < 0)
        die("no such operation");
    SERVE(crypto_scalarmult(in.out, in.key.data, in.pub.data) == 0, in.out, 32);
    return 0;
}
