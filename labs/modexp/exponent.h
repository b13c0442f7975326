/* SPDX-License-Identifier: Apache-2.0
 *
 * modexp laboratory: bits of the exponent, and the memory that a scan works in.
 */
#define work_layout NAMED(work_layout)
#define table_entries NAMED(table_entries)

/* One exponentiation under way: everything lies in the arena. */
typedef struct work {
    modexp_reduction reduction;
    unsigned window;
    const modulus *key;
    const uint8_t *exponent; /* big-endian */
    size_t bits;             /* all of them are scanned */
    limb_t *base;            /* in the reduction's form; where the scan wants it */
    limb_t *power;           /* the result, in the reduction's form */
    limb_t *table;
    limb_t *entry; /* what the masked scan of the table gathers */
    limb_t *scratch;
} work;

LAB_INLINE void work_mul(const work *w, limb_t *r, const limb_t *a, const limb_t *b)
{
    COUNT(mul);
    reducers[w->reduction].mul(r, a, b, w->key, w->scratch);
}

LAB_INLINE void work_sqr(const work *w, limb_t *r, const limb_t *a)
{
    COUNT(sqr);
    reducers[w->reduction].sqr(r, a, w->key, w->scratch);
}

/* `count` bits (at most 7) from bit `from` on, as a number. Where they lie is public, what they are is not. */
LAB_INLINE unsigned exponent_bits(const work *w, size_t from, unsigned count)
{
    size_t last = w->bits / 8 - 1;
    unsigned two = w->exponent[last - from / 8];

    if (from / 8 < last) {
        two |= (unsigned)w->exponent[last - from / 8 - 1] << 8;
    }
    return (two >> (from % 8)) & ((1u << count) - 1);
}

static size_t table_entries(modexp_method method)
{
    switch (method.scan) {
    case MODEXP_FIXED:
    case MODEXP_FIXED_CT:
        return (size_t)1 << method.window;
    case MODEXP_SLIDING:
        return (size_t)1 << (method.window - 1);
    default:
        return 0;
    }
}

/* Takes the memory of one exponentiation from the arena, `scratch` limbs of it for products. 0 if it is not there. */
static int work_layout(work *w, modexp_arena *arena, modexp_method method, size_t n, size_t scratch)
{
    size_t entries = table_entries(method);

    w->reduction = method.reduction;
    w->window = method.window;
    w->power = modexp_arena_take(arena, n * sizeof(limb_t));
    w->scratch = modexp_arena_take(arena, scratch * sizeof(limb_t));
    w->entry = method.scan == MODEXP_FIXED_CT ? modexp_arena_take(arena, n * sizeof(limb_t)) : NULL;
    if (entries == 0) {
        w->table = NULL;
        w->base = modexp_arena_take(arena, n * sizeof(limb_t));
    } else {
        w->table = modexp_arena_take(arena, entries * n * sizeof(limb_t));
        w->base = w->table == NULL ? NULL : w->table + (method.scan == MODEXP_SLIDING ? 0 : n);
    }
    return arena->high <= arena->size;
}
