/* SPDX-License-Identifier: Apache-2.0
 *
 * SHA-256.
 */
#include "own.h"

int main(void)
{
    uint8_t digest[DIGEST_BYTES];

    if (!read_input() || !begun())
        return BROKEN;
    gcry_md_hash_buffer(GCRY_MD_SHA256, digest, given, given_len);
    return write_output(digest, sizeof digest);
}
