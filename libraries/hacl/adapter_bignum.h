/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of this adapter about numbers share.
 */
#ifndef CIPHERSTONE_HACL_ADAPTER_BIGNUM_H
#define CIPHERSTONE_HACL_ADAPTER_BIGNUM_H

#include <Hacl_Bignum.h>

#include "adapter.h"

enum { WORD = 8 };

typedef Hacl_Bignum_MontArithmetic_bn_mont_ctx_u64 monty;

/* Words that hold a number of so many bytes. */
uint32_t words_of(size_t bytes);

/* The number in so many words, the least significant first, as the headers say that they are kept (the functions that
 * load one allocate with malloc); to be freed with cs_free. NULL if it does not fit, or there is no memory. */
uint64_t *load(cs_span number, uint32_t words);

/* Whether the library's functions are defined modulo this number. */
int is_modulus(const uint64_t *modulus, uint32_t words);

/* Writes `number` as `len` bytes after what is at `out`, and sets it to zero: a call that does nothing shows. */
int give(cs_case *c, uint64_t *number, uint32_t words, size_t len);

#endif
