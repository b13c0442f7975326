/* SPDX-License-Identifier: Apache-2.0
 *
 * SHA-512.
 */
#include "begin.h"

int main(void)
{
    uint8_t digest[crypto_hash_sha512_BYTES];

    if (!begun() || crypto_hash_sha512(digest, given, given_len) != 0)
        return BROKEN;
    return write_output(digest, sizeof digest);
}
