/* SPDX-License-Identifier: Apache-2.0 */
#include "begin.h"

int main(void)
{
    uint8_t digest[crypto_hash_sha256_BYTES];

    if (!begun() || crypto_hash_sha256(digest, given, given_len) != 0)
        return BROKEN;
    return write_output(digest, sizeof digest);
}
