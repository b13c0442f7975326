/* SPDX-License-Identifier: Apache-2.0
 *
 * modexp laboratory: what its parts share. A *backend* is the whole arithmetic at one limb size; a *reduction* is the
 * way a modular product is made; a *scan* is the way the exponent is walked. Sources: README.md.
 */
#ifndef MODEXP_LAB_H
#define MODEXP_LAB_H

#include <stddef.h>
#include <stdint.h>

/* What the compiler offers. Limbs of 64 bits need an integer of 128 for their products: compilers for 32-bit machines
 * have none, and the widest limbs are those of 32 bits there. UMAAL comes with the DSP extension of Arm's cores. */
#if defined(__SIZEOF_INT128__)
#define MODEXP_HAS_64 1
#define MODEXP_WIDEST modexp_64
#define MODEXP_WIDEST_COUNTED modexp_64_counted
#else
#define MODEXP_HAS_64 0
#define MODEXP_WIDEST modexp_32
#define MODEXP_WIDEST_COUNTED modexp_32_counted
#endif
#if defined(__arm__) && defined(__ARM_FEATURE_DSP)
#define MODEXP_HAS_UMAAL 1
#else
#define MODEXP_HAS_UMAAL 0
#endif

enum { MODEXP_MAX_BITS = 16384, MODEXP_MAX_WINDOW = 7 };

typedef enum modexp_reduction {
    MODEXP_BASIC,   /* product, then division: Knuth's algorithm D */
    MODEXP_BARRETT, /* product, then two more by the precomputed reciprocal: HAC 14.42 */
    MODEXP_CIOS,    /* Montgomery, product and reduction row by row in turn */
    MODEXP_FIOS,    /* the same in one interleaved loop */
    MODEXP_MONT,    /* product or dedicated square by columns, then Montgomery reduction */
    MODEXP_MONT_K,  /* the same with Karatsuba's product */
#if MODEXP_HAS_UMAAL
    MODEXP_UMAAL, /* as MODEXP_MONT with a processor's own multiply and accumulate: limbs of 32 bits only */
#endif
    MODEXP_REDUCTIONS
} modexp_reduction;

typedef enum modexp_scan {
    MODEXP_FAST,     /* binary; multiplies for one bits only */
    MODEXP_LADDER,   /* one product and one square a bit */
    MODEXP_FIXED,    /* windows of k bits, all 2^k powers */
    MODEXP_FIXED_CT, /* the same, entries gathered by a masked scan of the whole table */
    MODEXP_SLIDING,  /* windows that begin and end with a one bit, odd powers only */
    MODEXP_SCANS
} modexp_scan;

/* A way to exponentiate. `window` is 1..7 where the scan has one, else 0. */
typedef struct modexp_method {
    modexp_reduction reduction;
    modexp_scan scan;
    unsigned window;
} modexp_method;

/* Counted by the counted build of a backend: products and squares modulo m, reductions that stand alone, products of
 * two limbs. */
typedef struct modexp_counts {
    uint64_t mul, sqr, red, limb_mul;
} modexp_counts;
extern modexp_counts modexp_counted;

/* Memory given out front to back, never freed. With `base` NULL it only measures. `high` is what was asked for in all:
 * more than `size` once it has refused. */
typedef struct modexp_arena {
    unsigned char *base;
    size_t size, used, high;
} modexp_arena;

/* `size` bytes, NULL if they are not there. No padding is added: a caller takes multiples of one limb. */
void *modexp_arena_take(modexp_arena *arena, size_t size);

/* The numbers of one call. Limb arrays are little-endian, in the backend's own limbs. Where a function can fail it
 * returns NULL, or one line on why. Sizes in bits are those of the modulus (for CRT, of each prime). */
typedef struct modexp_backend {
    unsigned limb_bits, limb_bytes;
    size_t (*limbs)(unsigned bits);
    void (*load)(void *limbs, size_t n, const uint8_t *bytes, size_t len);
    void (*store)(uint8_t *bytes, size_t len, const void *limbs, size_t n);

    /* A key: the modulus and the constants that the reduction needs, in one block of key_bytes. `crt` adds the
     * constant that brings a number of twice the length into the reduction's form. */
    size_t (*key_bytes)(modexp_reduction reduction, unsigned bits, int crt);
    const char *(*key_set)(void *block, size_t size, modexp_reduction reduction, const uint8_t *modulus, size_t len,
                           int crt);

    /* base^exponent mod m. The exponent is big-endian; all of its 8 * len bits are scanned; without bytes it is 0, and
     * the result 1 mod m. The base is any number of `limbs` limbs: one that is not below m counts as its residue.
     * Returns the result, inside the arena and below m, or NULL if the arena is too small. */
    size_t (*arena_bytes)(modexp_method method, unsigned bits);
    size_t (*table_bytes)(modexp_method method, unsigned bits);
    void *(*power)(modexp_method method, const void *key, const void *base, const uint8_t *exponent, size_t len,
                   modexp_arena *arena);

    /* The same with the primes of m = p q: two powers and Garner's recombination. `base`, any number too, has twice the
     * limbs of a prime; so has the result. `q_inverse` is 1 / q mod p in the reduction's form (see enter). */
    size_t (*crt_arena_bytes)(modexp_method method, unsigned bits);
    void *(*crt_power)(modexp_method method, const void *const keys[2], const void *q_inverse, const void *base,
                       const uint8_t *const exponents[2], size_t len, modexp_arena *arena);

    /* One product or square in the reduction's form, and the way into and out of the form. `scratch` has scratch_bytes.
     * enter takes any number of `limbs` limbs, and gives its residue; the others take numbers below m. All give numbers
     * below m. */
    size_t (*scratch_bytes)(modexp_reduction reduction, unsigned bits);
    void (*enter)(modexp_reduction reduction, void *r, const void *a, const void *key, void *scratch);
    void (*leave)(modexp_reduction reduction, void *r, const void *a, const void *key, void *scratch);
    void (*product)(modexp_reduction reduction, void *r, const void *a, const void *b, const void *key, void *scratch);
    void (*square)(modexp_reduction reduction, void *r, const void *a, const void *key, void *scratch);

    /* The parts of CRT that a back end of another kind leaves to this one, with MODEXP_MONT_K and its keys and scratch.
     * reduce_long: r = a mod m, `a` has twice the limbs and is spoilt. join: Garner's recombination as in crt_power;
     * `room` has the limbs of a prime, m1 is spoilt. */
    void (*reduce_long)(void *r, void *a, const void *key, void *scratch);
    void (*join)(void *result, void *m1, const void *m2, const void *q_inverse, const void *const keys[2], void *room,
                 void *scratch);
} modexp_backend;

/* The 64-bit ones only where there is MODEXP_HAS_64. */
extern const modexp_backend modexp_15, modexp_31, modexp_32, modexp_64;
/* The same sources, compiled to count what they do. */
extern const modexp_backend modexp_15_counted, modexp_31_counted, modexp_32_counted, modexp_64_counted;

#endif
