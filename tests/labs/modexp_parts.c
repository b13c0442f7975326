/* SPDX-License-Identifier: Apache-2.0
 *
 * Which numbers the laboratory is compared on.
 */
#include "modexp_driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct numbers {
    mpz_t m, base, e;
    size_t len; /* bytes of e */
} numbers;

static void power_all_limbs(modexp_method method, void *context)
{
    const numbers *x = context;

    for (int i = 0; i < 4; i++) {
        driver_power(&drivers[i], method, x->m, x->base, x->e, x->len);
    }
}

/* Any number of so many bits, or the largest: for bases and operands that need not be below the modulus. */
static void any_number(mpz_t x, size_t bits, unsigned kind)
{
    if (kind % 2 == 0) {
        mpz_urandomb(x, driver_random, bits);
    } else {
        mpz_set_ui(x, 0);
        mpz_setbit(x, bits);
        mpz_sub_ui(x, x, 1);
    }
}

/* Bases that fill their limbs: which, `kind` says. */
typedef struct wide_numbers {
    numbers x;
    unsigned kind;
} wide_numbers;

static void power_of_any_base(modexp_method method, void *context)
{
    wide_numbers *wide = context;
    numbers *x = &wide->x;

    for (int i = 0; i < 4; i++) {
        const modexp_backend *backend = drivers[i].plain;

        any_number(x->base, backend->limbs((unsigned)mpz_sizeinbase(x->m, 2)) * backend->limb_bits, wide->kind);
        driver_power(&drivers[i], method, x->m, x->base, x->e, x->len);
    }
}

static void crt_of_any_base(modexp_method method, void *context)
{
    wide_numbers *wide = context;
    numbers *x = &wide->x;

    for (int i = 0; i < 4; i++) {
        const modexp_backend *backend = drivers[i].plain;

        any_number(x->base, 2 * backend->limbs((unsigned)mpz_sizeinbase(x->m, 2)) * backend->limb_bits, wide->kind);
        driver_crt(&drivers[i], method, x->m, x->e, x->base);
    }
}

static void product_all(const mpz_t m, const mpz_t a, const mpz_t b)
{
    for (int r = 0; r < MODEXP_REDUCTIONS; r++) {
        for (int i = 0; i < 4; i++) {
            driver_product(&drivers[i], (modexp_reduction)r, m, a, b);
        }
    }
}

/* An odd modulus of exactly `bits` bits: random, of long runs of equal bits, all ones, a lone top and bottom bit,
 * or its upper half all ones: the last makes sums that pass R by more than the modulus. */
static void odd_modulus(mpz_t m, unsigned bits, unsigned kind)
{
    switch (kind % 5) {
    case 0:
        mpz_urandomb(m, driver_random, bits);
        break;
    case 1:
        mpz_rrandomb(m, driver_random, bits);
        break;
    case 2:
        mpz_set_ui(m, 0);
        mpz_setbit(m, bits);
        mpz_sub_ui(m, m, 1);
        break;
    case 3:
        mpz_set_ui(m, 1);
        break;
    default:
        mpz_set_ui(m, 0);
        mpz_setbit(m, bits);
        mpz_sub_ui(m, m, 1);
        for (unsigned i = 0; i < bits / 2; i++) {
            mpz_clrbit(m, gmp_urandomm_ui(driver_random, bits / 2));
        }
    }
    mpz_setbit(m, bits - 1);
    mpz_setbit(m, 0);
}

/* 0, 1, m - 1, one of long runs, or any, below m. */
static void operand(mpz_t x, const mpz_t m, unsigned kind)
{
    switch (kind % 5) {
    case 0:
        mpz_urandomm(x, driver_random, m);
        break;
    case 1:
        mpz_sub_ui(x, m, 1);
        break;
    case 2:
        mpz_rrandomb(x, driver_random, mpz_sizeinbase(m, 2));
        mpz_mod(x, x, m);
        break;
    case 3:
        mpz_set_ui(x, 1);
        mpz_mod(x, x, m);
        break;
    default:
        mpz_set_ui(x, 0);
    }
}

