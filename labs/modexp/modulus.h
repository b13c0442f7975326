/* SPDX-License-Identifier: Apache-2.0
 *
 * modexp laboratory: a key block: the modulus and the constants of its reduction, laid out in one piece of memory.
 */
#define modulus_layout NAMED(modulus_layout)
#define modulus_bytes NAMED(modulus_bytes)
#define limbs_load NAMED(limbs_load)
#define limbs_store NAMED(limbs_store)
#define limbs_of_bits NAMED(limbs_of_bits)

/* n limbs each unless said otherwise. B is 2^LIMB_BITS, R is B^n. */
typedef struct modulus {
    size_t n;
    limb_t negative_inverse; /* -1/m mod B: Montgomery */
    unsigned shift;          /* bits that m's top limb is short of a full one */
    limb_t *m;
    limb_t *one;        /* 1 in the reduction's form: R mod m, or 1 mod m */
    limb_t *square;     /* R^2 mod m: Montgomery */
    limb_t *cube;       /* R^3 mod m: Montgomery with CRT */
    limb_t *reciprocal; /* floor(B^2n / m), n + 1 limbs: Barrett */
    limb_t *normalised; /* m << shift: basic */
    limb_t *scaled;     /* n + 8 limbs: -1/m mod B^8, then (m times that + 1) / B^8: Montgomery by columns, n >= 16 */
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
        if ((reduction == MODEXP_MONT || reduction == MODEXP_MONT_K) && n >= 16) {
            at.scaled = modexp_arena_take(arena, (n + 8) * sizeof(limb_t));
        }
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
