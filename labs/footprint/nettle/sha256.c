/* SPDX-License-Identifier: Apache-2.0 */
#include "../program.h"

#include <nettle/sha2.h>

int main(void)
{
    struct sha256_ctx hash;
    uint8_t digest[SHA256_DIGEST_SIZE];

    if (!read_input())
        return BROKEN;
    sha256_init(&hash);
    sha256_update(&hash, given_len, given);
    sha256_digest(&hash, sizeof digest, digest);
    return write_output(digest, sizeof digest);
}
