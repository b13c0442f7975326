/* SPDX-License-Identifier: Apache-2.0
 *
 * SHA-256, which the library does not have: BearSSL's.
 */
#ifndef FOOTPRINT_DIGEST_H
#define FOOTPRINT_DIGEST_H

#include <bearssl_hash.h>

#include "../program.h"

static inline void digest_of(span msg, uint8_t *digest)
{
    br_sha256_context hash;

    br_sha256_init(&hash);
    br_sha256_update(&hash, msg.data, msg.len);
    br_sha256_out(&hash, digest);
}

/* The library's points have no byte before them that says what they are. */
enum { P256_BYTES = 32, POINT_BYTES = 1 + 2 * P256_BYTES, UNCOMPRESSED = 4 };

#endif