/* Exponents of `len` bytes: any, all ones, 0, 1, long runs, 65537 and a lone top bit. */
static void exponent(mpz_t e, size_t len, unsigned kind)
{
    switch (kind % 7) {
    case 0:
        mpz_urandomb(e, driver_random, 8 * len);
        break;
    case 1:
        mpz_rrandomb(e, driver_random, 8 * len);
        break;
    case 2:
        mpz_set_ui(e, 0);
        mpz_setbit(e, 8 * len);
        mpz_sub_ui(e, e, 1);
        break;
    case 3:
        mpz_set_ui(e, 0);
        break;
    case 4:
        mpz_set_ui(e, 1);
        break;
    case 5:
        mpz_set_ui(e, len >= 3 ? 65537 : 17);
        break;
    default:
        mpz_set_ui(e, 0);
        mpz_setbit(e, 8 * len - 1);
    }
}

void part_small(unsigned rounds)
{
    numbers x;

    mpz_inits(x.m, x.base, x.e, NULL);
    for (unsigned i = 0; i < rounds; i++) {
        /* Every length from 1 bit up, the whole range again and again; the kinds go around at other paces. */
        unsigned bits = 1 + (unsigned)((i * 37ul) % 640);

        odd_modulus(x.m, bits, i);
        operand(x.base, x.m, i / 3);
        x.len = 1 + i % 5 + (i % 11 == 0 ? bits / 8 : 0);
        exponent(x.e, x.len, i / 2);
        if (i % 7 == 3) {
            x.len = 0;
            mpz_set_ui(x.e, 0);
        }
        driver_methods(i % 4 != 0, power_all_limbs, &x);
    }
    /* Products are cheap: many more numbers. */
    for (unsigned i = 0; i < 40 * rounds; i++) {
        unsigned any = 1 + (unsigned)((i * 7ul) % 1400), whole_words = 32 * (1 + i / 2 % 45);

        odd_modulus(x.m, i % 2 == 0 ? whole_words : any, i / 7);
        operand(x.base, x.m, i);
        operand(x.e, x.m, i / 3);
        product_all(x.m, x.base, x.e);
    }
    mpz_clears(x.m, x.base, x.e, NULL);
}

void part_large(unsigned rounds)
{
    static const unsigned sizes[] = {512, 1024, 2048, 3072, 4096, 8192};
    numbers x;

    mpz_inits(x.m, x.base, x.e, NULL);
    for (unsigned i = 0; i < rounds; i++) {
        for (unsigned s = 0; s < sizeof(sizes) / sizeof(sizes[0]); s++) {
            unsigned bits = sizes[s];
            modexp_method method = {MODEXP_BASIC, MODEXP_FAST, 0};

            odd_modulus(x.m, bits, i);
            operand(x.base, x.m, i % 3);
            exponent(x.e, 3, 5);
            for (int k = 0; k < 4 * MODEXP_REDUCTIONS; k++) {
                method.reduction = (modexp_reduction)(k / 4);
                driver_power(&drivers[k % 4], method, x.m, x.base, x.e, 3);
            }
            for (unsigned j = 0; j < 4096 / bits + 4; j++) {
                operand(x.base, x.m, j);
                operand(x.e, x.m, j / 2);
                product_all(x.m, x.base, x.e);
            }
            /* A full-length exponent for one method at a time: they take turns. */
            if (bits <= 2048) {
                method = (modexp_method){(modexp_reduction)((i + s) % MODEXP_REDUCTIONS),
                                         (modexp_scan)((i + 2 * s) % MODEXP_SCANS), 0};
                method.window = method.scan <= MODEXP_LADDER ? 0 : 3 + i % 4;
                exponent(x.e, bits / 8, i % 3);
                driver_power(&drivers[3 - i % 2], method, x.m, x.base, x.e, bits / 8);
            }
        }
    }
    mpz_clears(x.m, x.base, x.e, NULL);
}

static void crt_all_limbs(modexp_method method, void *context)
{
    const numbers *x = context;

    for (int i = 0; i < 4; i++) {
        driver_crt(&drivers[i], method, x->m, x->e, x->base);
    }
}

