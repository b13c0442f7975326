/* SPDX-License-Identifier: Apache-2.0
 *
 * Crypto++: modular arithmetic on Integer.
 */
#include "adapter.h"

#include <cryptopp/modarith.h>
#include <cryptopp/nbtheory.h>

namespace cs_cryptopp
{

using CryptoPP::Integer;

void take(cs_case *c, Integer &number, size_t len)
{
    number.Encode(c->out + c->out_len, len);
    number = Integer::Zero();
    c->out_len += len;
}

namespace
{

int finish_division(cs_case *c) noexcept;

/* `msg` is `a`, or `a` and `b`; a dividend is `a` in whole. Results lie in `r`, quotients in `q`. */
struct Numbers {
    Integer a, b, e, m, r, q;
    std::unique_ptr<CryptoPP::ModularArithmetic> ring;

    void read(const cs_case *c)
    {
        const bool two = c->msg.len == 2 * c->pub.len && c->op->finish != finish_division;
        const size_t len = two ? c->pub.len : c->msg.len;

        a = Integer(c->msg.data, len);
        b = Integer(c->msg.data + len, c->msg.len - len);
        m = Integer(c->pub.data, c->pub.len);
        if (c->key.data != nullptr)
            e = Integer(c->key.data, c->key.len);
    }
};

/* Makes the numbers, and what `prepare` adds to them. */
template <typename Prepare> int setup_with(cs_case *c, Prepare prepare) noexcept
{
    return setup<Numbers>(c, 0, [c, prepare](Numbers &s) {
        s.read(c);
        if (s.m.IsZero())
            return cs_fail("pub is zero");
        prepare(s);
        return static_cast<int>(CS_OK);
    });
}

/* A timed call: `compute` on the state. */
template <typename Compute> int call(cs_case *c, Compute compute) noexcept
{
    return guarded([c, compute] {
        compute(state<Numbers>(c));
        return static_cast<int>(CS_OK);
    });
}

/* Nothing is kept but the numbers. */
int setup_numbers(cs_case *c) noexcept
{
    return setup_with(c, [](Numbers &) {});
}

/* ModularArithmetic, which divides. */
int setup_ring(cs_case *c) noexcept
{
    return setup_with(c, [](Numbers &s) { s.ring = std::make_unique<CryptoPP::ModularArithmetic>(s.m); });
}

/* Montgomery's constants. */
int setup_montgomery(cs_case *c) noexcept
{
    return setup_with(c, [](Numbers &s) { s.ring = std::make_unique<CryptoPP::MontgomeryRepresentation>(s.m); });
}

/* The same, and the first number in that form. */
int setup_montmul(cs_case *c) noexcept
{
    return setup_with(c, [](Numbers &s) {
        s.ring = std::make_unique<CryptoPP::MontgomeryRepresentation>(s.m);
        s.a = s.ring->ConvertIn(s.a);
    });
}

/* ---- calls ---- */

int call_power_kept(cs_case *c) noexcept
{
    return call(c, [](Numbers &s) { s.r = s.ring->ConvertOut(s.ring->Exponentiate(s.ring->ConvertIn(s.a), s.e)); });
}

int call_power(cs_case *c) noexcept
{
    return call(c, [](Numbers &s) { s.r = a_exp_b_mod_c(s.a, s.e, s.m); });
}

int call_montmul(cs_case *c) noexcept
{
    return call(c, [](Numbers &s) { s.r = s.ring->Multiply(s.a, s.b); });
}

int call_mod_add(cs_case *c) noexcept
{
    return call(c, [](Numbers &s) { s.r = s.ring->Add(s.a, s.b); });
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
    return call(c, [](Numbers &s) { s.r = s.ring->Multiply(s.a, s.b); });
}

int call_square(cs_case *c) noexcept
{
    return call(c, [](Numbers &s) { s.r = s.ring->Square(s.a); });
}

/* 0 stands for "no inverse", and is none. */
int call_inverse(cs_case *c) noexcept
{
    return call(c, [](Numbers &s) { s.r = s.a.InverseMod(s.m); });
}

int call_root(cs_case *c) noexcept
{
    return call(c, [](Numbers &s) { s.r = CryptoPP::ModularSquareRoot(s.a, s.m); });
}

int call_divide(cs_case *c) noexcept
{
    return call(c, [](Numbers &s) { Integer::Divide(s.r, s.q, s.a, s.m); });
}

/* ---- results ---- */

int finish_number(cs_case *c) noexcept
{
    return guarded([c] {
        c->out_len = 0;
        take(c, state<Numbers>(c).r, c->pub.len);
        return static_cast<int>(CS_OK);
    });
}

/* Both roots are right, and a library may give either; the operation's output is the even one. */
int finish_even_root(cs_case *c) noexcept
{
    return guarded([c] {
        auto &s = state<Numbers>(c);

        if (s.r.IsOdd())
            s.r = s.m - s.r;
        return finish_number(c);
    });
}

int finish_division(cs_case *c) noexcept
{
    return guarded([c] {
        auto &s = state<Numbers>(c);

        c->out_len = 0;
        take(c, s.q, c->pub.len + 8);
        take(c, s.r, c->pub.len);
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
#define BIGNUM_EXP(ID, PARAMS)                                                                                         \
    BIGNUM_ROW(ID, PARAMS, "default", "MontgomeryRepresentation::Exponentiate", montgomery, power_kept, number),       \
        BIGNUM_ROW(ID, PARAMS, "a_exp_b_mod_c", "a_exp_b_mod_c", numbers, power, number),                              \
        BIGNUM_ROW(ID, PARAMS, "ModularArithmetic", "ModularArithmetic::Exponentiate", ring, power_kept, number)

const cs_op rows[] = {
    BIGNUM_EXP("modexp/private", "crt=no"),
    BIGNUM_EXP("modexp/public", nullptr),
    BIGNUM_ROW("bignum/montmul", nullptr, "default", "MontgomeryRepresentation::Multiply", montmul, montmul, number),
    BIGNUM_ROW("bignum/mod-add", nullptr, "default", "ModularArithmetic::Add", ring, mod_add, number),
    BIGNUM_ROW("bignum/mod-add", nullptr, "add_sub", "operator+, operator>=, operator-=", numbers, add_sub, number),
    BIGNUM_ROW("bignum/mod-mul", nullptr, "default", "ModularArithmetic::Multiply", ring, multiply, number),
    BIGNUM_ROW("bignum/mod-sqr", nullptr, "default", "ModularArithmetic::Square", ring, square, number),
    BIGNUM_ROW("bignum/mod-inv", nullptr, "default", "Integer::InverseMod", numbers, inverse, number),
    BIGNUM_ROW("bignum/mod-sqrt", nullptr, "default", "ModularSquareRoot", numbers, root, even_root),
    BIGNUM_ROW("bignum/div-mod", nullptr, "default", "Integer::Divide", numbers, divide, division),
};

} // namespace

const cs_table cryptopp_bignum = CS_TABLE(rows);

} // namespace cs_cryptopp
