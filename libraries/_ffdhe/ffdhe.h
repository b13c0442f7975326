/* SPDX-License-Identifier: Apache-2.0
 *
 * The groups of RFC 7919 that are measured, as numbers.
 */
#ifndef CIPHERSTONE_FFDHE_H
#define CIPHERSTONE_FFDHE_H

#include "cipherstone.h"

#ifdef __cplusplus
extern "C" {
#endif

/* `p`: the prime; `q` = (p - 1) / 2, the order of the subgroup of the generator, which is 2; both of `bytes` bytes,
 * most significant first. */
struct cs_ffdhe {
    int bits;
    size_t bytes;
    const uint8_t *p;
    const uint8_t *q;
};

enum { CS_FFDHE_GENERATOR = 2, CS_FFDHE_MAX = 384 };
extern const struct cs_ffdhe cs_ffdhe_2048, cs_ffdhe_3072;

/* A number without the zeros in front: some interfaces take as many steps as an exponent has bytes. */
cs_span cs_significant(cs_span number);

#ifdef __cplusplus
}
#endif

#endif
