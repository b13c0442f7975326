/* SPDX-License-Identifier: Apache-2.0
 *
 * modexp laboratory, IFMA back end: exponentiation, of one number or of two at once.
 *
 * All numbers stay below 2 m between products ("almost Montgomery", Gueron and Krasnov 2012): for a, b < 2 m and
 * R >= 4 m, (a b + q m) / R < (4 m^2 + R m) / R <= 2 m. The last product, by one, leaves a R^-1 with
 * (a + q m) / R <= (2 m - 1 + (R - 1) m) / R < m + 1, hence at most m; one subtraction finishes.
 */
#if defined(__x86_64__) /* elsewhere: without_ifma.c */

#include "ifma.h"
#include "ifma_convert.h"

#include <string.h>

#define MAX_PAIR 2
/* Functions that the symbol list names stay functions, whatever the optimiser thinks of them. */
#define IFMA_APART __attribute__((noinline))
#define NO_KERNEL ((const ifma_kernel *)0)

/* One power, or two that share a shape. */
typedef struct power_state {
    const ifma_kernel *kernel;
    const ifma_key *key[MAX_PAIR];
    uint64_t *sum[MAX_PAIR];     /* the power so far */
    uint64_t *scratch[MAX_PAIR]; /* a squaring's doubled number */
    uint64_t *factor[MAX_PAIR];  /* what is multiplied by; "fast": the base */
    ifma_table table[MAX_PAIR];
    unsigned window;
    int constant_time;
} power_state;

const ifma_kernel *modexp_ifma_power_kernel(unsigned bits, unsigned window, int pair)
{
    /* "fast" branches on the exponent's bits, so that two exponents cannot share one walk */
    const ifma_kernel *both = pair && window > 0 ? modexp_ifma_kernel(bits, 2) : NO_KERNEL;

    return both != NULL ? both : modexp_ifma_kernel(bits, 1);
}

static size_t entry_bytes(const ifma_kernel *kernel)
{
    return sizeof(uint64_t) * (8 * kernel->zmm + 4 * kernel->half + IFMA_HEAD);
}

static size_t to_line(size_t bytes)
{
    return (bytes + 63) / 64 * 64;
}

size_t modexp_ifma_table_bytes(unsigned bits, unsigned window, int constant_time, int pair)
{
    const ifma_kernel *kernel = modexp_ifma_power_kernel(bits, window, pair);

    (void)constant_time;
    return window == 0 ? 0 : kernel->pair * to_line(entry_bytes(kernel) << window);
}

size_t modexp_ifma_arena_bytes(unsigned bits, unsigned window, int constant_time, int pair)
{
    const ifma_kernel *kernel = modexp_ifma_power_kernel(bits, window, pair);

    return kernel->pair * 3 * modexp_ifma_operand_bytes(bits) +
           modexp_ifma_table_bytes(bits, window, constant_time, pair);
}

static void lay_out(power_state *s, void *arena)
{
    uint64_t *at = arena;

    for (unsigned p = 0; p < s->kernel->pair; p++) {
        uint64_t **const blocks[] = {&s->sum[p], &s->scratch[p], &s->factor[p]};

        for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++) {
            *blocks[i] = at;
            at += s->key[0]->block;
        }
        memset(s->factor[p], 0, s->key[0]->block * sizeof(*at));
        if (s->window > 0) {
            const unsigned entries = 1u << s->window;

            s->table[p].entries = entries;
            s->table[p].words = at;
            s->table[p].half = at + 8 * (size_t)s->kernel->zmm * entries;
            s->table[p].head = s->table[p].half + 4 * (size_t)s->kernel->half * entries;
            at += to_line(entry_bytes(s->kernel) << s->window) / sizeof(*at);
        }
    }
}

static void put_entry(const power_state *s, unsigned p, unsigned index, const uint64_t *block)
{
    const ifma_table *t = &s->table[p];
    const size_t zmm = 8 * (size_t)s->kernel->zmm;

    memcpy(t->words + zmm * index, block + 8, zmm * sizeof(*block));
    memcpy(t->half + 4 * (size_t)index, block + 8 + zmm, 4 * s->kernel->half * sizeof(*block));
    memcpy(t->head + IFMA_HEAD * (size_t)index, block + IFMA_FIRST, IFMA_HEAD * sizeof(*block));
}

