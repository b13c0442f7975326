/* SPDX-License-Identifier: Apache-2.0
 *
 * Compares the modexp laboratory with GMP: modexp_driver PART SEED ROUNDS. Prints "ok CHECKS", or the first difference
 * with all its numbers and ends with status 1.
 */
#include "modexp_driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const driver drivers[4] = {
    {&modexp_15, &modexp_15_counted},
    {&modexp_31, &modexp_31_counted},
    {&modexp_32, &modexp_32_counted},
    {&modexp_64, &modexp_64_counted},
};
gmp_randstate_t driver_random;
unsigned long driver_checks;

const char *driver_name(const driver *d, modexp_method method)
{
    static const char *const reductions[] = {"basic", "barrett", "cios", "fios", "mont", "mont.k"};
    static const char *const scans[] = {"fast", "ladder", "fw%u", "fw%u.ct", "rm%u"};
    static char name[64];
    int at = snprintf(name, sizeof(name), "%s-%u-", reductions[method.reduction], d->plain->limb_bits);

    snprintf(name + at, sizeof(name) - (size_t)at, scans[method.scan], method.window);
    return name;
}

void driver_fail(const driver *d, modexp_method method, const char *what, const mpz_t m, const mpz_t base,
                 const mpz_t e)
{
    gmp_printf("%s: %s\n m = %Zx\n base = %Zx\n e = %Zx\n", driver_name(d, method), what, m, base, e);
    exit(1);
}

void *driver_block(size_t size)
{
    void *p = malloc(size);

    if (p == NULL) {
        puts("out of memory");
        exit(2);
    }
    memset(p, 0xa5, size);
    return p;
}

void driver_bytes(uint8_t *bytes, size_t len, const mpz_t x)
{
    size_t have = (mpz_sizeinbase(x, 2) + 7) / 8;

    memset(bytes, 0, len);
    if (mpz_sgn(x) != 0) {
        mpz_export(bytes + (len - have), NULL, 1, 1, 1, 0, x);
    }
}

void driver_limbs(const modexp_backend *backend, void *limbs, size_t n, const mpz_t x)
{
    size_t len = (mpz_sizeinbase(x, 2) + 7) / 8;
    uint8_t *bytes = driver_block(len);

    driver_bytes(bytes, len, x);
    backend->load(limbs, n, bytes, len);
    free(bytes);
}

void driver_number(const modexp_backend *backend, mpz_t x, const void *limbs, size_t n)
{
    size_t len = (n * backend->limb_bits + 7) / 8;
    uint8_t *bytes = driver_block(len);

    backend->store(bytes, len, limbs, n);
    mpz_import(x, len, 1, 1, 1, 0, bytes);
    free(bytes);
}

void driver_methods(int some, void (*each)(modexp_method method, void *context), void *context)
{
    for (int r = 0; r < MODEXP_REDUCTIONS; r++) {
        for (int s = 0; s < MODEXP_SCANS; s++) {
            unsigned last = s == MODEXP_FAST || s == MODEXP_LADDER ? 0 : MODEXP_MAX_WINDOW;

            for (unsigned k = last == 0 ? 0 : 1; k <= last; k++) {
                if (!some || k <= 2 || k == 5 || k == 7) {
                    each((modexp_method){(modexp_reduction)r, (modexp_scan)s, k}, context);
                }
            }
        }
    }
}

int main(int argc, char **argv)
{
    unsigned rounds;

    if (argc != 4) {
        puts("modexp_driver PART SEED ROUNDS");
        return 2;
    }
    gmp_randinit_mt(driver_random);
    gmp_randseed_ui(driver_random, strtoul(argv[2], NULL, 10));
    rounds = (unsigned)strtoul(argv[3], NULL, 10);
    if (strcmp(argv[1], "small") == 0) {
        part_small(rounds);
    } else if (strcmp(argv[1], "large") == 0) {
        part_large(rounds);
    } else if (strcmp(argv[1], "crt") == 0) {
        part_crt(rounds);
    } else if (strcmp(argv[1], "above") == 0) {
        part_above(rounds);
    } else if (strcmp(argv[1], "refusals") == 0) {
        part_refusals();
    } else if (strcmp(argv[1], "counts") == 0) {
        part_counts();
    } else {
        puts("no such part");
        return 2;
    }
    printf("ok %lu\n", driver_checks);
    return 0;
}
