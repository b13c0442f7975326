/* SPDX-License-Identifier: Apache-2.0
 *
 * Shared by the parts of the modexp laboratory's test driver.
 */
#ifndef MODEXP_DRIVER_H
#define MODEXP_DRIVER_H

#include "lab.h"

#include <gmp.h>

typedef struct driver {
    const modexp_backend *plain, *counted;
} driver;
extern const driver drivers[4];

extern gmp_randstate_t driver_random;
extern unsigned long driver_checks;

/* Prints what was wrong and ends the program with status 1. */
void driver_fail(const driver *d, modexp_method method, const char *what, const mpz_t m, const mpz_t base,
                 const mpz_t e);

/* Memory of exactly `size` bytes, so that a sanitizer sees one byte too far. Never NULL. */
void *driver_block(size_t size);
void driver_bytes(uint8_t *bytes, size_t len, const mpz_t x);
void driver_limbs(const modexp_backend *backend, void *limbs, size_t n, const mpz_t x);
void driver_number(const modexp_backend *backend, mpz_t x, const void *limbs, size_t n);

/* base^e mod m by the method, e written in `len` bytes; compared with GMP. Checks the arena's accounting too. Leaves
 * the counts of the call in modexp_counted where the driver's plain backend is the counting one. */
void driver_power(const driver *d, modexp_method method, const mpz_t m, const mpz_t base, const mpz_t e, size_t len);
/* base^d mod p q by CRT, against GMP's power modulo p q. */
void driver_crt(const driver *d, modexp_method method, const mpz_t p, const mpz_t q, const mpz_t base);
/* a b and a^2 mod m. */
void driver_product(const driver *d, modexp_reduction reduction, const mpz_t m, const mpz_t a, const mpz_t b);

/* The way into the form and out of it for any `a` that fits the limbs, and a product with b after it: all below m. */
void driver_enter(const driver *d, modexp_reduction reduction, const mpz_t m, const mpz_t a, const mpz_t b);

/* Every method: calls `each` for all reductions and scans; `some` leaves out windows other than 1, 2, 5 and 7. */
void driver_methods(int some, void (*each)(modexp_method method, void *context), void *context);

/* Tells the method by its name; the buffer is static. */
const char *driver_name(const driver *d, modexp_method method);

/* The parts. */
void part_small(unsigned rounds);
void part_large(unsigned rounds);
void part_crt(unsigned rounds);
void part_above(unsigned rounds);
void part_refusals(void);
void part_counts(void);

#endif
