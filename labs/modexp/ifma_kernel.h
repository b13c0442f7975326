/* SPDX-License-Identifier: Apache-2.0
 *
 * modexp laboratory, IFMA back end: multiplication and repeated squaring for one number of words. A template: include
 * it with IFMA_NAME, IFMA_ZMM, IFMA_HALF, IFMA_PAIR (1 or 2 independent numbers) and IFMA_FRESH defined; it undefines
 * them. The loops over words are unrolled by the compiler, so that the accumulators live in registers.
 */
#define IFMA_JOIN2(a, b) a##b
#define IFMA_JOIN(a, b) IFMA_JOIN2(a, b)
#define IFMA_FN(part) IFMA_JOIN(IFMA_JOIN(modexp_ifma_, part), IFMA_NAME)
#define IFMA_WORDS (IFMA_ZMM + IFMA_HALF)

IFMA_INLINE void IFMA_JOIN(ifma_clear, IFMA_NAME)(ifma_state *s)
{
    IFMA_UNROLL for (int j = 0; j <= IFMA_HEAD; j++) s->column[j] = 0;
    IFMA_UNROLL for (int w = 0; w < IFMA_WORDS; w++) s->x[w] = _mm512_setzero_si512();
}

IFMA_INLINE void IFMA_JOIN(ifma_rows, IFMA_NAME)(ifma_state s[], const ifma_side side[], const uint64_t *const a[],
                                                 uint64_t b_shift[][IFMA_HEAD + 1], const ifma_key *const key[],
                                                 unsigned from, unsigned to)
{
    for (unsigned i = from; i < to; i++) {
        IFMA_UNROLL for (int p = 0; p < IFMA_PAIR; p++)
            ifma_row(&s[p], a[p][IFMA_FIRST + i], &side[p], b_shift[p], key[p], key[p]->numbers, IFMA_ZMM, IFMA_WORDS,
                     IFMA_FRESH);
    }
}

static IFMA_TARGET void IFMA_FN(mul)(uint64_t *const r[], const uint64_t *const a[], const uint64_t *const b[],
                                     const ifma_key *const key[])
{
    ifma_state s[IFMA_PAIR];
    ifma_side side[IFMA_PAIR];
    uint64_t b_shift[IFMA_PAIR][IFMA_HEAD + 1];
    IFMA_UNROLL for (int p = 0; p < IFMA_PAIR; p++)
    {
        IFMA_JOIN(ifma_clear, IFMA_NAME)(&s[p]);
        side[p].plain = side[p].twice = b[p];
        side[p].edge = _mm512_setzero_si512(); /* never used: no word is doubled */
        side[p].first = 0;
        side[p].doubled_from = IFMA_WORDS;
        side[p].scalars = 0;
        IFMA_UNROLL for (int j = 0; j <= IFMA_HEAD; j++) b_shift[p][j] = b[p][IFMA_FIRST + j]
                                                                         << (j < IFMA_HEAD ? 12 : 0);
    }
    IFMA_JOIN(ifma_rows, IFMA_NAME)(s, side, a, b_shift, key, 0, key[0]->limbs);
    IFMA_UNROLL for (int p = 0; p < IFMA_PAIR; p++) ifma_carry(&s[p], IFMA_ZMM, IFMA_WORDS);
    IFMA_UNROLL for (int p = 0; p < IFMA_PAIR; p++) ifma_store(r[p], &s[p], IFMA_WORDS);
}

/* The rows of one part of the square: limbs of word v (the head: v = -1). Products of a limb with a limb of its own
 * part are done from both, those with higher parts once with the doubled number, those with lower parts were done
 * there. Column i is complete at row i: a pair (j, k) with j + k = i is done at a row <= i. */
#define IFMA_PART(v)                                                                                                   \
    if ((v) < IFMA_WORDS) {                                                                                            \
        unsigned from = (v) < 0 ? 0 : IFMA_HEAD + 8 * ((v) < 0 ? 0 : (v));                                             \
        unsigned to = IFMA_HEAD + 8 * ((v) + 1);                                                                       \
        IFMA_UNROLL for (int p = 0; p < IFMA_PAIR; p++)                                                                \
        {                                                                                                              \
            side[p].first = (v) < 0 ? 0 : (v);                                                                         \
            side[p].doubled_from = (v) + 1;                                                                            \
            side[p].scalars = (v) < 0 ? 0 : (v) == 0 ? IFMA_HEAD : IFMA_HEAD + 1;                                      \
            if ((v) == 0)                                                                                              \
                b_shift[p][IFMA_HEAD] = r[p][8];                                                                       \
            if ((v) + 1 < IFMA_WORDS)                                                                                  \
                side[p].edge = _mm512_and_si512(_mm512_load_si512(twice[p] + 8 + 8 * ((v) + 1)), even);                \
        }                                                                                                              \
        IFMA_JOIN(ifma_rows, IFMA_NAME)(s, side, a, b_shift, key, from, to < n ? to : n);                              \
    }

/* The formatter does not settle on a layout for this line. */
/* clang-format off */
#define IFMA_PARTS                                                                                                     \
    IFMA_PART(0) IFMA_PART(1) IFMA_PART(2) IFMA_PART(3) IFMA_PART(4) IFMA_PART(5) IFMA_PART(6) IFMA_PART(7)            \
    IFMA_PART(8) IFMA_PART(9) IFMA_PART(10) IFMA_PART(11) IFMA_PART(12) IFMA_PART(13) IFMA_PART(14) IFMA_PART(15)      \
    IFMA_PART(16) IFMA_PART(17) IFMA_PART(18) IFMA_PART(19)
