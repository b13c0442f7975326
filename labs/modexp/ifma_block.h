/* SPDX-License-Identifier: Apache-2.0
 *
 * modexp laboratory, IFMA back end: how a number lies in memory, and what the parts of the back end share.
 *
 * A number of n limbs of 52 bits is a block: its lowest IFMA_HEAD limbs (the "head", handled by scalar instructions)
 * end one cache line, the others follow in whole 64-byte words of 8 lanes, so that every vector load is aligned:
 *
 *     index   0 ... 5        6        7      |  8        9      ...
 *             unused         limb 0   limb 1 |  limb 2   limb 3 ...
 *
 * Lanes above limb n - 1 are zero, always.
 */
#ifndef MODEXP_IFMA_BLOCK_H
#define MODEXP_IFMA_BLOCK_H

#include <stddef.h>
#include <stdint.h>

/* The intrinsics need no -m flag of the build: each function asks for its own target. */
#define IFMA_TARGET __attribute__((target("avx512f,avx512ifma,avx512vl,avx512bw,avx512dq,bmi2")))
#define IFMA_INLINE static inline __attribute__((always_inline)) IFMA_TARGET

#define IFMA_LIMB_BITS 52
#define IFMA_MASK ((UINT64_C(1) << IFMA_LIMB_BITS) - 1)
#define IFMA_HEAD 2
#define IFMA_FIRST (8 - IFMA_HEAD) /* index of limb 0 in a block */
#define IFMA_MIN_BITS 256
#define IFMA_MAX_BITS 8192
#define IFMA_MAX_WORDS 20
#define IFMA_MAX_WINDOW 7
#define IFMA_ALIGNMENT 64 /* of every block, in bytes */

/* A mask of which the compiler knows nothing any more, for the reason that limb.h gives at value_barrier. */
IFMA_INLINE uint64_t ifma_hidden(uint64_t mask)
{
    __asm__("" : "+r"(mask));
    return mask;
}

/* One modulus. The numbers are blocks in the memory behind the structure. */
typedef struct ifma_key {
    uint32_t bits;       /* of the modulus */
    uint32_t limbs;      /* n: R = 2^(52 n) >= 4 m */
    uint64_t block;      /* entries of 64 bits in a block */
    uint64_t k0;         /* -1 / m mod 2^52 */
    uint64_t m_shift[5]; /* limbs 0..IFMA_HEAD of m, shifted left by 12: the high word of a 64-bit product then is the
                            part above 2^52 */
    uint64_t numbers[];  /* m, then R mod m, then R^2 mod m */
} ifma_key;

enum { IFMA_MODULUS, IFMA_ONE, IFMA_SQUARE_OF_R, IFMA_KEY_NUMBERS };

_Static_assert(sizeof(ifma_key) == 64, "blocks behind a key must be aligned");

static inline uint64_t *ifma_number(ifma_key *key, int which)
{
    return key->numbers + (size_t)which * key->block;
}

struct ifma_table;

/* The code for one length of numbers, for `pair` = 1 or 2 independent numbers at once: arrays have that many entries.
 */
typedef struct ifma_kernel {
    unsigned zmm;  /* words of 8 lanes */
    unsigned half; /* 1 if a word of 4 lanes follows */
    unsigned pair;
    /* r = a b / R, almost reduced: below 2 m if a and b are. r may be a or b. */
    void (*mul)(uint64_t *const r[], const uint64_t *const a[], const uint64_t *const b[], const ifma_key *const key[]);
    /* r = r^(2^times) in the same sense, times >= 1. `twice` is scratch of one block per number. */
    void (*sqr)(uint64_t *const r[], unsigned times, uint64_t *const twice[], const ifma_key *const key[]);
    /* r = entry `index` of a table, read whole, for one number. */
    void (*gather)(uint64_t *r, const struct ifma_table *table, unsigned index);
    /* r - m if that is not negative, else r, for r < 2 m, of one number. */
    void (*reduce)(uint64_t *r, const ifma_key *key);
    const char *mul_name, *sqr_name, *gather_name, *reduce_name;
} ifma_kernel;

/* Powers of the base. Three areas, so that no entry straddles a cache line more than it must and nothing is padding. */
typedef struct ifma_table {
    uint64_t *words; /* entry e: 8 zmm lanes at 8 zmm e */
    uint64_t *half;  /* entry e: 4 lanes at 4 e; only if the kernel has a half word */
    uint64_t *head;  /* entry e: IFMA_HEAD limbs */
    unsigned entries;
} ifma_table;

static inline unsigned ifma_words(const ifma_kernel *kernel)
{
    return kernel->zmm + kernel->half;
}

/* n for a modulus of `bits`: 4 m <= 2^(52 n) for every m < 2^bits. */
static inline unsigned ifma_limbs(unsigned bits)
{
    return (bits + 2 + IFMA_LIMB_BITS - 1) / IFMA_LIMB_BITS;
}

/* The kernel for moduli of this length. For `pair` = 2 NULL if two calls of the single one do as well: long numbers
 * have enough independent work of their own. */
const ifma_kernel *modexp_ifma_kernel(unsigned bits, int pair);

/* The kernel that a power of this shape uses; `pair` is 1 for the two-at-once form. */
const ifma_kernel *modexp_ifma_power_kernel(unsigned bits, unsigned window, int pair);

#endif
