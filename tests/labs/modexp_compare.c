/* SPDX-License-Identifier: Apache-2.0
 *
 * One call of the laboratory beside one of GMP.
 */
#include "modexp_driver.h"

#include <stdlib.h>
#include <string.h>

/* Every power but the largest share their numbers; a key is made anew each time, as its size is part of the test. */
static void *new_key(const driver *d, modexp_reduction reduction, const mpz_t m, int crt)
{
    size_t len = (mpz_sizeinbase(m, 2) + 7) / 8;
    size_t size = d->plain->key_bytes(reduction, (unsigned)mpz_sizeinbase(m, 2), crt);
    uint8_t *bytes = driver_block(len);
    void *key = driver_block(size);
    const char *wrong;

    driver_bytes(bytes, len, m);
    if (d->plain->key_set(key, size - 1, reduction, bytes, len, crt) == NULL) {
        driver_fail(d, (modexp_method){reduction, MODEXP_FAST, 0}, "a key block too small was taken", m, m, m);
    }
    wrong = d->plain->key_set(key, size, reduction, bytes, len, crt);
    if (wrong != NULL) {
        driver_fail(d, (modexp_method){reduction, MODEXP_FAST, 0}, wrong, m, m, m);
    }
    free(bytes);
    return key;
}

void driver_power(const driver *d, modexp_method method, const mpz_t m, const mpz_t base, const mpz_t e, size_t len)
{
    unsigned bits = (unsigned)mpz_sizeinbase(m, 2);
    size_t n = d->plain->limbs(bits), size = d->plain->arena_bytes(method, bits);
    uint8_t *exponent = driver_block(len), *memory = driver_block(size);
    void *key = new_key(d, method.reduction, m, 0), *limbs = driver_block(n * d->plain->limb_bytes), *result;
    modexp_arena arena = {memory, size - 1, 0, 0};
    mpz_t got, want;

    mpz_inits(got, want, NULL);
    driver_bytes(exponent, len, e);
    driver_limbs(d->plain, limbs, n, base);
    if (d->plain->power(method, key, limbs, exponent, len, &arena) != NULL) {
        driver_fail(d, method, "an arena one byte too small was taken", m, base, e);
    }
    arena = (modexp_arena){memory, size, 0, 0};
    memset(&modexp_counted, 0, sizeof(modexp_counted));
    result = d->plain->power(method, key, limbs, exponent, len, &arena);
    if (result == NULL || arena.high != size || arena.used != size) {
        driver_fail(d, method, "the arena's high water is not what was stated", m, base, e);
    }
    driver_number(d->plain, got, result, n);
    mpz_powm(want, base, e, m);
    if (mpz_cmp(got, want) != 0) {
        driver_fail(d, method, "wrong power", m, base, e);
    }
    driver_checks++;
    mpz_clears(got, want, NULL);
    free(exponent);
    free(memory);
    free(key);
    free(limbs);
}

void driver_crt(const driver *d, modexp_method method, const mpz_t p, const mpz_t q, const mpz_t base)
{
    const modexp_backend *backend = d->plain;
    unsigned bits = (unsigned)mpz_sizeinbase(p, 2);
    size_t n = backend->limbs(bits), len = (bits + 7) / 8, size = backend->crt_arena_bytes(method, bits);
    void *keys[2] = {new_key(d, method.reduction, p, 1), new_key(d, method.reduction, q, 1)};
    void *limbs = driver_block(2 * n * backend->limb_bytes), *inverse = driver_block(n * backend->limb_bytes);
    void *scratch = driver_block(backend->scratch_bytes(method.reduction, bits)), *result;
    uint8_t *memory = driver_block(size), *dp = driver_block(len), *dq = driver_block(len);
    const void *const both[2] = {keys[0], keys[1]};
    const uint8_t *const exponents[2] = {dp, dq};
    modexp_arena arena = {memory, size - 1, 0, 0};
    mpz_t x, y, lambda, e;

    mpz_inits(x, y, lambda, e, NULL);
    mpz_sub_ui(x, p, 1);
    mpz_sub_ui(y, q, 1);
    mpz_mul(lambda, x, y);
    mpz_urandomm(e, driver_random, lambda);
    mpz_mod(x, e, x);
    driver_bytes(dp, len, x);
    mpz_mod(y, e, y);
    driver_bytes(dq, len, y);
    mpz_invert(x, q, p);
    driver_limbs(backend, inverse, n, x);
    backend->enter(method.reduction, inverse, inverse, keys[0], scratch);
    driver_limbs(backend, limbs, 2 * n, base);
    if (backend->crt_power(method, both, inverse, limbs, exponents, len, &arena) != NULL) {
        driver_fail(d, method, "an arena one byte too small was taken for CRT", p, base, q);
    }
    arena = (modexp_arena){memory, size, 0, 0};
    result = backend->crt_power(method, both, inverse, limbs, exponents, len, &arena);
    if (result == NULL || arena.high != size || arena.used != size) {
        driver_fail(d, method, "the arena's high water is not what was stated, with CRT", p, base, q);
    }
    driver_number(backend, x, result, 2 * n);
    mpz_mul(y, p, q);
    mpz_powm(y, base, e, y);
    if (mpz_cmp(x, y) != 0) {
        driver_fail(d, method, "wrong power by CRT", p, base, q);
    }
    driver_checks++;
    mpz_clears(x, y, lambda, e, NULL);
    free(keys[0]);
    free(keys[1]);
    free(limbs);
    free(inverse);
    free(scratch);
    free(memory);
    free(dp);
    free(dq);
}

