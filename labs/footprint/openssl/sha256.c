/* SPDX-License-Identifier: Apache-2.0 */
#include "../posix.h"
#include "../program.h"

#include <openssl/evp.h>

int main(void)
{
    uint8_t digest[32];

    if (!read_input() || EVP_Digest(given, given_len, digest, NULL, EVP_sha256(), NULL) != 1)
        return BROKEN;
    return write_output(digest, sizeof digest);
}
