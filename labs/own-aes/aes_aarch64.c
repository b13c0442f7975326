/* SPDX-License-Identifier: Apache-2.0
 *
 * The AES instructions of Armv8 (Arm Architecture Reference Manual, FEAT_AES): AESE adds the round key first, then
 * substitutes and shifts; AESMC mixes. The last key is added by itself.
 *
 * GCC takes the instructions by attribute; Clang offers them where the whole file is compiled for them, as on macOS.
 */
#if defined(__aarch64__) && (defined(__ARM_FEATURE_AES) || (defined(__GNUC__) && !defined(__clang__)))

#include "aes.h"

#include <arm_neon.h>

#if defined(__ARM_FEATURE_AES)
#define OWN_AES
#define INSIDE static inline __attribute__((always_inline))
#else
#define OWN_AES __attribute__((target("+crypto")))
#define INSIDE static inline __attribute__((target("+crypto"), always_inline))
#endif

typedef uint8x16_t block;

INSIDE block load(const uint8_t *at)
{
    return vld1q_u8(at);
}

INSIDE void store(uint8_t *at, block value)
{
    vst1q_u8(at, value);
}

INSIDE block both(block a, block b)
{
    return veorq_u8(a, b);
}

INSIDE block mixed(block a)
{
    return vaesimcq_u8(a);
}

/* Four times the same column: shifting rows changes nothing. */
INSIDE uint32_t sub_word(uint32_t word)
{
    const block s = vaeseq_u8(vreinterpretq_u8_u32(vdupq_n_u32(word)), vdupq_n_u8(0));

    return vgetq_lane_u32(vreinterpretq_u32_u8(s), 0);
}

INSIDE block encrypted(block s, const block *k, unsigned rounds)
{
    for (unsigned i = 0; i < rounds - 1; i++) {
        s = vaesmcq_u8(vaeseq_u8(s, k[i]));
    }
    return veorq_u8(vaeseq_u8(s, k[rounds - 1]), k[rounds]);
}

INSIDE block decrypted(block s, const block *k, unsigned rounds)
{
    for (unsigned i = 0; i < rounds - 1; i++) {
        s = vaesimcq_u8(vaesdq_u8(s, k[i]));
    }
    return veorq_u8(vaesdq_u8(s, k[rounds - 1]), k[rounds]);
}

INSIDE void decrypted_at_once(block *s, const block *k, unsigned rounds)
{
    for (unsigned i = 0; i < rounds - 1; i++) {
        for (unsigned j = 0; j < OWN_AES_AT_ONCE; j++) {
            s[j] = vaesimcq_u8(vaesdq_u8(s[j], k[i]));
        }
    }
    for (unsigned j = 0; j < OWN_AES_AT_ONCE; j++) {
        s[j] = veorq_u8(vaesdq_u8(s[j], k[rounds - 1]), k[rounds]);
    }
}

#include "cbc.h"

#if defined(__linux__)
#include <sys/auxv.h>

#define HWCAP_OF_AES 8ul /* Linux, Documentation/arch/arm64/elf_hwcaps.rst */

const char *own_aes_missing(void)
{
    return (getauxval(AT_HWCAP) & HWCAP_OF_AES) != 0 ? NULL : "the processor has no AES instructions";
}
#else
/* Compiled for processors that have them all. */
const char *own_aes_missing(void)
{
    return NULL;
}
#endif

#else
typedef int own_aes_not_aarch64; /* a file without a declaration is no C */
#endif
