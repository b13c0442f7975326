/* SPDX-License-Identifier: Apache-2.0
 *
 * Botan: modular arithmetic on BigInt. In Botan 3 the headers of Montgomery arithmetic, of powers with a kept modulus
 * and of division are internal.
 */
#include "adapter.h"

#include <botan/numthry.h>
#include <botan/reducer.h>

#if BOTAN_VERSION_MAJOR < 3
#include <botan/divide.h>
#include <botan/monty.h>
#include <botan/pow_mod.h>
#endif

#include <cstring>
#include <memory>

namespace cs_botan
{

using Botan::BigInt;

void take(cs_case *c, BigInt &number, size_t len)
{
    BigInt::encode_1363(c->out + c->out_len, len, number);
    number.clear();
    c->out_len += len;
}

namespace
{

int finish_division(cs_case *c) noexcept;

/* `msg` is `a`, or `a` and `b`; a dividend is `a` in whole. Results lie in `r`, quotients in `q`. */
struct Numbers {
    BigInt a, b, e, m, r, q;
    Botan::Modular_Reducer reducer;
#if BOTAN_VERSION_MAJOR < 3
    Botan::Fixed_Exponent_Power_Mod power;
    Botan::Power_Mod power_reduce;
    const Botan::Power_Mod *chosen = nullptr;
    std::unique_ptr<Botan::Montgomery_Params> montgomery;
#endif
    Botan::secure_vector<Botan::word> workspace;

