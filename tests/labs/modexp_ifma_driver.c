/* SPDX-License-Identifier: Apache-2.0
 *
 * Compares the IFMA back end of the modexp laboratory with GMP. Usage: driver MODE BITS CASES SEED, where MODE is one
 * of the functions below. Prints the number of comparisons, or the first difference, and then exits with 1. The arena,
 * the keys and the operands are exactly as long as the back end states, with a guard behind each.
 */
#include "ifma.h"

#include <gmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GUARD 64
#define GUARD_BYTE 0xa5
#define MAX_LIMBS 128

static gmp_randstate_t random_state;
static unsigned bits, limbs;
static unsigned long compared;

static void *guarded(size_t size)
{
    unsigned char *p = aligned_alloc(64, (size + 63) / 64 * 64 + GUARD);

    if (p == NULL)
        exit(2);
    memset(p, 0xff, size); /* what was there before must not matter */
    memset(p + size, GUARD_BYTE, GUARD);
    return p;
}

static void release(void *memory, size_t size, const char *what)
{
    unsigned char *p = memory;

    for (size_t i = 0; i < GUARD; i++) {
        if (p[size + i] != GUARD_BYTE) {
            printf("%s: written %zu bytes behind its %zu bytes\n", what, i, size);
            exit(1);
        }
    }
    free(p);
}

static void to_limbs(uint64_t *out, const mpz_t x, unsigned count)
{
    memset(out, 0, count * sizeof(*out));
    mpz_export(out, NULL, -1, sizeof(*out), 0, 0, x);
}

static void compare(const uint64_t *seen, const mpz_t wanted, const char *what)
{
    uint64_t right[MAX_LIMBS];

    compared++;
    to_limbs(right, wanted, limbs);
    if (memcmp(seen, right, limbs * sizeof(*right)) != 0) {
        gmp_printf("%s of %u bits, comparison %lu: wanted %Zx\n", what, bits, compared, wanted);
        exit(1);
    }
}

/* Random, long runs of ones and zeros, and the ends of the range, in turn. */
static void a_modulus(mpz_t m, unsigned turn)
{
    switch (turn % 8) {
    case 0:
        mpz_ui_pow_ui(m, 2, bits);
        mpz_sub_ui(m, m, 1 + 2 * (turn / 8 % 3));
        break;
    case 1:
        mpz_ui_pow_ui(m, 2, bits - 1);
        mpz_add_ui(m, m, 1 + 2 * (turn / 8 % 3));
        break;
    case 2: /* the lowest limbs of 52 bits all ones: k0 is 1 */
        mpz_urandomb(m, random_state, bits);
        for (unsigned i = 0; i < 104; i++)
            mpz_setbit(m, i);
        break;
    case 3: /* the lowest limb one, the others mostly zero */
        mpz_set_ui(m, 1);
        mpz_setbit(m, 52 * (1 + turn / 8 % ((bits - 1) / 52)));
        break;
    case 4:
    case 5:
        mpz_rrandomb(m, random_state, bits);
        break;
    default:
        mpz_urandomb(m, random_state, bits);
    }
    mpz_setbit(m, 0);
    mpz_setbit(m, bits - 1);
}

static void a_base(mpz_t x, const mpz_t m, unsigned turn)
{
    switch (turn % 6) {
    case 0:
        mpz_set_ui(x, turn / 6 % 3);
        break;
    case 1:
        mpz_sub_ui(x, m, 1 + turn / 6 % 2);
        break;
    case 2:
        mpz_rrandomb(x, random_state, bits);
        break;
    default:
        mpz_urandomb(x, random_state, bits);
    }
    mpz_mod(x, x, m);
}

static void an_exponent(mpz_t e, unsigned length, unsigned turn)
{
    switch (turn % 7) {
    case 0:
        mpz_set_ui(e, turn / 7 % 3);
        break;
    case 1: /* all ones */
        mpz_ui_pow_ui(e, 2, length);
        mpz_sub_ui(e, e, 1);
        break;
    case 2:
        mpz_set_ui(e, 1);
        mpz_mul_2exp(e, e, length > 0 ? length - 1 : 0);
        break;
    case 3:
        mpz_rrandomb(e, random_state, length + (length == 0));
        break;
    default:
        mpz_urandomb(e, random_state, length);
    }
    mpz_fdiv_r_2exp(e, e, length);
}

