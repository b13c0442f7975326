/* SPDX-License-Identifier: Apache-2.0
 *
 * modexp laboratory, IFMA back end: one row of an almost Montgomery multiplication.
 *
 * Row i adds a_i b + q m to the accumulator, with q such that the lowest column becomes a multiple of 2^52, and moves
 * the accumulator down by one limb (S. Gueron, V. Krasnov, "Software implementation of modular exponentiation, using
 * advanced vector instructions architectures", WAIFI 2012; N. Drucker, S. Gueron, "Fast modular squaring with
 * AVX512IFMA", 2018). The instructions give the low and the high 52 bits of a product separately; the high ones belong
 * one column higher, so that they are added after the move.
 *
 * What bounds a row is the way from q to the next q: broadcast, multiply, move, multiply, extract are 19 cycles on a
 * core that could do the row's products in 10. Therefore the lowest IFMA_HEAD columns never enter a vector: scalar
 * multiplications keep them, q follows from q within the scalar unit, and the vector unit's answer is needed
 * IFMA_HEAD + 1 rows later. The vector lane 0 is column IFMA_HEAD; its value is extracted at the end of a row, and what
 * the next row adds to that column is computed by both units (the vector's copy falls off at the move).
 *
 * Lanes grow without carries: a row adds to a lane at most 4 (2^52 - 1), so that after 160 rows a lane is below
 * 160 * 4 * 2^52 < 2^62. The scalar columns hold a lane, a row's 4 products below 2^52 and a carry below 2^12.
 */
#ifndef MODEXP_IFMA_ROW_H
#define MODEXP_IFMA_ROW_H

#include <immintrin.h>

#include "ifma_block.h"

/* Loops over words must be gone before registers are given out, at every level of optimisation. */
#if defined(__clang__)
#define IFMA_UNROLL _Pragma("clang loop unroll(full)")
#else
#define IFMA_UNROLL _Pragma("GCC unroll 24")
#endif

/* Keeps the compiler from reordering a sum across this value: the last addend is the one that comes last. */
#define IFMA_KEEP(value) __asm__("" : "+r"(value))

/* Words between the products of a word and its move, so that the move finds both its inputs ready. */
#define IFMA_LAG 4

/* An operand of the vector unit: word w is plain[w], or from `doubled_from` on twice[w]; `first` words are left out.
 * With `scalars` the head of `plain` is multiplied too. `edge` stands for the word `doubled_from`. */
typedef struct ifma_side {
    const uint64_t *plain, *twice;
    __m512i edge;
    int first, doubled_from, scalars;
} ifma_side;

/* The state of one product: columns of the head (one more than the head has: the next to come), and the lanes. */
typedef struct ifma_state {
    uint64_t column[IFMA_HEAD + 1];
    __m512i x[IFMA_MAX_WORDS];
} ifma_state;

/* Low and high 52 bits of a b, for b given as b << 12: one multiplication for both. */
IFMA_INLINE uint64_t ifma_split(uint64_t a, uint64_t b_shift, uint64_t *high)
{
    unsigned long long upper;
    uint64_t lower = _mulx_u64(a, b_shift, &upper);
    *high = upper;
    return lower >> 12;
}

IFMA_INLINE __m512i ifma_load(const uint64_t *p, int narrow)
{
    return narrow ? _mm512_castsi256_si512(_mm256_load_si256((const __m256i *)p)) : _mm512_load_si512(p);
}

IFMA_INLINE __m512i ifma_madd_lo(__m512i x, __m512i a, __m512i b, int narrow)
{
    return narrow ? _mm512_castsi256_si512(_mm256_madd52lo_epu64(_mm512_castsi512_si256(x), _mm512_castsi512_si256(a),
                                                                 _mm512_castsi512_si256(b)))
                  : _mm512_madd52lo_epu64(x, a, b);
}

IFMA_INLINE __m512i ifma_madd_hi(__m512i x, __m512i a, __m512i b, int narrow)
{
    return narrow ? _mm512_castsi256_si512(_mm256_madd52hi_epu64(_mm512_castsi512_si256(x), _mm512_castsi512_si256(a),
                                                                 _mm512_castsi512_si256(b)))
                  : _mm512_madd52hi_epu64(x, a, b);
}

