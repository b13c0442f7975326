/* SPDX-License-Identifier: Apache-2.0 */
#include "../program.h"

#include <wolfssl/options.h>
#include <wolfssl/wolfcrypt/sha256.h>

#include "random.h"

int main(void)
{
    wc_Sha256 hash;
    uint8_t digest[WC_SHA256_DIGEST_SIZE];

    if (!read_input() || wc_InitSha256(&hash) != 0 || wc_Sha256Update(&hash, given, (word32)given_len) != 0 ||
        wc_Sha256Final(&hash, digest) != 0)
        return BROKEN;
    return write_output(digest, sizeof digest);
}
