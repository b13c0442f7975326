/* SPDX-License-Identifier: Apache-2.0
 *
 * Crypto++: the rows of the bignum family, for the table in adapter.cpp. The operations of one modulus are in
 * adapter_bignum.cpp, with its primes in adapter_bignum_crt.cpp.
 */
#ifndef CIPHERSTONE_CRYPTOPP_BIGNUM_H
#define CIPHERSTONE_CRYPTOPP_BIGNUM_H

#include "adapter.h"

#include <cryptopp/integer.h>

namespace cs_cryptopp
{

/* Writes `number` as `len` bytes after what is at `out`, and sets it to zero: a call that does nothing shows. */
void take(cs_case *c, CryptoPP::Integer &number, size_t len);

int setup_numbers(cs_case *c) noexcept;    /* nothing is kept but the numbers */
int setup_ring(cs_case *c) noexcept;       /* ModularArithmetic, which divides */
int setup_montgomery(cs_case *c) noexcept; /* Montgomery's constants */
int setup_montmul(cs_case *c) noexcept;    /* the same, and the first number in that form */
int call_power_kept(cs_case *c) noexcept;
int call_power(cs_case *c) noexcept;
int call_montmul(cs_case *c) noexcept;
int call_mod_add(cs_case *c) noexcept;
int call_add_sub(cs_case *c) noexcept;
int call_multiply(cs_case *c) noexcept;
int call_square(cs_case *c) noexcept;
int call_inverse(cs_case *c) noexcept;
int call_root(cs_case *c) noexcept;
int call_divide(cs_case *c) noexcept;
int finish_number(cs_case *c) noexcept;
int finish_even_root(cs_case *c) noexcept;
int finish_division(cs_case *c) noexcept;
void teardown_numbers(cs_case *c) noexcept;

int setup_crt(cs_case *c) noexcept;
int call_crt_kept(cs_case *c) noexcept;
int call_crt_root(cs_case *c) noexcept;
int setup_crt_blinded(cs_case *c) noexcept;
int call_crt_blinded(cs_case *c) noexcept;
int finish_crt(cs_case *c) noexcept;
void teardown_crt(cs_case *c) noexcept;

#define BIGNUM_ROW(ID, PARAMS, IMPL, NAME, SETUP, CALL, FINISH)                                                        \
    {.id = ID,                                                                                                         \
     .impl = IMPL,                                                                                                     \
     .name = NAME,                                                                                                     \
     .setup = setup_##SETUP,                                                                                           \
     .call = call_##CALL,                                                                                              \
     .teardown = teardown_numbers,                                                                                     \
     .finish = finish_##FINISH,                                                                                        \
     .params = PARAMS}
#define BIGNUM_EXP(ID, PARAMS)                                                                                         \
    BIGNUM_ROW(ID, PARAMS, "default", "MontgomeryRepresentation::Exponentiate", montgomery, power_kept, number),       \
        BIGNUM_ROW(ID, PARAMS, "a_exp_b_mod_c", "a_exp_b_mod_c", numbers, power, number),                              \
        BIGNUM_ROW(ID, PARAMS, "ModularArithmetic", "ModularArithmetic::Exponentiate", ring, power_kept, number)
#define BIGNUM_FAMILY                                                                                                  \
    BIGNUM_ROW("bignum/montmul", NULL, "default", "MontgomeryRepresentation::Multiply", montmul, montmul, number),     \
        BIGNUM_ROW("bignum/mod-add", NULL, "default", "ModularArithmetic::Add", ring, mod_add, number),                \
        BIGNUM_ROW("bignum/mod-add", NULL, "add_sub", "operator+, operator>=, operator-=", numbers, add_sub, number),  \
        BIGNUM_ROW("bignum/mod-mul", NULL, "default", "ModularArithmetic::Multiply", ring, multiply, number),          \
        BIGNUM_ROW("bignum/mod-sqr", NULL, "default", "ModularArithmetic::Square", ring, square, number),              \
        BIGNUM_ROW("bignum/mod-inv", NULL, "default", "Integer::InverseMod", numbers, inverse, number),                \
        BIGNUM_ROW("bignum/mod-sqrt", NULL, "default", "ModularSquareRoot", numbers, root, even_root),                 \
        BIGNUM_ROW("bignum/div-mod", NULL, "default", "Integer::Divide", numbers, divide, division)
#define BIGNUM_CRT_ROW(IMPL, NAME, SETUP, CALL)                                                                        \
    {.id = "modexp/private",                                                                                           \
     .impl = IMPL,                                                                                                     \
     .name = NAME,                                                                                                     \
     .setup = setup_##SETUP,                                                                                           \
     .call = call_##CALL,                                                                                              \
     .teardown = teardown_crt,                                                                                         \
     .finish = finish_crt,                                                                                             \
     .params = "crt=yes"}
#define BIGNUM_BLINDED                                                                                                 \
    {.id = "modexp/private",                                                                                           \
     .impl = "CalculateInverse",                                                                                       \
     .name = "InvertibleRSAFunction::CalculateInverse",                                                                \
     .setup = setup_crt_blinded,                                                                                       \
     .call = call_crt_blinded,                                                                                         \
     .teardown = teardown_crt,                                                                                         \
     .finish = finish_crt,                                                                                             \
     .params = "crt=yes",                                                                                              \
     .seed = seed_rng,                                                                                                 \
     .counts_random = 1}
#define BIGNUM_CRT                                                                                                     \
    BIGNUM_CRT_ROW("default", "MontgomeryRepresentation::Exponentiate, twice, CRT", crt, crt_kept),                    \
        BIGNUM_CRT_ROW("ModularRoot", "ModularRoot", crt, crt_root), BIGNUM_BLINDED

#define BIGNUM_ROWS BIGNUM_EXP("modexp/private", "crt=no"), BIGNUM_EXP("modexp/public", NULL), BIGNUM_CRT, BIGNUM_FAMILY

} // namespace cs_cryptopp

#endif
