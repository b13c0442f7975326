/* SPDX-License-Identifier: Apache-2.0
 *
 * SHA-512.
 */
#include "../program.h"

#include <monocypher-ed25519.h>

int main(void)
{
    uint8_t digest[64];

    if (!read_input())
        return BROKEN;
    crypto_sha512(digest, given, given_len);
    return write_output(digest, sizeof digest);
}
