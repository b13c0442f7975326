/* SPDX-License-Identifier: Apache-2.0
 *
 * modexp laboratory: the accelerated back end, 52-bit limbs with AVX-512 IFMA. What the adapter calls.
 *
 * Numbers cross this border as little-endian arrays of 64-bit limbs, `bits` / 64 of them (bits is a multiple of 64):
 * the conversion to 52-bit limbs and back belongs to the call, as it does in other IFMA code. Every `key`, `arena` and
 * `operand` is a block of the caller's, 64-byte aligned, of the size that the functions below state; nothing is
 * allocated. A key and an arena come with their size: one that is too short, or not aligned, is refused. A window of 0
 * means the binary exponentiation that multiplies for one bits only ("fast"); 1..7 is a fixed window of that many bits.
 * With `constant_time` the table is gathered by a masked scan over all entries and no branch and no address depends on
 * base or exponent.
 */
#ifndef MODEXP_IFMA_H
#define MODEXP_IFMA_H

#include <stddef.h>
#include <stdint.h>

/* NULL if this build and this CPU can run the back end, else the reason (a static string). Asks the CPU itself, so that
 * no other function here may be called where it returns a reason. */
const char *modexp_ifma_unavailable(void);

/* Modulus lengths that the back end takes, in bits: a multiple of 64 in 256..8192 (1), else 0. */
int modexp_ifma_takes(unsigned bits);

/* Bytes of the precomputed block of one modulus; it begins with nothing the caller may rely on. */
size_t modexp_ifma_key_bytes(unsigned bits);

/* Working memory of one exponentiation, of it the table, exactly: what a call below uses, and all that it uses apart
 * from the stack. `pair` is 1 for the two-at-once form. */
size_t modexp_ifma_arena_bytes(unsigned bits, unsigned window, int constant_time, int pair);
size_t modexp_ifma_table_bytes(unsigned bits, unsigned window, int constant_time, int pair);

/* Computes the constants of a modulus: big-endian, `bytes` * 8 bits with the top bit set, odd. 0 or -1 (a modulus or a
 * block of `size` bytes that it cannot take). Untimed. */
int modexp_ifma_set_modulus(void *key, size_t size, const uint8_t *modulus, size_t bytes);

/* Working memory: `base` 64-byte aligned, `size` in bytes. */
typedef struct modexp_ifma_arena {
    void *base;
    size_t size;
} modexp_ifma_arena;

/* result = base^exponent mod m. `base` has bits / 64 limbs; one that is not below m counts as its residue. Scans
 * exactly `exponent_bits` bits of `exponent`, which has ceil(exponent_bits / 64) limbs; without bits it is 0, and the
 * result 1. `result` may be `base`. The base enters Montgomery form inside the call. 0, or -1 with nothing done: an
 * arena that cannot be taken, or a window above 7. */
int modexp_ifma_power(uint64_t *result, const uint64_t *base, const uint64_t *exponent, unsigned exponent_bits,
                      const void *key, unsigned window, int constant_time, modexp_ifma_arena arena);

/* Two exponentiations at once with different moduli of the same length: the halves of a CRT call. Exponents have as
 * many bits as the moduli. 0, or -1 as above and for moduli of two lengths. */
int modexp_ifma_power_x2(uint64_t *const result[2], const uint64_t *const base[2], const uint64_t *const exponent[2],
                         const void *const key[2], unsigned window, int constant_time, modexp_ifma_arena arena);

/* Single Montgomery products, for the operation `montmul`. load: limbs to an operand, in Montgomery form if asked.
 * mul: r = a b R^-1 mod m in reduced form. store: back to limbs. Only `mul` is timed. */
size_t modexp_ifma_operand_bytes(unsigned bits);
void modexp_ifma_load(void *operand, const uint64_t *limbs, int montgomery, const void *key);
void modexp_ifma_mul(void *r, const void *a, const void *b, const void *key);
void modexp_ifma_store(uint64_t *limbs, const void *operand, const void *key);

/* Operation counts of the power of this shape, by the same walk over the exponent: modular multiplications, squarings,
 * separate reductions (conversions out of Montgomery form), products of single limbs (one lane of one instruction is
 * one product half: vpmadd52lo and vpmadd52hi of the same pair count once). */
typedef struct modexp_ifma_counts {
    uint64_t mul, sqr, red, limb_mul;
} modexp_ifma_counts;
void modexp_ifma_count(modexp_ifma_counts *counts, const uint64_t *exponent, unsigned exponent_bits, unsigned bits,
                       unsigned window, int constant_time);

/* Names of the functions whose code a row uses, space-separated (for code size by symbol table). `bits` of the modulus
 * that the keys have. The string lives until the next call. */
const char *modexp_ifma_symbols(unsigned bits, unsigned window, int constant_time, int pair);

#endif
