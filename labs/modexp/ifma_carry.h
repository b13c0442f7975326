/* SPDX-License-Identifier: Apache-2.0
 *
 * modexp laboratory, IFMA back end: the end of a product, lanes back to limbs of 52 bits.
 *
 * Every lane gives its upper 12 bits to the next lane; then a carry is 0 or 1 and must run through limbs of all ones.
 * With one bit per lane, g = "produces a carry" and p = "all ones, hands a carry on", the lanes that receive one are
 * (2 g + p) xor p: the addition of machine words does the running (J. Sklansky's carry look-ahead, done by an adder).
 * No branch depends on a value.
 */
#ifndef MODEXP_IFMA_CARRY_H
#define MODEXP_IFMA_CARRY_H

#include "ifma_row.h"

#define IFMA_MASK_GROUPS ((IFMA_MAX_WORDS + 7) / 8)

/* One bit per lane, 64 lanes in an entry. Turns `gives` (and `hands_on`) into the lanes that receive a carry, and
 * returns the carry out of the topmost bit of the last entry. `in`: the carry into the lowest lane. */
IFMA_INLINE unsigned ifma_run(uint64_t gives[], const uint64_t hands_on[], int words, unsigned in)
{
    uint64_t below = in;
    unsigned char overflow = 0;
    IFMA_UNROLL for (int group = 0; group < (words + 7) / 8; group++)
    {
        unsigned long long sum;
        uint64_t twice = gives[group] << 1 | below;
        below = gives[group] >> 63;
        overflow = _addcarry_u64(overflow, twice, hands_on[group], &sum);
        gives[group] = sum ^ hands_on[group];
    }
    return (unsigned)below | overflow;
}

/* Leaves limbs below 2^52 in s->x, and the head's limbs in s->column. */
IFMA_INLINE void ifma_carry(ifma_state *s, int zmm, int words)
{
    const __m512i mask = _mm512_set1_epi64((long long)IFMA_MASK);
    uint64_t carry = 0;
    IFMA_UNROLL for (int j = 0; j < IFMA_HEAD; j++)
    {
        carry += s->column[j];
        s->column[j] = carry & IFMA_MASK;
        carry >>= IFMA_LIMB_BITS;
    }
    __m512i below = _mm512_set1_epi64((long long)carry);
    uint64_t g[IFMA_MASK_GROUPS] = {0}, p[IFMA_MASK_GROUPS] = {0};
    IFMA_UNROLL for (int w = 0; w < words; w++)
    {
        __m512i lane = s->x[w];
        if (w == zmm)
            lane = _mm512_maskz_mov_epi64(0x0f, lane);
        __m512i upper = _mm512_srli_epi64(lane, IFMA_LIMB_BITS);
        lane = _mm512_add_epi64(_mm512_and_si512(lane, mask), _mm512_alignr_epi64(upper, below, 7));
        below = upper;
        s->x[w] = lane;
        g[w / 8] |= (uint64_t)_cvtmask8_u32(_mm512_cmpgt_epu64_mask(lane, mask)) << (8 * (w % 8));
        p[w / 8] |= (uint64_t)_cvtmask8_u32(_mm512_cmpeq_epu64_mask(lane, mask)) << (8 * (w % 8));
    }
    (void)ifma_run(g, p, words, 0);
    IFMA_UNROLL for (int w = 0; w < words; w++)
    {
        __mmask8 receives = _cvtu32_mask8((unsigned)(g[w / 8] >> (8 * (w % 8))) & 0xff);
        s->x[w] = _mm512_mask_sub_epi64(s->x[w], receives, s->x[w], _mm512_set1_epi64(-1));
        s->x[w] = _mm512_and_si512(s->x[w], mask);
    }
}

IFMA_INLINE void ifma_store(uint64_t *r, const ifma_state *s, int words)
{
    IFMA_UNROLL for (int j = 0; j < IFMA_HEAD; j++) r[IFMA_FIRST + j] = s->column[j];
    IFMA_UNROLL for (int w = 0; w < words; w++) _mm512_store_si512(r + 8 + 8 * w, s->x[w]);
}