static void *a_key(const mpz_t m)
{
    unsigned char bytes[MAX_LIMBS * 8] = {0};
    void *key = guarded(modexp_ifma_key_bytes(bits));

    mpz_export(bytes, NULL, 1, 1, 0, 0, m); /* the top bit is set: no byte is missing */
    if (modexp_ifma_set_modulus(key, modexp_ifma_key_bytes(bits) - 1, bytes, bits / 8) == 0) {
        printf("a key block one byte too small was taken\n");
        exit(1);
    }
    if (modexp_ifma_set_modulus(key, modexp_ifma_key_bytes(bits), bytes, bits / 8) != 0) {
        printf("a modulus of %u bits refused\n", bits);
        exit(1);
    }
    return key;
}

/* m = s^2 and a base that s divides: powers are zero, and come out of the last product as m. */
static void a_square(mpz_t m, mpz_t x)
{
    mpz_urandomb(x, random_state, bits / 2);
    mpz_setbit(x, 0);
    mpz_setbit(x, bits / 2 - 1);
    mpz_setbit(x, bits / 2 - 2); /* so that the square has all its bits */
    mpz_mul(m, x, x);
}

static void taken(int status)
{
    if (status != 0) {
        puts("an arena of the stated size was refused");
        exit(1);
    }
}

/* One byte too short, not aligned, none; and a window that there is not. The result stays as it is. */
static void refuses_arenas(const uint64_t *base, const uint64_t *exponent, unsigned length, const void *key,
                           unsigned window, int constant_time, modexp_ifma_arena exact)
{
    const modexp_ifma_arena arenas[] = {
        {exact.base, exact.size - 1}, {(char *)exact.base + 8, exact.size}, {NULL, exact.size}, exact};
    uint64_t result[MAX_LIMBS] = {7};

    for (size_t i = 0; i < sizeof(arenas) / sizeof(arenas[0]); i++) {
        if (modexp_ifma_power(result, base, exponent, length, key, i == 3 ? 8 : window, constant_time, arenas[i]) ==
                0 ||
            result[0] != 7) {
            printf("arena or window %zu that is too much was taken\n", i);
            exit(1);
        }
    }
}

/* Powers of one number; window and exponent length go round. */
static void power(unsigned turn)
{
    mpz_t m, x, e, r;
    uint64_t base[MAX_LIMBS], exponent[MAX_LIMBS + 1] = {0}, result[MAX_LIMBS];
    const unsigned window = turn % 8, constant_time = turn / 8 % 2;
    const unsigned lengths[] = {bits, 17, 1, 64, 65, bits - 1, 127, 0};
    const unsigned length = lengths[turn % 5 == 4 ? turn / 5 % 8 : 0];
    const size_t arena_bytes = modexp_ifma_arena_bytes(bits, window, (int)constant_time, 0);
    void *key, *arena = guarded(arena_bytes);
    const modexp_ifma_arena exact = {arena, arena_bytes};

    mpz_inits(m, x, e, r, NULL);
    if (turn % 11 == 10) {
        a_square(m, x);
    } else {
        a_modulus(m, turn / 3);
        a_base(x, m, turn);
    }
    if (turn % 3 == 2) { /* no less than the modulus, where there is room */
        mpz_add(r, x, m);
        if (mpz_sizeinbase(r, 2) <= bits)
            mpz_swap(x, r);
    }
    an_exponent(e, length, turn);
    key = a_key(m);
    to_limbs(base, x, limbs);
    to_limbs(exponent, e, (length + 63) / 64);
    mpz_powm(r, x, e, m);
    refuses_arenas(base, exponent, length, key, window, (int)constant_time, exact);
    taken(modexp_ifma_power(result, base, exponent, length, key, window, (int)constant_time, exact));
    compare(result, r, "power");
    taken(modexp_ifma_power(base, base, exponent, length, key, window, (int)constant_time, exact));
    compare(base, r, "power in place");
    release(arena, arena_bytes, "arena");
    release(key, modexp_ifma_key_bytes(bits), "key");
    mpz_clears(m, x, e, r, NULL);
}