    explicit Numbers(const cs_case *c) : e(c->key.data, c->key.len), m(c->pub.data, c->pub.len)
    {
        const bool two = c->msg.len == 2 * c->pub.len && c->op->finish != finish_division;
        const size_t len = two ? c->pub.len : c->msg.len;

        a = BigInt(c->msg.data, len);
        b = BigInt(c->msg.data + len, c->msg.len - len);
    }
};

Numbers *numbers(cs_case *c)
{
    return static_cast<Numbers *>(c->state);
}

/* Makes the state, and what `prepare` adds to it. */
template <typename Prepare> int setup(cs_case *c, Prepare prepare) noexcept
{
    return guarded([c, prepare] {
        auto state = std::make_unique<Numbers>(c);

        if (state->m.is_zero())
            return cs_fail("pub is zero");
        prepare(*state);
        c->state = state.release();
        return static_cast<int>(CS_OK);
    });
}

/* A timed call: `compute` on the state. */
template <typename Compute> int call(cs_case *c, Compute compute) noexcept
{
    return guarded([c, compute] {
        compute(*numbers(c));
        return static_cast<int>(CS_OK);
    });
}

/* Nothing is kept but the numbers. */
int setup_numbers(cs_case *c) noexcept
{
    return setup(c, [](Numbers &) {});
}

/* Barrett's constant is kept. */
int setup_reducer(cs_case *c) noexcept
{
    return setup(c, [](Numbers &s) { s.reducer = Botan::Modular_Reducer(s.m); });
}

#if BOTAN_VERSION_MAJOR < 3
/* What Fixed_Exponent_Power_Mod keeps. */
int setup_power(cs_case *c) noexcept
{
    return setup(c, [](Numbers &s) {
        s.power = Botan::Fixed_Exponent_Power_Mod(s.e, s.m);
        s.chosen = &s.power;
    });
}

/* The same without Montgomery arithmetic. */
int setup_power_reduce(cs_case *c) noexcept
{
    return setup(c, [](Numbers &s) {
        s.power_reduce.set_modulus(s.m, Botan::Power_Mod::NO_HINTS, true);
        s.power_reduce.set_exponent(s.e);
        s.chosen = &s.power_reduce;
    });
}

/* Montgomery's constants, and the first number in that form. */
int setup_montgomery(cs_case *c) noexcept
{
    return setup(c, [](Numbers &s) {
        s.montgomery = std::make_unique<Botan::Montgomery_Params>(s.m);
        s.a = s.montgomery->mul(s.a, s.montgomery->R2(), s.workspace);
    });
}
#endif

/* ---- calls ---- */

int call_power_mod(cs_case *c) noexcept
{
    return call(c, [](Numbers &s) { s.r = Botan::power_mod(s.a, s.e, s.m); });
}

#if BOTAN_VERSION_MAJOR < 3
int call_power(cs_case *c) noexcept
{
    return call(c, [](Numbers &s) {
        s.chosen->set_base(s.a);
        s.r = s.chosen->execute();
    });
}

int call_montgomery(cs_case *c) noexcept
{
    return call(c, [](Numbers &s) { s.r = s.montgomery->mul(s.a, s.b, s.workspace); });
}
#endif

int call_mod_add(cs_case *c) noexcept
{
    return call(c, [](Numbers &s) {
        s.r = s.a;
        s.r.mod_add(s.b, s.m, s.workspace);
    });
}

/* Both numbers are reduced, so that one subtraction is enough. */
int call_add_sub(cs_case *c) noexcept
{
    return call(c, [](Numbers &s) {
        s.r = s.a + s.b;
        if (s.r >= s.m)
            s.r -= s.m;
    });
}

int call_multiply(cs_case *c) noexcept
{
    return call(c, [](Numbers &s) { s.r = s.reducer.multiply(s.a, s.b); });
}

int call_multiply_divide(cs_case *c) noexcept
{
    return call(c, [](Numbers &s) { s.r = (s.a * s.b) % s.m; });
}

int call_square(cs_case *c) noexcept
{
    return call(c, [](Numbers &s) { s.r = s.reducer.square(s.a); });
}

int call_square_divide(cs_case *c) noexcept
{
    return call(c, [](Numbers &s) { s.r = Botan::square(s.a) % s.m; });
}

/* 0 stands for "no inverse", and is none. */
int call_inverse(cs_case *c) noexcept
{
    return call(c, [](Numbers &s) { s.r = Botan::inverse_mod(s.a, s.m); });
}

/* -1 stands for "no root"; finish_even_root finds it. */
int call_root(cs_case *c) noexcept
{
#if BOTAN_VERSION_MAJOR < 3
    return call(c, [](Numbers &s) { s.r = Botan::ressol(s.a, s.m); });
#else
    return call(c, [](Numbers &s) { s.r = Botan::sqrt_modulo_prime(s.a, s.m); });
#endif
}

#if BOTAN_VERSION_MAJOR < 3
int call_divide(cs_case *c) noexcept
{
    return call(c, [](Numbers &s) { Botan::ct_divide(s.a, s.m, s.q, s.r); });
}

int call_divide_vartime(cs_case *c) noexcept
{
    return call(c, [](Numbers &s) { Botan::vartime_divide(s.a, s.m, s.q, s.r); });
}
#else
/* No public function gives both. */
int call_divide(cs_case *c) noexcept
{
    return call(c, [](Numbers &s) {
        s.q = s.a / s.m;
        s.r = s.a % s.m;
    });
}
#endif

/* ---- results ---- */

int finish_number(cs_case *c) noexcept
{
    return guarded([c] {
        c->out_len = 0;
        take(c, numbers(c)->r, c->pub.len);
        return static_cast<int>(CS_OK);
    });
}

/* Both roots are right, and a library may give either; the operation's output is the even one. */
int finish_even_root(cs_case *c) noexcept
{
    return guarded([c] {
        Numbers &s = *numbers(c);

        if (s.r.is_negative())
            return cs_fail("not a square");
        if (s.r.is_odd())
            s.r = s.m - s.r;
        return finish_number(c);
    });
}

int finish_division(cs_case *c) noexcept
{
    return guarded([c] {
        c->out_len = 0;
        take(c, numbers(c)->q, c->pub.len + 8);
        take(c, numbers(c)->r, c->pub.len);
        return static_cast<int>(CS_OK);
    });
}

#define BIGNUM_ROW(ID, PARAMS, IMPL, NAME, SETUP, CALL, FINISH)                                                        \
    {.id = ID,                                                                                                         \
     .impl = IMPL,                                                                                                     \
     .name = NAME,                                                                                                     \
     .setup = setup_##SETUP,                                                                                           \
     .call = call_##CALL,                                                                                              \
     .teardown = teardown<Numbers>,                                                                                    \
     .finish = finish_##FINISH,                                                                                        \
     .params = PARAMS}
#if BOTAN_VERSION_MAJOR < 3
#define BIGNUM_EXP(ID, PARAMS)                                                                                         \
    BIGNUM_ROW(ID, PARAMS, "default", "Fixed_Exponent_Power_Mod", power, power, number),                               \
        BIGNUM_ROW(ID, PARAMS, "power_mod", "power_mod", numbers, power_mod, number),                                  \
        BIGNUM_ROW(ID, PARAMS, "disable_montgomery_arith", "Power_Mod, disable_montgomery_arith", power_reduce, power, \
                   number)
#else
#define BIGNUM_EXP(ID, PARAMS) BIGNUM_ROW(ID, PARAMS, "default", "power_mod", numbers, power_mod, number)
#endif

const cs_op rows[] = {
    BIGNUM_EXP("modexp/private", "crt=no"),
    BIGNUM_EXP("modexp/public", nullptr),
    BIGNUM_ROW("bignum/mod-add", nullptr, "default", "BigInt::mod_add", numbers, mod_add, number),
    BIGNUM_ROW("bignum/mod-add", nullptr, "add_sub", "operator+, operator>=, operator-=", numbers, add_sub, number),
    BIGNUM_ROW("bignum/mod-mul", nullptr, "default", "Modular_Reducer::multiply", reducer, multiply, number),
    BIGNUM_ROW("bignum/mod-mul", nullptr, "BigInt", "operator*, operator%", numbers, multiply_divide, number),
    BIGNUM_ROW("bignum/mod-sqr", nullptr, "default", "Modular_Reducer::square", reducer, square, number),
    BIGNUM_ROW("bignum/mod-sqr", nullptr, "BigInt", "square, operator%", numbers, square_divide, number),
    BIGNUM_ROW("bignum/mod-inv", nullptr, "default", "inverse_mod", numbers, inverse, number),
#if BOTAN_VERSION_MAJOR < 3
    BIGNUM_ROW("bignum/montmul", nullptr, "default", "Montgomery_Params::mul", montgomery, montgomery, number),
    BIGNUM_ROW("bignum/mod-sqrt", nullptr, "default", "ressol", numbers, root, even_root),
    BIGNUM_ROW("bignum/div-mod", nullptr, "default", "ct_divide", numbers, divide, division),
    BIGNUM_ROW("bignum/div-mod", nullptr, "vartime_divide", "vartime_divide", numbers, divide_vartime, division),
#else
    BIGNUM_ROW("bignum/mod-sqrt", nullptr, "default", "sqrt_modulo_prime", numbers, root, even_root),
    BIGNUM_ROW("bignum/div-mod", nullptr, "default", "operator/, operator%", numbers, divide, division),
#endif
};

} // namespace

const cs_table botan_bignum = CS_TABLE(rows);

} // namespace cs_botan