/* The limbs of r in s, as ifma_carry leaves them. */
IFMA_INLINE void ifma_take(ifma_state *s, const uint64_t *r, int words)
{
    IFMA_UNROLL for (int j = 0; j < IFMA_HEAD; j++) s->column[j] = r[IFMA_FIRST + j];
    IFMA_UNROLL for (int w = 0; w < words; w++) s->x[w] = _mm512_load_si512(r + 8 + 8 * w);
}

/* Twice the number in s, limb by limb with its carries, without the head. 2 r < 4 m <= R needs no limb more. */
IFMA_INLINE void ifma_double(uint64_t *twice, const ifma_state *s, int words)
{
    const __m512i mask = _mm512_set1_epi64((long long)IFMA_MASK);
    __m512i below = _mm512_set1_epi64((long long)(s->column[IFMA_HEAD - 1] >> (IFMA_LIMB_BITS - 1)));
    IFMA_UNROLL for (int w = 0; w < words; w++)
    {
        const __m512i upper = _mm512_srli_epi64(s->x[w], IFMA_LIMB_BITS - 1);
        const __m512i carries = _mm512_alignr_epi64(upper, below, 7);
        /* (2 x and mask) or carries */
        _mm512_store_si512(twice + 8 + 8 * w,
                           _mm512_ternarylogic_epi64(_mm512_add_epi64(s->x[w], s->x[w]), mask, carries, 0xea));
        below = upper;
    }
}

/* r - m if that is not negative, else r. A borrow runs like a carry: a lane gives one if its difference is negative,
 * and hands one on if it is zero. */
IFMA_INLINE void ifma_subtract(uint64_t *r, const uint64_t *m, int words)
{
    const __m512i mask = _mm512_set1_epi64((long long)IFMA_MASK), zero = _mm512_setzero_si512();
    __m512i d[IFMA_MAX_WORDS];
    uint64_t head[IFMA_HEAD], g[IFMA_MASK_GROUPS] = {0}, p[IFMA_MASK_GROUPS] = {0};
    uint64_t borrow = 0;
    IFMA_UNROLL for (int j = 0; j < IFMA_HEAD; j++)
    {
        head[j] = r[IFMA_FIRST + j] - m[IFMA_FIRST + j] - borrow;
        borrow = head[j] >> 63;
        head[j] &= IFMA_MASK;
    }
    IFMA_UNROLL for (int w = 0; w < words; w++)
    {
        d[w] = _mm512_sub_epi64(_mm512_load_si512(r + 8 + 8 * w), _mm512_load_si512(m + 8 + 8 * w));
        g[w / 8] |= (uint64_t)_cvtmask8_u32(_mm512_cmplt_epi64_mask(d[w], zero)) << (8 * (w % 8));
        p[w / 8] |= (uint64_t)_cvtmask8_u32(_mm512_cmpeq_epi64_mask(d[w], zero)) << (8 * (w % 8));
    }
    /* the lanes above the last word hand a borrow on to the top, as if they were zero */
    if (words % 8 != 0)
        p[words / 8] |= UINT64_MAX << (8 * (words % 8));
    const unsigned negative = ifma_run(g, p, words, (unsigned)borrow);
    const uint64_t keep = ifma_hidden(0 - (uint64_t)negative);
    IFMA_UNROLL for (int w = 0; w < words; w++)
    {
        __mmask8 receives = _cvtu32_mask8((unsigned)(g[w / 8] >> (8 * (w % 8))) & 0xff);
        d[w] = _mm512_mask_add_epi64(d[w], receives, d[w], _mm512_set1_epi64(-1));
        d[w] = _mm512_and_si512(d[w], mask);
        d[w] = _mm512_mask_mov_epi64(d[w], _cvtu32_mask8((unsigned)keep & 0xff), _mm512_load_si512(r + 8 + 8 * w));
        _mm512_store_si512(r + 8 + 8 * w, d[w]);
    }
    IFMA_UNROLL for (int j = 0; j < IFMA_HEAD; j++) r[IFMA_FIRST + j] = (head[j] & ~keep) | (r[IFMA_FIRST + j] & keep);
}

#endif