static void prime(mpz_t p, unsigned bits)
{
    do {
        mpz_urandomb(p, driver_random, bits);
        mpz_setbit(p, bits - 1);
        mpz_setbit(p, bits - 2);
        mpz_nextprime(p, p);
    } while (mpz_sizeinbase(p, 2) != bits);
}

void part_crt(unsigned rounds)
{
    numbers x;
    mpz_t n;

    mpz_inits(x.m, x.base, x.e, n, NULL);
    for (unsigned i = 0; i < rounds; i++) {
        unsigned bits = i % 8 == 7 ? 512 : 8 + (unsigned)((i * 29ul) % 200);

        prime(x.m, bits);
        do {
            prime(x.e, bits);
        } while (mpz_cmp(x.m, x.e) == 0);
        mpz_mul(n, x.m, x.e);
        operand(x.base, n, i % 7 == 6 ? 0 : i);
        if (i % 7 == 6) {
            /* A multiple of one prime. */
            mpz_mod(x.base, x.base, x.e);
            mpz_mul(x.base, x.base, x.m);
        }
        driver_methods(1, crt_all_limbs, &x);
    }
    mpz_clears(x.m, x.base, x.e, n, NULL);
}

static void refused(const driver *d, const uint8_t *bytes, size_t len, const char *why)
{
    for (int r = 0; r < MODEXP_REDUCTIONS; r++) {
        size_t size = d->plain->key_bytes((modexp_reduction)r, (unsigned)(8 * len), 0);
        void *key = driver_block(size);
        const char *wrong = d->plain->key_set(key, size, (modexp_reduction)r, bytes, len, 0);

        if (wrong == NULL || strstr(wrong, why) == NULL) {
            printf("limb %u: a modulus that is %s: %s\n", d->plain->limb_bits, why, wrong == NULL ? "taken" : wrong);
            exit(1);
        }
        free(key);
        driver_checks++;
    }
}

void part_refusals(void)
{
    static const uint8_t zeros[40], even[] = {0x80, 1, 2, 3, 4, 5, 6, 0xfe};
    uint8_t *longest = driver_block(MODEXP_MAX_BITS / 8 + 1);

    memset(longest, 0xff, MODEXP_MAX_BITS / 8 + 1);
    for (int i = 0; i < 4; i++) {
        refused(&drivers[i], zeros, sizeof(zeros), "zero");
        refused(&drivers[i], zeros, 0, "zero");
        refused(&drivers[i], even, sizeof(even), "even");
        refused(&drivers[i], longest, MODEXP_MAX_BITS / 8 + 1, "16384");
    }
    free(longest);
}

void part_above(unsigned rounds)
{
    wide_numbers wide = {0};
    numbers *x = &wide.x;

    mpz_inits(x->m, x->base, x->e, NULL);
    for (unsigned i = 0; i < rounds; i++) {
        unsigned bits = 1 + (unsigned)((i * 53ul) % 600);

        wide.kind = i;
        odd_modulus(x->m, bits, i / 2);
        x->len = i % 5;
        mpz_urandomb(x->e, driver_random, 8 * x->len);
        driver_methods(1, power_of_any_base, &wide);
        for (int d = 0; d < 4; d++) {
            const modexp_backend *backend = drivers[d].plain;

            any_number(x->base, backend->limbs(bits) * backend->limb_bits, i);
            operand(x->e, x->m, i / 3);
            for (int r = 0; r < MODEXP_REDUCTIONS; r++) {
                driver_enter(&drivers[d], (modexp_reduction)r, x->m, x->base, x->e);
            }
        }
    }
    for (unsigned i = 0; i < rounds / 8 + 1; i++) {
        wide.kind = i;
        prime(x->m, 9 + (unsigned)((i * 61ul) % 200));
        do {
            prime(x->e, (unsigned)mpz_sizeinbase(x->m, 2));
        } while (mpz_cmp(x->m, x->e) == 0);
        driver_methods(1, crt_of_any_base, &wide);
    }
    mpz_clears(x->m, x->base, x->e, NULL);
}
