/* SPDX-License-Identifier: Apache-2.0
 *
 * modexp laboratory: a limb. Included with LIMB_BITS 15, 31, 32 or 64; with LIMB_COUNTED for the counted build.
 *
 * 15 and 31: a limb leaves bits of its word free, so that carries need no overflow test; 15-bit limbs need only
 * products of 32 bits (the idea of BearSSL's i15, for cores without a wide multiplication). 32 and 64: full words.
 * The wide type of 64-bit limbs is the compiler's own 128-bit integer: portable C as far as gcc and clang go, no
 * intrinsics and no assembly.
 */
#ifndef MODEXP_LIMB_H
#define MODEXP_LIMB_H

#include "lab.h"

#include <string.h>

#if LIMB_BITS == 15
typedef uint32_t limb_t;
typedef uint32_t wide_t;
#elif LIMB_BITS == 31 || LIMB_BITS == 32
typedef uint32_t limb_t;
typedef uint64_t wide_t;
#elif LIMB_BITS == 64
typedef uint64_t limb_t;
__extension__ typedef unsigned __int128 wide_t;
#else
#error "LIMB_BITS is 15, 31, 32 or 64"
#endif

#define WORD_BITS (8 * sizeof(limb_t))
#define LIMB_MASK ((limb_t)(((wide_t)1 << LIMB_BITS) - 1))
#define LOW(wide) ((limb_t)((limb_t)(wide) & LIMB_MASK))
#if LIMB_BITS == 15 || LIMB_BITS == 31
#define PAIR_MASK (((wide_t)1 << 2 * LIMB_BITS) - 1)
#else
#define PAIR_MASK (~(wide_t)0)
#endif
#define HIGH(wide) ((limb_t)((wide) >> LIMB_BITS))

/* Names contain the limb size, so that the symbol table distinguishes the code of one row from another's. */
#define LIMB_JOIN2(name, bits, tail) name##_##bits##tail
#define LIMB_JOIN(name, bits, tail) LIMB_JOIN2(name, bits, tail)
#ifdef LIMB_COUNTED
#define NAMED(name) LIMB_JOIN(name, LIMB_BITS, _counted)
#define COUNT(what) (modexp_counted.what++)
#else
#define NAMED(name) LIMB_JOIN(name, LIMB_BITS, )
#define COUNT(what) ((void)0)
#endif

/* One product of two limbs. */
static inline wide_t product(limb_t a, limb_t b)
{
    COUNT(limb_mul);
    return (wide_t)((wide_t)a * b);
}

/* A function whose code is found by its name: not inlined, not cloned. */
#if defined(__GNUC__) && !defined(__clang__)
#define LAB_FUNCTION static __attribute__((noinline, noclone))
#else
#define LAB_FUNCTION static __attribute__((noinline))
#endif

/* Inside of one such function: must not become a call. */
#define LAB_INLINE static inline __attribute__((always_inline))

/* Returns `x`, hidden from the compiler. A compiler that knows a mask to be all ones or zero may turn the code under it
 * into a branch around it. clang 16 at -O3 and clang 14 at -Os did so with the loads of table_gather, and leaked every
 * window of the exponent. The empty statement is no instruction; "+r" says that it may have changed x. Without such a
 * statement, a volatile object does the same at the price of a store and a load. */
LAB_INLINE limb_t value_barrier(limb_t x)
{
#if defined(__GNUC__)
    __asm__("" : "+r"(x));
    return x;
#else
    volatile limb_t hidden = x;

    return hidden;
#endif
}

/* All ones if `bit` is 1, 0 if it is 0. Every mask of the laboratory is made here, but that of IFMA's gather. */
LAB_INLINE limb_t mask_of(limb_t bit)
{
    return value_barrier((limb_t)(0 - bit));
}
#define NO_MASK ((limb_t) ~(limb_t)0)

/* A column's sum of products, three limbs wide. */
typedef struct sum_t {
    wide_t low;
    limb_t high;
} sum_t;

#if LIMB_BITS == 15 || LIMB_BITS == 31
/* `low` stays below 2^(2 LIMB_BITS) between calls, so that two more products fit before it must be folded. */
LAB_INLINE void sum_fold(sum_t *s)
{
    s->high += (uint32_t)(s->low >> (2 * LIMB_BITS));
    s->low &= PAIR_MASK;
}
LAB_INLINE void sum_add(sum_t *s, limb_t a, limb_t b)
{
    s->low += product(a, b);
    sum_fold(s);
}
LAB_INLINE void sum_add2(sum_t *s, limb_t a0, limb_t b0, limb_t a1, limb_t b1)
{
    s->low += product(a0, b0);
    s->low += product(a1, b1);
    sum_fold(s);
}
LAB_INLINE void sum_limb(sum_t *s, limb_t a)
{
    s->low += a;
    sum_fold(s);
}
LAB_INLINE void sum_add_limb(sum_t *s, limb_t a, limb_t b, limb_t c)
{
    s->low += product(a, b) + c;
    sum_fold(s);
}
LAB_INLINE limb_t sum_next(sum_t *s)
{
    limb_t r = LOW(s->low);

    s->low = (s->low >> LIMB_BITS) + ((wide_t)(s->high & LIMB_MASK) << LIMB_BITS);
    s->high >>= LIMB_BITS;
    return r;
}
#else
/* gcc turns the comparison into an addition with carry. */
LAB_INLINE void sum_wide(sum_t *s, wide_t w)
{
    s->low += w;
    s->high += s->low < w;
}
/* The same for a product of two limbs, plus one limb at most: clang makes better code from single words. The upper word
 * has room for the carry, as it is full only where the lower one is 0. */
LAB_INLINE void sum_product(sum_t *s, wide_t w)
{
#if defined(__clang__) && LIMB_BITS == 64
    limb_t low = (limb_t)s->low + (limb_t)w, carry = (limb_t)(w >> LIMB_BITS) + (low < (limb_t)w);
    limb_t middle = (limb_t)(s->low >> LIMB_BITS) + carry;

    s->low = (wide_t)middle << LIMB_BITS | low;
    s->high += middle < carry;
#else
    sum_wide(s, w);
#endif
}
LAB_INLINE void sum_add(sum_t *s, limb_t a, limb_t b)
{
    sum_product(s, product(a, b));
}
LAB_INLINE void sum_add2(sum_t *s, limb_t a0, limb_t b0, limb_t a1, limb_t b1)
{
    sum_product(s, product(a0, b0));
    sum_product(s, product(a1, b1));
}
LAB_INLINE void sum_limb(sum_t *s, limb_t a)
{
    sum_wide(s, a);
}
/* a b + c at once: it fits, so that the limb costs no third addition with carry. */
LAB_INLINE void sum_add_limb(sum_t *s, limb_t a, limb_t b, limb_t c)
{
    sum_product(s, product(a, b) + c);
}
LAB_INLINE limb_t sum_next(sum_t *s)
{
    limb_t r = (limb_t)s->low;

    s->low = (s->low >> LIMB_BITS) | ((wide_t)s->high << LIMB_BITS);
    s->high = 0;
    return r;
}
#endif

#endif
