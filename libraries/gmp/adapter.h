/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of this adapter share: the operations of one modulus are in adapter.c, with its primes in
 * adapter_crt.c, on arrays of limbs in adapter_mpn.c. The functions on limbs are not static, because a test runs them
 * under memcheck.
 */
#ifndef CIPHERSTONE_GMP_ADAPTER_H
#define CIPHERSTONE_GMP_ADAPTER_H

#include <gmp.h>

#include "cipherstone.h"
#include "cipherstone_encoding.h"

/* A number of `len` bytes, most significant first. */
void number_from(mpz_t number, const uint8_t *bytes, size_t len);

/* Writes `number` as `len` bytes after what is at `out`, and sets it to zero: a call that does nothing shows. */
int take(cs_case *c, mpz_t number, size_t len);

/* adapter_mpn.c: the same on arrays of limbs. */
int mpn_setup_one(cs_case *c);
int mpn_setup_two(cs_case *c);
int mpn_setup_power(cs_case *c);
int mpn_finish(cs_case *c);
void mpn_teardown(cs_case *c);
int mpn_sec_powm_call(cs_case *c);
int mpn_add_call(cs_case *c);
int mpn_mul_call(cs_case *c);
int mpn_sqr_call(cs_case *c);
int mpn_sec_add_call(cs_case *c);
int mpn_sec_mul_call(cs_case *c);
int mpn_sec_sqr_call(cs_case *c);

/* What they share with the rest below. Numbers of whole limbs whose top limb is not zero; for a modulus, odd too. */
int mpn_fills_limbs(cs_span m);
int mpn_takes_modulus(cs_span m);
void mpn_limbs_from(mp_limb_t *limbs, mp_size_t n, const uint8_t *bytes, size_t len);
mp_size_t mpn_largest(mp_size_t a, mp_size_t b);
/* Writes `n` limbs as `len` bytes after what is at `out`, and sets them to zero. */
int mpn_take(cs_case *c, mp_limb_t *limbs, mp_size_t n, size_t len);

/* adapter_mpn_crt.c */
int mpn_crt_setup(cs_case *c);
int mpn_crt_finish(cs_case *c);
void mpn_crt_teardown(cs_case *c);
int mpn_sec_crt_call(cs_case *c);

/* adapter_mpn_division.c */
int mpn_inverse_setup(cs_case *c);
int mpn_inverse_finish(cs_case *c);
int mpn_inverse_call(cs_case *c);
int mpn_sec_inverse_call(cs_case *c);
int mpn_division_setup(cs_case *c);
int mpn_division_finish(cs_case *c);
int mpn_division_call(cs_case *c);
int mpn_sec_division_call(cs_case *c);
void mpn_quotient_teardown(cs_case *c);

/* The rows of each file. */
extern const cs_table gmp_crt, gmp_mpn, gmp_mpn_crt, gmp_mpn_division;

#endif