/* Word w moved down by one lane; the lane that comes in is the lowest of the next word, or zero at the top. */
IFMA_INLINE __m512i ifma_move(const __m512i *x, int w, int words, int narrow)
{
    if (narrow)
        return _mm512_castsi256_si512(_mm256_alignr_epi64(_mm256_setzero_si256(), _mm512_castsi512_si256(x[w]), 1));
    return _mm512_alignr_epi64(w + 1 < words ? x[w + 1] : _mm512_setzero_si512(), x[w], 1);
}

IFMA_INLINE __m512i ifma_side_word(const ifma_side *side, int w, int narrow)
{
    if (w == side->doubled_from)
        return side->edge;
    return ifma_load((w > side->doubled_from ? side->twice : side->plain) + 8 + 8 * w, narrow);
}

/* The scalar part: takes a_i and the columns, returns q, leaves the columns moved down (the top one is left to the
 * caller, who has it from the lanes). `b_shift`: the head of b, shifted left by 12, and one limb more as it is; of
 * these the ones below `from` are left out. */
IFMA_INLINE uint64_t ifma_head(uint64_t column[], uint64_t a, const uint64_t *b_shift, int from, const ifma_key *key)
{
    uint64_t high;
    IFMA_UNROLL for (int j = 0; j < IFMA_HEAD; j++)
    {
        if (j < from)
            continue;
        column[j] += ifma_split(a, b_shift[j], &high);
        column[j + 1] += high;
    }
    if (from <= IFMA_HEAD)
        column[IFMA_HEAD] += (a * b_shift[IFMA_HEAD]) & IFMA_MASK;
    const uint64_t *m = key->numbers + IFMA_FIRST;
    uint64_t q = (column[0] * key->k0) & IFMA_MASK;
    /* column 0 + low(q m_0) is the next multiple of 2^52; from there on it is a carry */
    uint64_t early = ((column[0] + IFMA_MASK) >> IFMA_LIMB_BITS) + column[1];
    (void)ifma_split(q, key->m_shift[0], &high);
    IFMA_KEEP(early);
    column[1] = early;
    IFMA_UNROLL for (int j = 1; j < IFMA_HEAD; j++)
    {
        uint64_t carry = high;
        column[j - 1] = column[j] + (carry + ifma_split(q, key->m_shift[j], &high));
    }
    column[IFMA_HEAD - 1] = column[IFMA_HEAD] + high + ((q * m[IFMA_HEAD]) & IFMA_MASK);
    return q;
}

/* One row: the vector part around ifma_head. The low halves go to the lanes before the move, the high halves are summed
 * apart and added after it; with `fresh` the low halves are summed apart too, so that a lane waits for additions only.
 */
IFMA_INLINE void ifma_row(ifma_state *s, uint64_t a, const ifma_side *side, const uint64_t *b_shift,
                          const ifma_key *key, const uint64_t *m, int zmm, int words, int fresh)
{
    __m512i high[IFMA_MAX_WORDS];
    const __m512i zero = _mm512_setzero_si512();
    uint64_t digit = ifma_head(s->column, a, b_shift, side->scalars, key);
    __m512i va = _mm512_set1_epi64((long long)a), q = _mm512_set1_epi64((long long)digit);
    IFMA_UNROLL for (int w = 0; w < words + IFMA_LAG; w++)
    {
        if (w < words) {
            int narrow = w == zmm;
            __m512i low = fresh ? zero : s->x[w];
            high[w] = zero;
            if (w >= side->first) {
                __m512i b = ifma_side_word(side, w, narrow);
                low = ifma_madd_lo(low, va, b, narrow);
                high[w] = ifma_madd_hi(high[w], va, b, narrow);
            }
            __m512i mw = ifma_load(m + 8 + 8 * w, narrow);
            low = ifma_madd_lo(low, q, mw, narrow);
            high[w] = ifma_madd_hi(high[w], q, mw, narrow);
            s->x[w] = fresh ? _mm512_add_epi64(s->x[w], low) : low;
        }
        if (w >= IFMA_LAG)
            s->x[w - IFMA_LAG] =
                _mm512_add_epi64(ifma_move(s->x, w - IFMA_LAG, words, w - IFMA_LAG == zmm), high[w - IFMA_LAG]);
    }
    s->column[IFMA_HEAD] = (uint64_t)_mm_cvtsi128_si64(_mm512_castsi512_si128(s->x[0]));
}

#endif
