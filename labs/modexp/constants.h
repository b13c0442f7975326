/* SPDX-License-Identifier: Apache-2.0
 *
 * modexp laboratory: a key block filled: the constants of each reduction, from the modulus. Never timed.
 */
#define modulus_set NAMED(modulus_set)

/* -1/m mod B for odd m by Newton's iteration: each step doubles the bits that are right; m itself is its own inverse
 * modulo 8. */
static limb_t negative_inverse_of(limb_t m)
{
    limb_t x = m;

    for (unsigned bits = 3; bits < LIMB_BITS; bits *= 2) {
        x *= 2 - m * x;
    }
    return (limb_t)(0 - x) & LIMB_MASK;
}

/* Remainders of powers of two by doubling, from 2^(bits - 1) on: `x` holds 2^from mod m and becomes 2^to mod m. With
 * `quotient` (one limb more than n) it becomes floor(2^to / m) when `from` is bits - 1. */
static void double_up(limb_t *x, unsigned from, unsigned to, const modulus *key, limb_t *quotient)
{
    for (unsigned i = to - from; i-- > 0;) {
        limb_t over = vec_double_mod(x, key->m, key->n);

        if (quotient != NULL) {
            quotient[i / LIMB_BITS] |= (limb_t)(over << (i % LIMB_BITS));
        }
    }
}

static const char *modulus_set(void *block, size_t size, modexp_reduction reduction, const uint8_t *bytes, size_t len,
                               int crt)
{
    modexp_arena arena = {block, size, 0, 0};
    unsigned bits, whole;
    modulus *key;

    while (len > 0 && bytes[0] == 0) {
        bytes++;
        len--;
    }
    if (len == 0) {
        return "modulus is zero";
    }
    if ((bytes[len - 1] & 1) == 0) {
        return "modulus is even: the laboratory takes odd moduli";
    }
    if (len > MODEXP_MAX_BITS / 8) {
        return "modulus is longer than 16384 bits";
    }
    bits = (unsigned)(8 * len);
    for (unsigned top = bytes[0]; top < 128; top <<= 1) {
        bits--;
    }
    key = modulus_layout(&arena, reduction, limbs_of_bits(bits), crt);
    if (key == NULL) {
        return "key block is too small";
    }
    limbs_load(key->m, key->n, bytes, len);
    key->negative_inverse = negative_inverse_of(key->m[0]);
    whole = (unsigned)key->n * LIMB_BITS;
    key->shift = whole - bits;

    /* 2^(bits - 1) is below m unless m is 1. */
    vec_zero(key->one, key->n);
    key->one[(bits - 1) / LIMB_BITS] = (limb_t)1 << ((bits - 1) % LIMB_BITS);
    if (bits == 1) {
        key->one[0] = 0;
    }
    if (key->scaled != NULL) {
        /* Reducing 1 leaves the quotient -1/m below and (1 + m (-1/m)) / B^8 above. */
        vec_zero(key->scaled, key->n + 8);
        key->scaled[0] = 1;
        reduce8(key->scaled, key, 0);
    }
    if (is_montgomery(reduction)) {
        double_up(key->one, bits - 1, whole, key, NULL);
        vec_copy(key->square, key->one, key->n);
        double_up(key->square, whole, 2 * whole, key, NULL);
        if (crt) {
            vec_copy(key->cube, key->square, key->n);
            double_up(key->cube, 2 * whole, 3 * whole, key, NULL);
        }
        return NULL;
    }
    if (reduction == MODEXP_BARRETT) {
        vec_zero(key->reciprocal, key->n + 1);
        double_up(key->one, bits - 1, 2 * whole, key, key->reciprocal);
        for (size_t i = 0; bits == 1 && i <= key->n; i++) {
            key->reciprocal[i] = LIMB_MASK; /* of 1 it has one limb more: the largest that fits is near enough */
        }
    } else {
        limb_t carry = 0;

        for (size_t i = 0; i < key->n; i++) {
            wide_t t = (wide_t)((wide_t)key->m[i] << key->shift) | carry;

            key->normalised[i] = LOW(t);
            carry = HIGH(t);
        }
    }
    vec_zero(key->one, key->n);
    key->one[0] = bits == 1 ? 0 : 1;
    return NULL;
}