/* Entry `index` to a block whose unused lanes are zero already. */
static void get_entry(uint64_t *block, const power_state *s, unsigned p, unsigned index)
{
    const ifma_table *t = &s->table[p];
    const size_t zmm = 8 * (size_t)s->kernel->zmm;

    if (s->constant_time) {
        s->kernel->gather(block, t, index);
        return;
    }
    memcpy(block + 8, t->words + zmm * index, zmm * sizeof(*block));
    memcpy(block + 8 + zmm, t->half + 4 * (size_t)index, 4 * s->kernel->half * sizeof(*block));
    memcpy(block + IFMA_FIRST, t->head + IFMA_HEAD * (size_t)index, IFMA_HEAD * sizeof(*block));
}

static void multiply(power_state *s, uint64_t *const by[])
{
    const uint64_t *const a[] = {s->sum[0], s->sum[1]}, *const b[] = {by[0], by[1]};

    s->kernel->mul(s->sum, a, b, s->key);
}

static void square(power_state *s, unsigned times)
{
    s->kernel->sqr(s->sum, times, s->scratch, s->key);
}

/* Entry e = base^e R mod m. The base in Montgomery form is in `factor`. */
static IFMA_APART void ifma_fill_table(power_state *s)
{
    for (unsigned e = 0; e < 1u << s->window; e++) {
        for (unsigned p = 0; p < s->kernel->pair; p++) {
            if (e < 2) {
                memcpy(s->sum[p], e == 0 ? ifma_number((ifma_key *)s->key[p], IFMA_ONE) : s->factor[p],
                       s->key[p]->block * sizeof(uint64_t));
            } else if (e % 2 == 0) {
                memset(s->sum[p], 0, s->key[p]->block * sizeof(uint64_t));
                const int constant_time = s->constant_time;

                s->constant_time = 0; /* which entry is wanted here is no secret */
                get_entry(s->sum[p], s, p, e / 2);
                s->constant_time = constant_time;
            }
        }
        if (e >= 2) {
            if (e % 2 == 0) {
                square(s, 1);
            } else { /* the sum is the entry before */
                multiply(s, s->factor);
            }
        }
        for (unsigned p = 0; p < s->kernel->pair; p++) {
            put_entry(s, p, e, s->sum[p]);
        }
    }
}

static unsigned bits_at(const uint64_t *exponent, unsigned from, unsigned count)
{
    uint64_t x = exponent[from / 64] >> (from % 64);

    if (from % 64 + count > 64) {
        x |= exponent[from / 64 + 1] << (64 - from % 64);
    }
    return (unsigned)x & ((1u << count) - 1);
}

/* The topmost digit takes the bits that are left over, so that all others are whole windows. */
static IFMA_APART void ifma_by_windows(power_state *s, const uint64_t *const exponent[], unsigned exponent_bits)
{
    const unsigned w = s->window;
    unsigned at = (exponent_bits - 1) / w * w;

    if (exponent_bits == 0) { /* no topmost digit: the power is 1 */
        for (unsigned p = 0; p < s->kernel->pair; p++) {
            memcpy(s->sum[p], ifma_number((ifma_key *)s->key[p], IFMA_ONE), s->key[p]->block * sizeof(uint64_t));
        }
        return;
    }
    ifma_fill_table(s);
    for (unsigned p = 0; p < s->kernel->pair; p++) {
        memset(s->sum[p], 0, s->key[p]->block * sizeof(uint64_t));
        get_entry(s->sum[p], s, p, bits_at(exponent[p], at, exponent_bits - at));
    }
    while (at > 0) {
        at -= w;
        square(s, w);
        for (unsigned p = 0; p < s->kernel->pair; p++) {
            get_entry(s->factor[p], s, p, bits_at(exponent[p], at, w));
        }
        multiply(s, s->factor);
    }
}

