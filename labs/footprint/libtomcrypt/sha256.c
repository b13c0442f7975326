/* SPDX-License-Identifier: Apache-2.0 */
#include "digest.h"

int main(void)
{
    uint8_t digest[SHA256_BYTES];

    if (!read_input() || !digest_of(rest(), digest))
        return BROKEN;
    return write_output(digest, sizeof digest);
}
