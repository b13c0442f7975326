/* SPDX-License-Identifier: Apache-2.0
 *
 * Botan: the rows of the bignum family, for the table in adapter.cpp. The operations of one modulus are in
 * adapter_bignum.cpp, with its primes in adapter_bignum_crt.cpp. In Botan 3 the headers of Montgomery arithmetic, of
 * powers with a kept modulus and of division are internal.
 */
#ifndef CIPHERSTONE_BOTAN_BIGNUM_H
#define CIPHERSTONE_BOTAN_BIGNUM_H

#include "adapter.h"

#include <botan/bigint.h>

namespace cs_botan
{

/* Writes `number` as `len` bytes after what is at `out`, and sets it to zero: a call that does nothing shows. */
void take(cs_case *c, Botan::BigInt &number, size_t len);

int setup_numbers(cs_case *c) noexcept;      /* nothing is kept but the numbers */
int setup_reducer(cs_case *c) noexcept;      /* Barrett's constant is kept */
int setup_power(cs_case *c) noexcept;        /* what Fixed_Exponent_Power_Mod keeps */
int setup_power_reduce(cs_case *c) noexcept; /* the same without Montgomery arithmetic */
int setup_montgomery(cs_case *c) noexcept;   /* Montgomery's constants, and the first number in that form */
int call_power_mod(cs_case *c) noexcept;
int call_power(cs_case *c) noexcept;
int call_montgomery(cs_case *c) noexcept;
int call_mod_add(cs_case *c) noexcept;
int call_add_sub(cs_case *c) noexcept;
int call_multiply(cs_case *c) noexcept;
int call_multiply_divide(cs_case *c) noexcept;
int call_square(cs_case *c) noexcept;
int call_square_divide(cs_case *c) noexcept;
int call_inverse(cs_case *c) noexcept;
int call_root(cs_case *c) noexcept;
int call_divide(cs_case *c) noexcept;
int call_divide_vartime(cs_case *c) noexcept;
int finish_number(cs_case *c) noexcept;
int finish_even_root(cs_case *c) noexcept;
int finish_division(cs_case *c) noexcept;
void teardown_numbers(cs_case *c) noexcept;

int setup_crt(cs_case *c) noexcept;
int call_crt_power_mod(cs_case *c) noexcept;
int call_crt_power(cs_case *c) noexcept;
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
#define BIGNUM_SHARED                                                                                                  \
    BIGNUM_ROW("bignum/mod-add", NULL, "default", "BigInt::mod_add", numbers, mod_add, number),                        \
        BIGNUM_ROW("bignum/mod-add", NULL, "add_sub", "operator+, operator>=, operator-=", numbers, add_sub, number),  \
        BIGNUM_ROW("bignum/mod-mul", NULL, "default", "Modular_Reducer::multiply", reducer, multiply, number),         \
        BIGNUM_ROW("bignum/mod-mul", NULL, "BigInt", "operator*, operator%", numbers, multiply_divide, number),        \
        BIGNUM_ROW("bignum/mod-sqr", NULL, "default", "Modular_Reducer::square", reducer, square, number),             \
        BIGNUM_ROW("bignum/mod-sqr", NULL, "BigInt", "square, operator%", numbers, square_divide, number),             \
        BIGNUM_ROW("bignum/mod-inv", NULL, "default", "inverse_mod", numbers, inverse, number)
#define BIGNUM_CRT_ROW(IMPL, NAME, CALL)                                                                               \
    {.id = "modexp/private",                                                                                           \
     .impl = IMPL,                                                                                                     \
     .name = NAME,                                                                                                     \
     .setup = setup_crt,                                                                                               \
     .call = call_crt_##CALL,                                                                                          \
     .teardown = teardown_crt,                                                                                         \
     .finish = finish_crt,                                                                                             \
     .params = "crt=yes"}

#if BOTAN_VERSION_MAJOR < 3
#define BIGNUM_EXP(ID, PARAMS)                                                                                         \
    BIGNUM_ROW(ID, PARAMS, "default", "Fixed_Exponent_Power_Mod", power, power, number),                               \
        BIGNUM_ROW(ID, PARAMS, "power_mod", "power_mod", numbers, power_mod, number),                                  \
        BIGNUM_ROW(ID, PARAMS, "disable_montgomery_arith", "Power_Mod, disable_montgomery_arith", power_reduce, power, \
                   number)
#define BIGNUM_CRT                                                                                                     \
    BIGNUM_CRT_ROW("default", "Fixed_Exponent_Power_Mod, twice", power),                                               \
        BIGNUM_CRT_ROW("power_mod", "power_mod, twice", power_mod)
#define BIGNUM_REST                                                                                                    \
    BIGNUM_ROW("bignum/montmul", NULL, "default", "Montgomery_Params::mul", montgomery, montgomery, number),           \
        BIGNUM_ROW("bignum/mod-sqrt", NULL, "default", "ressol", numbers, root, even_root),                            \
        BIGNUM_ROW("bignum/div-mod", NULL, "default", "ct_divide", numbers, divide, division),                         \
        BIGNUM_ROW("bignum/div-mod", NULL, "vartime_divide", "vartime_divide", numbers, divide_vartime, division)
#else
#define BIGNUM_EXP(ID, PARAMS) BIGNUM_ROW(ID, PARAMS, "default", "power_mod", numbers, power_mod, number)
#define BIGNUM_CRT BIGNUM_CRT_ROW("default", "power_mod, twice", power_mod)
#define BIGNUM_REST                                                                                                    \
    BIGNUM_ROW("bignum/mod-sqrt", NULL, "default", "sqrt_modulo_prime", numbers, root, even_root),                     \
        BIGNUM_ROW("bignum/div-mod", NULL, "default", "operator/, operator%", numbers, divide, division)
#endif

#define BIGNUM_ROWS                                                                                                    \
    BIGNUM_EXP("modexp/private", "crt=no"), BIGNUM_EXP("modexp/public", NULL), BIGNUM_CRT, BIGNUM_SHARED, BIGNUM_REST

} // namespace cs_botan

#endif
