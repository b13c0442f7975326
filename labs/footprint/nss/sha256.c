/* SPDX-License-Identifier: Apache-2.0
 *
 * SHA-256.
 */
#include "own.h"

enum { DIGEST_BYTES = 32 };

int main(void)
{
    uint8_t digest[DIGEST_BYTES];

    if (!read_input() || !begun() || PK11_HashBuf(SEC_OID_SHA256, digest, given, (PRInt32)given_len) != SECSuccess)
        return BROKEN;
    return write_output(digest, sizeof digest);
}
