/* SPDX-License-Identifier: Apache-2.0
 *
 * AES-NI: Intel SDM volume 2, AESENC, AESDEC, AESIMC, AESKEYGENASSIST. A round of the equivalent inverse cipher is one
 * AESDEC.
 */
#if defined(__x86_64__)

#include "aes.h"

#include <cpuid.h>
#include <wmmintrin.h>

#define OWN_AES __attribute__((target("aes")))
#define INSIDE static inline __attribute__((target("aes"), always_inline))

typedef __m128i block;

INSIDE block load(const uint8_t *at)
{
    return _mm_loadu_si128((const __m128i *)at);
}

INSIDE void store(uint8_t *at, block value)
{
    _mm_storeu_si128((__m128i *)at, value);
}

INSIDE block both(block a, block b)
{
    return _mm_xor_si128(a, b);
}

INSIDE block mixed(block a)
{
    return _mm_aesimc_si128(a);
}

/* The first word of what AESKEYGENASSIST gives is SubWord of the second one that it gets. */
INSIDE uint32_t sub_word(uint32_t word)
{
    return (uint32_t)_mm_cvtsi128_si32(_mm_aeskeygenassist_si128(_mm_set1_epi32((int)word), 0));
}

INSIDE block encrypted(block s, const block *k, unsigned rounds)
{
    s = _mm_xor_si128(s, k[0]);
    for (unsigned i = 1; i < rounds; i++) {
        s = _mm_aesenc_si128(s, k[i]);
    }
    return _mm_aesenclast_si128(s, k[rounds]);
}

INSIDE block decrypted(block s, const block *k, unsigned rounds)
{
    s = _mm_xor_si128(s, k[0]);
    for (unsigned i = 1; i < rounds; i++) {
        s = _mm_aesdec_si128(s, k[i]);
    }
    return _mm_aesdeclast_si128(s, k[rounds]);
}

INSIDE void decrypted_at_once(block *s, const block *k, unsigned rounds)
{
    for (unsigned j = 0; j < OWN_AES_AT_ONCE; j++) {
        s[j] = _mm_xor_si128(s[j], k[0]);
    }
    for (unsigned i = 1; i < rounds; i++) {
        for (unsigned j = 0; j < OWN_AES_AT_ONCE; j++) {
            s[j] = _mm_aesdec_si128(s[j], k[i]);
        }
    }
    for (unsigned j = 0; j < OWN_AES_AT_ONCE; j++) {
        s[j] = _mm_aesdeclast_si128(s[j], k[rounds]);
    }
}

#include "cbc.h"

const char *own_aes_missing(void)
{
    unsigned a, b, c, d;

    if (!__get_cpuid(1, &a, &b, &c, &d) || (c & bit_AES) == 0) {
        return "the processor has no AES instructions";
    }
    return NULL;
}

#else
typedef int own_aes_not_x86_64; /* a file without a declaration is no C */
#endif
