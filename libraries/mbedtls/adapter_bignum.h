/* SPDX-License-Identifier: Apache-2.0
 *
 * Mbed TLS: the rows of the bignum family, for the table in adapter.c. The operations of one modulus are in
 * adapter_bignum.c, with its primes in adapter_bignum_crt.c.
 */
#ifndef CIPHERSTONE_MBEDTLS_BIGNUM_H
#define CIPHERSTONE_MBEDTLS_BIGNUM_H

#include <mbedtls/bignum.h>

#include "adapter.h"

/* Writes `number` as `len` bytes after what is at `out`, and sets it to zero: a call that does nothing shows. */
int take_bignum(cs_case *c, mbedtls_mpi *number, size_t len);

int setup_bignum_one(cs_case *c);
int setup_bignum_two(cs_case *c);
int call_bignum_exp(cs_case *c);
int call_bignum_add(cs_case *c);
int call_bignum_mul(cs_case *c);
int call_bignum_sqr(cs_case *c);
int call_bignum_inv(cs_case *c);
int call_bignum_div(cs_case *c);
int finish_bignum(cs_case *c);
int finish_bignum_div(cs_case *c);
void teardown_bignum(cs_case *c);

int setup_bignum_crt(cs_case *c);
int call_bignum_crt(cs_case *c);
int finish_bignum_crt(cs_case *c);
void teardown_bignum_crt(cs_case *c);

#define BIGNUM_ROW(ID, PARAMS, NAME, SETUP, CALL, FINISH)                                                              \
    {.id = ID,                                                                                                         \
     .impl = "default",                                                                                                \
     .name = NAME,                                                                                                     \
     .setup = setup_bignum_##SETUP,                                                                                    \
     .call = call_bignum_##CALL,                                                                                       \
     .teardown = teardown_bignum,                                                                                      \
     .finish = finish_##FINISH,                                                                                        \
     .params = PARAMS}
#define BIGNUM_EXP                                                                                                     \
    BIGNUM_ROW("modexp/private", "crt=no", "mbedtls_mpi_exp_mod", one, exp, bignum),                                   \
        BIGNUM_ROW("modexp/public", NULL, "mbedtls_mpi_exp_mod", one, exp, bignum)
#define BIGNUM_FAMILY                                                                                                  \
    BIGNUM_ROW("bignum/mod-add", NULL, "mbedtls_mpi_add_mpi, mbedtls_mpi_sub_mpi", two, add, bignum),                  \
        BIGNUM_ROW("bignum/mod-mul", NULL, "mbedtls_mpi_mul_mpi, mbedtls_mpi_mod_mpi", two, mul, bignum),              \
        BIGNUM_ROW("bignum/mod-sqr", NULL, "mbedtls_mpi_mul_mpi, mbedtls_mpi_mod_mpi", one, sqr, bignum),              \
        BIGNUM_ROW("bignum/mod-inv", NULL, "mbedtls_mpi_inv_mod", one, inv, bignum),                                   \
        BIGNUM_ROW("bignum/div-mod", NULL, "mbedtls_mpi_div_mpi", one, div, bignum_div)
#define BIGNUM_CRT                                                                                                     \
    {.id = "modexp/private",                                                                                           \
     .impl = "default",                                                                                                \
     .name = "mbedtls_mpi_exp_mod, twice",                                                                             \
     .setup = setup_bignum_crt,                                                                                        \
     .call = call_bignum_crt,                                                                                          \
     .teardown = teardown_bignum_crt,                                                                                  \
     .finish = finish_bignum_crt,                                                                                      \
     .params = "crt=yes"}

#define BIGNUM_ROWS BIGNUM_EXP, BIGNUM_CRT, BIGNUM_FAMILY

#endif
