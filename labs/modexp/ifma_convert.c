/* SPDX-License-Identifier: Apache-2.0
 *
 * modexp laboratory, IFMA back end: conversions, and the constants of a modulus.
 */
#if defined(__x86_64__) /* elsewhere: without_ifma.c */

#include "ifma_convert.h"

#include "ifma.h"

#include <string.h>

void modexp_ifma_to_block(uint64_t *block, const uint64_t *limbs64, unsigned count, const ifma_key *key)
{
    memset(block, 0, key->block * sizeof(*block));
    for (unsigned i = 0; i < key->limbs; i++) {
        unsigned at = i * IFMA_LIMB_BITS / 64, shift = i * IFMA_LIMB_BITS % 64;
        uint64_t limb = at < count ? limbs64[at] >> shift : 0;

        if (shift > 64 - IFMA_LIMB_BITS && at + 1 < count) {
            limb |= limbs64[at + 1] << (64 - shift);
        }
        block[IFMA_FIRST + i] = limb & IFMA_MASK;
    }
}

void modexp_ifma_from_block(uint64_t *limbs64, unsigned count, const uint64_t *block, const ifma_key *key)
{
    for (unsigned i = 0; i < count; i++) {
        unsigned at = i * 64 / IFMA_LIMB_BITS, shift = i * 64 % IFMA_LIMB_BITS;
        uint64_t limb = block[IFMA_FIRST + at] >> shift;

        for (unsigned have = IFMA_LIMB_BITS - shift; have < 64; have += IFMA_LIMB_BITS) {
            at++;
            if (at < key->limbs) {
                limb |= block[IFMA_FIRST + at] << have;
            }
        }
        limbs64[i] = limb;
    }
}

int modexp_ifma_takes(unsigned bits)
{
    return bits >= IFMA_MIN_BITS && bits <= IFMA_MAX_BITS && bits % 64 == 0;
}

/* Entries of 64 bits in a block: a line for the head, then the words. Both kernels of a length have the same. */
static unsigned block_entries(unsigned bits)
{
    return 8 * (1 + ifma_words(modexp_ifma_kernel(bits, 1)));
}

size_t modexp_ifma_operand_bytes(unsigned bits)
{
    return block_entries(bits) * sizeof(uint64_t);
}

size_t modexp_ifma_key_bytes(unsigned bits)
{
    return sizeof(ifma_key) + IFMA_KEY_NUMBERS * modexp_ifma_operand_bytes(bits);
}

/* x = 2 x mod m for x < m. */
static void double_modulo(uint64_t *x, const uint64_t *m, unsigned limbs)
{
    uint64_t carry = 0, borrow = 0, keep;

    for (unsigned i = IFMA_FIRST; i < IFMA_FIRST + limbs; i++) {
        uint64_t twice = x[i] << 1 | carry;

        carry = twice >> IFMA_LIMB_BITS;
        x[i] = twice & IFMA_MASK;
        borrow = (x[i] - m[i] - borrow) >> 63;
    }
    keep = 0 - borrow; /* 2 x < m: subtract nothing */
    borrow = 0;
    for (unsigned i = IFMA_FIRST; i < IFMA_FIRST + limbs; i++) {
        uint64_t difference = x[i] - (m[i] & ~keep) - borrow;

        borrow = difference >> 63;
        x[i] = difference & IFMA_MASK;
    }
}

int modexp_ifma_set_modulus(void *memory, size_t size, const uint8_t *modulus, size_t bytes)
{
    ifma_key *key = memory;
    uint64_t limbs64[IFMA_MAX_BITS / 64] = {0};
    uint64_t *m, *x, inverse;

    if (bytes > IFMA_MAX_BITS / 8 || !modexp_ifma_takes((unsigned)bytes * 8) || (modulus[0] & 0x80) == 0 ||
        (modulus[bytes - 1] & 1) == 0) {
        return -1;
    }
    if ((uintptr_t)memory % IFMA_ALIGNMENT != 0 || size < modexp_ifma_key_bytes((unsigned)bytes * 8)) {
        return -1;
    }
    for (size_t i = 0; i < bytes; i++) {
        limbs64[i / 8] |= (uint64_t)modulus[bytes - 1 - i] << (8 * (i % 8));
    }
    memset(key, 0, modexp_ifma_key_bytes((unsigned)bytes * 8));
    key->bits = (unsigned)bytes * 8;
    key->limbs = ifma_limbs(key->bits);
    key->block = block_entries(key->bits);
    m = ifma_number(key, IFMA_MODULUS);
    modexp_ifma_to_block(m, limbs64, key->bits / 64, key);
    for (int j = 0; j <= IFMA_HEAD; j++) {
        key->m_shift[j] = m[IFMA_FIRST + j] << (64 - IFMA_LIMB_BITS);
    }
    inverse = 1; /* right modulo 2; each step doubles the bits that are right */
    for (int right = 1; right < IFMA_LIMB_BITS; right *= 2) {
        inverse *= 2 - limbs64[0] * inverse;
    }
    key->k0 = (0 - inverse) & IFMA_MASK;

    /* 2^bits - m is 2^bits mod m, since the top bit of m is set. Doubled to R = 2^(52 n), then to R^2. */
    for (unsigned i = 0; i < key->bits / 64; i++) {
        limbs64[i] = ~limbs64[i];
    }
    limbs64[0]++; /* m is odd, its complement even: no carry */
    x = ifma_number(key, IFMA_ONE);
    modexp_ifma_to_block(x, limbs64, key->bits / 64, key);
    for (unsigned i = key->bits; i < IFMA_LIMB_BITS * key->limbs; i++) {
        double_modulo(x, m, key->limbs);
    }
    memcpy(ifma_number(key, IFMA_SQUARE_OF_R), x, key->block * sizeof(*x));
    x = ifma_number(key, IFMA_SQUARE_OF_R);
    for (unsigned i = 0; i < IFMA_LIMB_BITS * key->limbs; i++) {
        double_modulo(x, m, key->limbs);
    }
    return 0;
}

#endif
