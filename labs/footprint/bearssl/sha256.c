/* SPDX-License-Identifier: Apache-2.0 */
#include "../program.h"

#include <bearssl.h>

int main(void)
{
    br_sha256_context hash;
    uint8_t digest[br_sha256_SIZE];

    if (!read_input())
        return BROKEN;
    br_sha256_init(&hash);
    br_sha256_update(&hash, given, given_len);
    br_sha256_out(&hash, digest);
    return write_output(digest, sizeof digest);
}