static void pair(unsigned turn)
{
    mpz_t m[2], x[2], e[2], r;
    uint64_t base[2][MAX_LIMBS], exponent[2][MAX_LIMBS], result[2][MAX_LIMBS];
    const unsigned window = turn % 8, constant_time = turn / 8 % 2;
    const size_t arena_bytes = modexp_ifma_arena_bytes(bits, window, (int)constant_time, 1);
    void *keys[2], *arena = guarded(arena_bytes);

    mpz_init(r);
    for (unsigned p = 0; p < 2; p++) {
        mpz_inits(m[p], x[p], e[p], NULL);
        a_modulus(m[p], turn / 3 + 5 * p);
        a_base(x[p], m[p], turn + p);
        an_exponent(e[p], bits, turn / 2 + 3 * p);
        keys[p] = a_key(m[p]);
        to_limbs(base[p], x[p], limbs);
        to_limbs(exponent[p], e[p], limbs);
    }
    for (size_t short_by = 2; short_by-- > 0;) {
        int status = modexp_ifma_power_x2(
            (uint64_t *const[]){result[0], result[1]}, (const uint64_t *const[]){base[0], base[1]},
            (const uint64_t *const[]){exponent[0], exponent[1]}, (const void *const[]){keys[0], keys[1]}, window,
            (int)constant_time, (modexp_ifma_arena){arena, arena_bytes - short_by});

        if ((status == 0) != (short_by == 0)) {
            printf("an arena short by %zu bytes: status %d\n", short_by, status);
            exit(1);
        }
    }
    for (unsigned p = 0; p < 2; p++) {
        mpz_powm(r, x[p], e[p], m[p]);
        compare(result[p], r, "power of a pair");
        release(keys[p], modexp_ifma_key_bytes(bits), "key");
        mpz_clears(m[p], x[p], e[p], NULL);
    }
    release(arena, arena_bytes, "arena");
    mpz_clear(r);
}

static void product(unsigned turn)
{
    const size_t size = modexp_ifma_operand_bytes(bits);
    mpz_t m, a, b, r;
    uint64_t out[MAX_LIMBS], in[MAX_LIMBS];
    void *x = guarded(size), *y = guarded(size), *z = guarded(size), *key;

    mpz_inits(m, a, b, r, NULL);
    a_modulus(m, turn / 5);
    a_base(a, m, turn);
    a_base(b, m, turn / 7);
    key = a_key(m);
    to_limbs(in, a, limbs);
    modexp_ifma_load(x, in, 1, key);
    to_limbs(in, b, limbs);
    modexp_ifma_load(y, in, 0, key);
    modexp_ifma_mul(z, x, y, key);
    modexp_ifma_store(out, z, key);
    mpz_mul(r, a, b);
    mpz_mod(r, r, m);
    compare(out, r, "product");
    release(x, size, "operand");
    release(y, size, "operand");
    release(z, size, "operand");
    release(key, modexp_ifma_key_bytes(bits), "key");
    mpz_clears(m, a, b, r, NULL);
}

/* Moduli that must be refused. */
static void refused(unsigned turn)
{
    unsigned char bytes[MAX_LIMBS * 8 + 8];
    const size_t size = modexp_ifma_key_bytes(bits);
    void *key = guarded(size);

    memset(bytes, 0xff, sizeof(bytes));
    switch (turn % 3) {
    case 0:
        bytes[bits / 8 - 1] = 0xfe; /* even */
        break;
    case 1:
        bytes[0] = 0x7f; /* shorter than it says */
        break;
    default:
        memset(bytes, 0, sizeof(bytes));
    }
    compared++;
    if (modexp_ifma_set_modulus(key, size, bytes, bits / 8) == 0 ||
        modexp_ifma_set_modulus(key, size, bytes, bits / 8 - 1) == 0 ||
        modexp_ifma_set_modulus(key, size, bytes, 0) == 0 ||
        modexp_ifma_set_modulus(key, size, bytes, sizeof(bytes)) == 0) {
        printf("refused: taken, turn %u\n", turn);
        exit(1);
    }
    release(key, modexp_ifma_key_bytes(bits), "key");
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*run)(unsigned turn);
    } modes[] = {{"power", power}, {"pair", pair}, {"product", product}, {"refused", refused}};
    const char *reason = modexp_ifma_unavailable();

    if (reason != NULL) {
        printf("unavailable: %s\n", reason);
        return 77;
    }
    if (argc != 5)
        return 2;
    bits = (unsigned)atoi(argv[2]);
    limbs = bits / 64;
    if (!modexp_ifma_takes(bits)) {
        printf("length not taken\n");
        return 3;
    }
    gmp_randinit_mt(random_state);
    gmp_randseed_ui(random_state, strtoul(argv[4], NULL, 10));
    for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
        for (unsigned turn = 0; strcmp(modes[i].name, argv[1]) == 0 && turn < (unsigned)atoi(argv[3]); turn++)
            modes[i].run(turn);
    }
    gmp_randclear(random_state);
    printf("%lu right\n", compared);
    return 0;
}