/* Binary, left to right: multiplies for one bits only, and so tells them. */
static IFMA_APART void ifma_by_bits(power_state *s, const uint64_t *exponent, unsigned exponent_bits)
{
    unsigned at = exponent_bits, pending = 0;

    while (at > 0 && bits_at(exponent, at - 1, 1) == 0) {
        at--;
    }
    memcpy(s->sum[0], at == 0 ? ifma_number((ifma_key *)s->key[0], IFMA_ONE) : s->factor[0],
           s->key[0]->block * sizeof(uint64_t));
    for (at -= at > 0; at > 0; at--) {
        pending++;
        if (bits_at(exponent, at - 1, 1) != 0) {
            square(s, pending);
            multiply(s, s->factor);
            pending = 0;
        }
    }
    if (pending > 0) {
        square(s, pending);
    }
}

static IFMA_APART void ifma_exponentiate(power_state *s, uint64_t *const result[], const uint64_t *const base[],
                                         const uint64_t *const exponent[], unsigned exponent_bits, void *arena)
{
    const unsigned count = s->key[0]->bits / 64;
    uint64_t *by[MAX_PAIR] = {0};

    lay_out(s, arena);
    for (unsigned p = 0; p < s->kernel->pair; p++) {
        modexp_ifma_to_block(s->sum[p], base[p], count, s->key[p]);
        by[p] = ifma_number((ifma_key *)s->key[p], IFMA_SQUARE_OF_R);
    }
    multiply(s, by);
    for (unsigned p = 0; p < s->kernel->pair; p++) {
        memcpy(s->factor[p], s->sum[p], s->key[p]->block * sizeof(uint64_t));
    }
    if (s->window == 0) {
        ifma_by_bits(s, exponent[0], exponent_bits);
    } else {
        ifma_by_windows(s, exponent, exponent_bits);
    }
    for (unsigned p = 0; p < s->kernel->pair; p++) {
        memset(s->factor[p], 0, s->key[p]->block * sizeof(uint64_t));
        s->factor[p][IFMA_FIRST] = 1;
    }
    multiply(s, s->factor);
    for (unsigned p = 0; p < s->kernel->pair; p++) {
        s->kernel->reduce(s->sum[p], s->key[p]);
        modexp_ifma_from_block(result[p], count, s->sum[p], s->key[p]);
    }
}

/* Whether the arena holds what a power of this shape writes. */
static int is_enough(modexp_ifma_arena arena, unsigned bits, unsigned window, int constant_time, int pair)
{
    return window <= IFMA_MAX_WINDOW && arena.base != NULL && (uintptr_t)arena.base % IFMA_ALIGNMENT == 0 &&
           arena.size >= modexp_ifma_arena_bytes(bits, window, constant_time, pair);
}

int modexp_ifma_power(uint64_t *result, const uint64_t *base, const uint64_t *exponent, unsigned exponent_bits,
                      const void *key, unsigned window, int constant_time, modexp_ifma_arena arena)
{
    power_state s = {.key = {key}, .window = window, .constant_time = constant_time};

    if (!is_enough(arena, s.key[0]->bits, window, constant_time, 0)) {
        return -1;
    }
    s.kernel = modexp_ifma_kernel(s.key[0]->bits, 1);
    ifma_exponentiate(&s, &result, &base, &exponent, exponent_bits, arena.base);
    return 0;
}

int modexp_ifma_power_x2(uint64_t *const result[2], const uint64_t *const base[2], const uint64_t *const exponent[2],
                         const void *const key[2], unsigned window, int constant_time, modexp_ifma_arena arena)
{
    power_state s = {.key = {key[0], key[1]}, .window = window, .constant_time = constant_time};
    const unsigned bits = s.key[0]->bits;

    if (bits != s.key[1]->bits || !is_enough(arena, bits, window, constant_time, 1)) {
        return -1;
    }
    s.kernel = modexp_ifma_power_kernel(bits, window, 1);
    if (s.kernel->pair == 2) {
        ifma_exponentiate(&s, result, base, exponent, bits, arena.base);
        return 0;
    }
    for (int p = 0; p < 2; p++) {
        if (modexp_ifma_power(result[p], base[p], exponent[p], bits, key[p], window, constant_time, arena) != 0) {
            return -1;
        }
    }
    return 0;
}

#endif
