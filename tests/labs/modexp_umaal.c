/* SPDX-License-Identifier: Apache-2.0
 *
 * modexp laboratory's test, for machines with UMAAL: its products, squares, ways into the form and powers against those
 * of portable C, which the driver holds against GMP. Every number of limbs from one to 40, numbers of all kinds.
 * Argument: a seed. Prints how many comparisons were made. Or a kind of exponentiation and a digit, for one of it.
 */
#include "lab.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if !MODEXP_HAS_UMAAL
#error "this machine has no UMAAL"
#endif

enum { LIMBS = 40, BYTES = 4 * LIMBS };

static uint64_t state;
static unsigned long checks;

static uint32_t any(void)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 32);
}

/* Of `len` bytes: random, long runs of equal bits, all ones, upper half all ones, a lone top bit. */
static void fill(uint8_t *bytes, size_t len, unsigned kind)
{
    uint8_t run = 0;

    for (size_t i = 0; i < len; i++) {
        switch (kind % 5) {
        case 0:
            bytes[i] = (uint8_t)any();
            break;
        case 1:
            run = any() % 7 == 0 ? (uint8_t)~run : run;
            bytes[i] = run;
            break;
        case 2:
            bytes[i] = 255;
            break;
        case 3:
            bytes[i] = i < len / 2 ? 255 : 0;
            break;
        default:
            bytes[i] = i == 0 ? 128 : 0;
        }
    }
}

static void compare(const char *what, const void *a, const void *b, size_t limbs, unsigned kind)
{
    checks++;
    if (memcmp(a, b, 4 * limbs) != 0) {
        printf("%s of %zu limbs, numbers %u: differs\n", what, limbs, kind);
        exit(1);
    }
}

static void *block(size_t size)
{
    void *made = malloc(size);

    if (made == NULL) {
        exit(2);
    }
    return made;
}

static void one(size_t n, unsigned kind)
{
    static const modexp_reduction kinds[2] = {MODEXP_UMAAL, MODEXP_MONT};
    const modexp_backend *backend = &modexp_32;
    uint8_t modulus[BYTES], bytes[2][BYTES], exponent[4];
    uint32_t numbers[2][LIMBS], entered[2][2][LIMBS], product[2][LIMBS], square[2][LIMBS], power[2][LIMBS];
    size_t len = 4 * n;

    fill(modulus, len, kind);
    modulus[0] |= kind % 2 == 0 ? 128 : 1;
    modulus[len - 1] |= 1;
    for (unsigned i = 0; i < 2; i++) {
        fill(bytes[i], len, kind / 5 + i);
        backend->load(numbers[i], n, bytes[i], len);
    }
    fill(exponent, sizeof(exponent), kind / 25);
    for (unsigned k = 0; k < 2; k++) {
        modexp_reduction r = kinds[k];
        size_t size = backend->key_bytes(r, (unsigned)(8 * len), 0);
        void *key = block(size), *scratch = block(backend->scratch_bytes(r, (unsigned)(8 * len)));
        modexp_method method = {.reduction = r, .scan = MODEXP_SLIDING, .window = 3};
        modexp_arena arena = {.size = backend->arena_bytes(method, (unsigned)(8 * len))};
        void *found;

        if (backend->key_set(key, size, r, modulus, len, 0) != NULL) {
            exit(3);
        }
        for (unsigned i = 0; i < 2; i++) {
            backend->enter(r, entered[k][i], numbers[i], key, scratch);
        }
        backend->product(r, product[k], entered[k][0], entered[k][1], key, scratch);
        backend->square(r, square[k], entered[k][0], key, scratch);
        arena.base = block(arena.size);
        found = backend->power(method, key, numbers[1], exponent, sizeof(exponent), &arena);
        if (found == NULL) {
            exit(4);
        }
        memcpy(power[k], found, len);
        free(arena.base);
        free(key);
        free(scratch);
    }
    compare("the way into the form", entered[0][0], entered[1][0], n, kind);
    compare("the product", product[0], product[1], n, kind);
    compare("the square", square[0], square[1], n, kind);
    compare("the power", power[0], power[1], n, kind);
}

/* One exponentiation with a base and an exponent of this seed, modulo one number: what is executed is looked at. */
static void secret(modexp_scan scan, unsigned seed)
{
    const modexp_backend *backend = &modexp_32;
    modexp_method method = {.reduction = MODEXP_UMAAL, .scan = scan, .window = scan == MODEXP_LADDER ? 0 : 3};
    uint8_t modulus[36], base[36], exponent[2];
    uint32_t number[9];
    size_t size = backend->key_bytes(MODEXP_UMAAL, 8 * sizeof(modulus), 0);
    modexp_arena arena = {.size = backend->arena_bytes(method, 8 * sizeof(modulus))};
    void *key = block(size);

    arena.base = block(arena.size);
    state = 5;
    fill(modulus, sizeof(modulus), 0);
    modulus[0] |= 128;
    modulus[sizeof(modulus) - 1] |= 1;
    state = seed;
    fill(base, sizeof(base), seed);
    fill(exponent, sizeof(exponent), seed);
    memset(number, 0, sizeof(number));
    memcpy(number, base, sizeof(base));
    if (backend->key_set(key, size, MODEXP_UMAAL, modulus, sizeof(modulus), 0) != NULL ||
        backend->power(method, key, number, exponent, sizeof(exponent), &arena) == NULL) {
        exit(5);
    }
}

int main(int argc, char **argv)
{
    if (argc > 2) {
        /* `ladder`, `masked` or else a window that is looked up; then the seed, of one digit. */
        secret(argv[1][0] == 'l'   ? MODEXP_LADDER
               : argv[1][0] == 'm' ? MODEXP_FIXED_CT
                                   : MODEXP_FIXED,
               (unsigned)(argv[2][0] - '0'));
        return 0;
    }
    state = argc > 1 ? strtoul(argv[1], NULL, 10) : 1;
    for (size_t n = 1; n <= LIMBS; n++) {
        for (unsigned kind = 0; kind < 125; kind++) {
            one(n, kind);
        }
    }
    printf("%lu comparisons\n", checks);
    return 0;
}
