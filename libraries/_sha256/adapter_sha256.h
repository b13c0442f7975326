/* SPDX-License-Identifier: Apache-2.0
 *
 * SHA-256 (FIPS 180-4 section 6.2) in plain C, for libraries that take hashes and have none in their interface.
 */
#ifndef CIPHERSTONE_ADAPTER_SHA256_H
#define CIPHERSTONE_ADAPTER_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { SHA256_BLOCK = 64, SHA256_DIGEST = 32 };

struct sha256 {
    uint32_t h[8];
    uint64_t bytes; /* taken so far */
    uint8_t block[SHA256_BLOCK];
};

void sha256_begin(struct sha256 *s);
void sha256_take(struct sha256 *s, const uint8_t *data, size_t len);
void sha256_end(struct sha256 *s, uint8_t out[SHA256_DIGEST]);

#endif