/* clang-format on */

static IFMA_TARGET void IFMA_FN(sqr)(uint64_t *const r[], unsigned times, uint64_t *const twice[],
                                     const ifma_key *const key[])
{
    const __m512i even = _mm512_set_epi64(-1, -1, -1, -1, -1, -1, -1, -2);
    const unsigned n = key[0]->limbs;
    ifma_state s[IFMA_PAIR];
    IFMA_UNROLL for (int p = 0; p < IFMA_PAIR; p++) ifma_take(&s[p], r[p], IFMA_WORDS);
    do {
        ifma_side side[IFMA_PAIR];
        const uint64_t *a[IFMA_PAIR];
        uint64_t b_shift[IFMA_PAIR][IFMA_HEAD + 1];
        IFMA_UNROLL for (int p = 0; p < IFMA_PAIR; p++)
        {
            a[p] = side[p].plain = r[p];
            side[p].twice = twice[p];
            IFMA_UNROLL for (int j = 0; j < IFMA_HEAD; j++) b_shift[p][j] = s[p].column[j] << 12;
            /* the first limb above the head is in a part of its own: doubled, without the carry from below */
            b_shift[p][IFMA_HEAD] = (uint64_t)_mm_cvtsi128_si64(_mm512_castsi512_si128(s[p].x[0])) << 1;
            ifma_double(twice[p], &s[p], IFMA_WORDS);
            IFMA_JOIN(ifma_clear, IFMA_NAME)(&s[p]);
        }
        IFMA_PART(-1)
        IFMA_PARTS
        IFMA_UNROLL for (int p = 0; p < IFMA_PAIR; p++) ifma_carry(&s[p], IFMA_ZMM, IFMA_WORDS);
        IFMA_UNROLL for (int p = 0; p < IFMA_PAIR; p++) ifma_store(r[p], &s[p], IFMA_WORDS);
    } while (--times);
}

/* Every entry is read, whatever the index: the addresses of a gather do not tell it. */
static IFMA_TARGET void IFMA_FN(gather)(uint64_t *r, const ifma_table *table, unsigned index)
{
    __m512i x[IFMA_WORDS];
    uint64_t head[IFMA_HEAD] = {0};
    IFMA_UNROLL for (int w = 0; w < IFMA_WORDS; w++) x[w] = _mm512_setzero_si512();
    for (unsigned e = 0; e < table->entries; e++) {
        const uint64_t wanted = ifma_hidden((uint64_t)(((int64_t)(e ^ index) - 1) >> 63));
        const __m512i mask = _mm512_set1_epi64((long long)wanted);
        IFMA_UNROLL for (int w = 0; w < IFMA_WORDS; w++)
        {
            const uint64_t *from =
                w < IFMA_ZMM ? table->words + 8 * ((size_t)e * IFMA_ZMM + (unsigned)w) : table->half + 4 * (size_t)e;
            x[w] = _mm512_ternarylogic_epi64(x[w], mask, ifma_load(from, w == IFMA_ZMM), 0xf8);
        }
        IFMA_UNROLL for (int j = 0; j < IFMA_HEAD; j++) head[j] |= wanted & table->head[e * IFMA_HEAD + (unsigned)j];
    }
    IFMA_UNROLL for (int j = 0; j < IFMA_HEAD; j++) r[IFMA_FIRST + j] = head[j];
    IFMA_UNROLL for (int w = 0; w < IFMA_WORDS; w++)
        _mm512_store_si512(r + 8 + 8 * w, w == IFMA_ZMM ? _mm512_maskz_mov_epi64(0x0f, x[w]) : x[w]);
}

static IFMA_TARGET void IFMA_FN(reduce)(uint64_t *r, const ifma_key *key)
{
    ifma_subtract(r, key->numbers, IFMA_WORDS);
}

#define IFMA_TEXT2(x) #x
#define IFMA_TEXT(x) IFMA_TEXT2(x)
#define IFMA_TITLE(part) IFMA_TEXT(IFMA_FN(part))

static const ifma_kernel IFMA_JOIN(ifma_kernel, IFMA_NAME) = {
    .zmm = IFMA_ZMM,
    .half = IFMA_HALF,
    .pair = IFMA_PAIR,
    .mul = IFMA_FN(mul),
    .sqr = IFMA_FN(sqr),
    .gather = IFMA_FN(gather),
    .reduce = IFMA_FN(reduce),
    .mul_name = IFMA_TITLE(mul),
    .sqr_name = IFMA_TITLE(sqr),
    .gather_name = IFMA_TITLE(gather),
    .reduce_name = IFMA_TITLE(reduce),
};

#undef IFMA_TITLE
#undef IFMA_TEXT
#undef IFMA_TEXT2
#undef IFMA_JOIN
#undef IFMA_JOIN2
#undef IFMA_PARTS
#undef IFMA_PART
#undef IFMA_WORDS
#undef IFMA_FN
#undef IFMA_NAME
#undef IFMA_ZMM
#undef IFMA_HALF
#undef IFMA_PAIR
#undef IFMA_FRESH
