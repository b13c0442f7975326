/* SPDX-License-Identifier: Apache-2.0
 *
 * SHA-256 of the library, by its own functions and not by its table.
 */
#ifndef FOOTPRINT_DIGEST_H
#define FOOTPRINT_DIGEST_H

#include "../program.h"

#include <tomcrypt.h>

enum { SHA256_BYTES = 32 };

/* 1 if it could be had. */
static inline int digest_of(span msg, uint8_t *digest)
{
    hash_state hash;

    return sha256_init(&hash) == CRYPT_OK && sha256_process(&hash, msg.data, msg.len) == CRYPT_OK &&
           sha256_done(&hash, digest) == CRYPT_OK;
}

#endif