static void compare_product(const driver *d, modexp_reduction reduction, const void *got, const mpz_t m, const mpz_t a,
                            const mpz_t b, const char *what)
{
    mpz_t x, y;

    mpz_inits(x, y, NULL);
    driver_number(d->plain, x, got, d->plain->limbs((unsigned)mpz_sizeinbase(m, 2)));
    mpz_mul(y, a, b);
    mpz_mod(y, y, m);
    if (mpz_cmp(x, y) != 0) {
        driver_fail(d, (modexp_method){reduction, MODEXP_FAST, 0}, what, m, a, b);
    }
    driver_checks++;
    mpz_clears(x, y, NULL);
}

void driver_product(const driver *d, modexp_reduction reduction, const mpz_t m, const mpz_t a, const mpz_t b)
{
    const modexp_backend *backend = d->plain;
    unsigned bits = (unsigned)mpz_sizeinbase(m, 2);
    size_t n = backend->limbs(bits), size = n * backend->limb_bytes;
    void *key = new_key(d, reduction, m, 0), *scratch = driver_block(backend->scratch_bytes(reduction, bits));
    void *x = driver_block(size), *y = driver_block(size), *r = driver_block(size);

    driver_limbs(backend, x, n, a);
    driver_limbs(backend, y, n, b);
    backend->enter(reduction, x, x, key, scratch);
    backend->product(reduction, r, x, y, key, scratch);
    compare_product(d, reduction, r, m, a, b, "wrong product");
    backend->square(reduction, r, x, key, scratch);
    backend->leave(reduction, r, r, key, scratch);
    compare_product(d, reduction, r, m, a, a, "wrong square");
    free(key);
    free(scratch);
    free(x);
    free(y);
    free(r);
}

void driver_enter(const driver *d, modexp_reduction reduction, const mpz_t m, const mpz_t a, const mpz_t b)
{
    const modexp_backend *backend = d->plain;
    unsigned bits = (unsigned)mpz_sizeinbase(m, 2);
    size_t n = backend->limbs(bits), size = n * backend->limb_bytes;
    void *key = new_key(d, reduction, m, 0), *scratch = driver_block(backend->scratch_bytes(reduction, bits));
    void *x = driver_block(size), *y = driver_block(size);
    mpz_t residue, one;

    mpz_inits(residue, one, NULL);
    driver_limbs(backend, x, n, a);
    backend->enter(reduction, x, x, key, scratch);
    driver_number(backend, residue, x, n);
    if (mpz_cmp(residue, m) >= 0) {
        driver_fail(d, (modexp_method){reduction, MODEXP_FAST, 0}, "enter gave a number not below m", m, a, b);
    }
    driver_limbs(backend, y, n, b);
    backend->product(reduction, y, x, y, key, scratch);
    compare_product(d, reduction, y, m, a, b, "wrong product after enter");
    backend->leave(reduction, x, x, key, scratch);
    mpz_set_ui(one, 1);
    compare_product(d, reduction, x, m, a, one, "enter and leave give another number");
    mpz_clears(residue, one, NULL);
    free(key);
    free(scratch);
    free(x);
    free(y);
}
