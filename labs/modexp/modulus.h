/* SPDX-License-Identifier: Apache-2.0
 *
 * modexp laboratory: a key block: the modulus and the constants of its reduction, laid out in one piece of memory.
 */
#define modulus_layout NAMED(modulus_layout)
#define modulus_bytes NAMED(modulus_bytes)
#define modulus_set NAMED(modulus_set)
#define limbs_load NAMED(limbs_load)
#define limbs_store NAMED(limbs_store)
#define limbs_of_bits NAMED(limbs_of_bits)

/* n limbs each unless said otherwise. B is 2^LIMB_BITS, R is B^n. */
typedef struct modulus {
    size_t n;
    limb_t negative_inverse; /* -1/m mod B: Montgomery */
    unsigned shift;          /* bits that m's top limb is short of a full one: basic */
    limb_t *m;
    limb_t *one;        /* 1 in the reduction's form: R mod m, or 1 mod m */
    limb_t *square;     /* R^2 mod m: Montgomery */
    limb_t *cube;       /* R^3 mod m: Montgomery with CRT */
    limb_t *reciprocal; /* floor(B^2n / m), n + 1 limbs: Barrett */
    limb_t *normalised; /* m << shift: basic */
} modulus;

static int is_montgomery(modexp_reduction reduction)
{
    return reduction != MODEXP_BASIC && reduction != MODEXP_BARRETT;
}

static size_t limbs_of_bits(unsigned bits)
{
    return bits == 0 ? 1 : (bits + LIMB_BITS - 1) / LIMB_BITS;
}

/* Big-endian bytes to n limbs; what does not fit must be zero. */
static void limbs_load(void *limbs, size_t n, const uint8_t *bytes, size_t len)
{
    limb_t *r = limbs;

    vec_zero(r, n);
    for (size_t i = 0; i < 8 * len; i++) {
        limb_t bit = (limb_t)(bytes[len - 1 - i / 8] >> (i % 8)) & 1;

        if (i / LIMB_BITS < n) {
            r[i / LIMB_BITS] |= (limb_t)(bit << (i % LIMB_BITS));
        }
    }
}

static void limbs_store(uint8_t *bytes, size_t len, const void *limbs, size_t n)
{
    const limb_t *a = limbs;

    memset(bytes, 0, len);
    for (size_t i = 0; i < n * LIMB_BITS && i < 8 * len; i++) {
        bytes[len - 1 - i / 8] |= (uint8_t)(((a[i / LIMB_BITS] >> (i % LIMB_BITS)) & 1) << (i % 8));
    }
}

/* Where everything is; the same walk measures (arena without memory) and lays out. Returns the struct, or NULL. */
static modulus *modulus_layout(modexp_arena *arena, modexp_reduction reduction, size_t n, int crt)
{
    modulus *key = modexp_arena_take(arena, sizeof(modulus));
    modulus at = {.n = n};

    at.m = modexp_arena_take(arena, n * sizeof(limb_t));
    at.one = modexp_arena_take(arena, n * sizeof(limb_t));
    if (is_montgomery(reduction)) {
        at.square = modexp_arena_take(arena, n * sizeof(limb_t));
        at.cube = crt ? modexp_arena_take(arena, n * sizeof(limb_t)) : NULL;
    } else if (reduction == MODEXP_BARRETT) {
        at.reciprocal = modexp_arena_take(arena, (n + 1) * sizeof(limb_t));
    } else {
        at.normalised = modexp_arena_take(arena, n * sizeof(limb_t));
    }
    if (key == NULL || arena->high > arena->size) {
        return NULL;
    }
    *key = at;
    return key;
}

static size_t modulus_bytes(modexp_reduction reduction, unsigned bits, int crt)
{
    modexp_arena measure = {0};

    modulus_layout(&measure, reduction, limbs_of_bits(bits), crt);
    return measure.high;
}

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
