/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of this adapter share.
 */
#ifndef CIPHERSTONE_HACL_ADAPTER_H
#define CIPHERSTONE_HACL_ADAPTER_H

#include "cipherstone.h"
#include "cipherstone_encoding.h"

#include <config.h>

#include <Hacl_Bignum.h>

/* The library takes what it reads through pointers to bytes that may change, and changes none. */
static inline uint8_t *bytes_of(cs_span input)
{
    return (uint8_t *)(uintptr_t)input.data;
}

/* Why a row's implementation cannot run here, NULL if it can. */
const char *no_vec128(const cs_op *op);
const char *no_vec256(const cs_op *op);
const char *no_adx(const cs_op *op);
const char *no_aes_gcm(const cs_op *op);

/* The library's generator, which the system seeds. `seed` is a row's; `draw` gives 0 if it has no bytes. */
const char *seed(void);
int draw(uint8_t *out, uint32_t len);

/* ---- numbers ---- */

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

extern const cs_table hacl_aead, hacl_mac, hacl_keys, hacl_bignum, hacl_crt, hacl_ffdh, hacl_rsa, hacl_random, hacl_kdf,
    hacl_k256;

#endif
