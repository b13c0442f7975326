/* SPDX-License-Identifier: Apache-2.0
 *
 * Libgcrypt: the rows of the bignum family, for the table in adapter.c. The operations of one modulus are in
 * adapter_bignum.c, with its primes in adapter_bignum_crt.c.
 */
#ifndef CIPHERSTONE_LIBGCRYPT_BIGNUM_H
#define CIPHERSTONE_LIBGCRYPT_BIGNUM_H

#include "adapter.h"

/* A new number from `len` bytes, most significant first; NULL if the library refuses. */
gcry_mpi_t bignum_new(const uint8_t *bytes, size_t len);

/* Writes `number` as `len` bytes after what is at `out`, and sets it to zero: a call that does nothing shows. */
int bignum_take(cs_case *c, gcry_mpi_t number, size_t len);

int bignum_setup_one(cs_case *c);
int bignum_setup_two(cs_case *c);
int bignum_powm(cs_case *c);
int bignum_addm(cs_case *c);
int bignum_add_sub(cs_case *c);
int bignum_mulm(cs_case *c);
int bignum_sqrm(cs_case *c);
int bignum_invm(cs_case *c);
int bignum_div(cs_case *c);
int bignum_finish(cs_case *c);
int bignum_finish_div(cs_case *c);
void bignum_teardown(cs_case *c);

int bignum_crt_setup(cs_case *c);
int bignum_crt(cs_case *c);
int bignum_crt_finish(cs_case *c);
void bignum_crt_teardown(cs_case *c);

#define BIGNUM_LANE(ID, PARAMS, IMPL, NAME, SETUP, CALL, FINISH)                                                       \
    {.id = ID,                                                                                                         \
     .impl = IMPL,                                                                                                     \
     .name = NAME,                                                                                                     \
     .setup = bignum_setup_##SETUP,                                                                                    \
     .call = bignum_##CALL,                                                                                            \
     .teardown = bignum_teardown,                                                                                      \
     .finish = bignum_##FINISH,                                                                                        \
     .params = PARAMS}
#define BIGNUM_ROW(ID, PARAMS, NAME, SETUP, CALL, FINISH) BIGNUM_LANE(ID, PARAMS, "default", NAME, SETUP, CALL, FINISH)
#define BIGNUM_EXP                                                                                                     \
    BIGNUM_ROW("modexp/private", "crt=no", "gcry_mpi_powm", one, powm, finish),                                        \
        BIGNUM_ROW("modexp/public", NULL, "gcry_mpi_powm", one, powm, finish)
#define BIGNUM_FAMILY                                                                                                  \
    BIGNUM_ROW("bignum/mod-add", NULL, "gcry_mpi_addm", two, addm, finish),                                            \
        BIGNUM_LANE("bignum/mod-add", NULL, "add_sub", "gcry_mpi_add, gcry_mpi_cmp, gcry_mpi_sub", two, add_sub,       \
                    finish),                                                                                           \
        BIGNUM_ROW("bignum/mod-mul", NULL, "gcry_mpi_mulm", two, mulm, finish),                                        \
        BIGNUM_ROW("bignum/mod-sqr", NULL, "gcry_mpi_mulm", one, sqrm, finish),                                        \
        BIGNUM_ROW("bignum/mod-inv", NULL, "gcry_mpi_invm", one, invm, finish),                                        \
        BIGNUM_ROW("bignum/div-mod", NULL, "gcry_mpi_div", one, div, finish_div)
#define BIGNUM_CRT                                                                                                     \
    {.id = "modexp/private",                                                                                           \
     .impl = "default",                                                                                                \
     .name = "gcry_mpi_powm, twice",                                                                                   \
     .setup = bignum_crt_setup,                                                                                        \
     .call = bignum_crt,                                                                                               \
     .teardown = bignum_crt_teardown,                                                                                  \
     .finish = bignum_crt_finish,                                                                                      \
     .params = "crt=yes"}

#define BIGNUM_ROWS BIGNUM_EXP, BIGNUM_CRT, BIGNUM_FAMILY

#endif
