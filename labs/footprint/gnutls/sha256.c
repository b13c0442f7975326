/* SPDX-License-Identifier: Apache-2.0
 *
 * SHA-256.
 */
#include "../program.h"

#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>

enum { DIGEST_BYTES = 32 };

int main(void)
{
    uint8_t digest[DIGEST_BYTES];

    if (!read_input() || gnutls_hash_fast(GNUTLS_DIG_SHA256, given, given_len, digest) < 0)
        return BROKEN;
    return write_output(digest, sizeof digest);
}
