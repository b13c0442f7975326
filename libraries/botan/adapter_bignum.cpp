/* SPDX-License-Identifier: Apache-2.0
 *
 * Botan: modular arithmetic on BigInt.
 */
#include "adapter_bignum.h"

#include <botan/build.h>

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

} // namespace

int setup_numbers(cs_case *c) noexcept
{
    return setup(c, [](Numbers &) {});
}

int setup_reducer(cs_case *c) noexcept
{
    return setup(c, [](Numbers &s) { s.reducer = Botan::Modular_Reducer(s.m); });
}

#if BOTAN_VERSION_MAJOR < 3
int setup_power(cs_case *c) noexcept
{
    return setup(c, [](Numbers &s) {
        s.power = Botan::Fixed_Exponent_Power_Mod(s.e, s.m);
        s.chosen = &s.power;
    });
}

int setup_power_reduce(cs_case *c) noexcept
{
    return setup(c, [](Numbers &s) {
        s.power_reduce.set_modulus(s.m, Botan::Power_Mod::NO_HINTS, true);
        s.power_reduce.set_exponent(s.e);
        s.chosen = &s.power_reduce;
    });
}

int setup_montgomery(cs_case *c) noexcept
{
    return setup(c, [](Numbers &s) {
        s.montgomery = std::make_unique<Botan::Montgomery_Params>(s.m);
        s.a = s.montgomery->mul(s.a, s.montgomery->R2(), s.workspace);
    });
}
#endif

void teardown_numbers(cs_case *c) noexcept
{
    teardown<Numbers>(c);
}

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

} // namespace cs_botan
