/* SPDX-License-Identifier: Apache-2.0
 *
 * Botan: exponentiation by the Chinese remainder theorem, as in RFC 8017, 5.1.2, on BigInt.
 */
#include "adapter.h"

#include <botan/numthry.h>
#include <botan/reducer.h>

#if BOTAN_VERSION_MAJOR < 3
#include <botan/pow_mod.h>
#endif

#include <memory>

namespace cs_botan
{

namespace
{

using Botan::BigInt;

struct Crt {
    BigInt base, p, q, dp, dq, q_inv, r;
    Botan::Modular_Reducer mod_p, mod_q;
#if BOTAN_VERSION_MAJOR < 3
    Botan::Fixed_Exponent_Power_Mod power_p, power_q;
#endif

    Crt(const cs_span *part, cs_span msg)
        : base(number(msg)), p(number(part[CS_CRT_P])), q(number(part[CS_CRT_Q])), dp(number(part[CS_CRT_DP])),
          dq(number(part[CS_CRT_DQ])), q_inv(number(part[CS_CRT_QINV])), mod_p(p), mod_q(q)
    {
#if BOTAN_VERSION_MAJOR < 3
        power_p = Botan::Fixed_Exponent_Power_Mod(dp, p);
        power_q = Botan::Fixed_Exponent_Power_Mod(dq, q);
#endif
    }

    static BigInt number(cs_span bytes)
    {
        return BigInt(bytes.data, bytes.len);
    }

    /* Garner: r = m2 + q (qInv (m1 - m2) mod p). The reducer gives no negative numbers. */
    void combine(const BigInt &m1, const BigInt &m2)
    {
        r = mod_p.multiply(q_inv, m1 - m2);
        r *= q;
        r += m2;
    }
};

Crt *crt(cs_case *c)
{
    return static_cast<Crt *>(c->state);
}

int setup_crt(cs_case *c) noexcept
{
    return guarded([c] {
        cs_span part[CS_CRT_PARTS];

        if (cs_crt_split(c->key, part) != CS_OK)
            return static_cast<int>(CS_ERROR);
        c->state = new Crt(part, c->msg);
        return static_cast<int>(CS_OK);
    });
}

int call_crt_power_mod(cs_case *c) noexcept
{
    return guarded([c] {
        Crt &s = *crt(c);

        s.combine(Botan::power_mod(s.mod_p.reduce(s.base), s.dp, s.p),
                  Botan::power_mod(s.mod_q.reduce(s.base), s.dq, s.q));
        return static_cast<int>(CS_OK);
    });
}

#if BOTAN_VERSION_MAJOR < 3
int call_crt_power(cs_case *c) noexcept
{
    return guarded([c] {
        Crt &s = *crt(c);

        s.combine(s.power_p(s.mod_p.reduce(s.base)), s.power_q(s.mod_q.reduce(s.base)));
        return static_cast<int>(CS_OK);
    });
}
#endif

int finish_crt(cs_case *c) noexcept
{
    return guarded([c] {
        c->out_len = 0;
        take(c, crt(c)->r, c->msg.len);
        return static_cast<int>(CS_OK);
    });
}

#define BIGNUM_CRT_ROW(IMPL, NAME, CALL)                                                                               \
    {.id = "modexp/private",                                                                                           \
     .impl = IMPL,                                                                                                     \
     .name = NAME,                                                                                                     \
     .setup = setup_crt,                                                                                               \
     .call = call_crt_##CALL,                                                                                          \
     .teardown = teardown<Crt>,                                                                                        \
     .finish = finish_crt,                                                                                             \
     .params = "crt=yes"}

const cs_op rows[] = {
#if BOTAN_VERSION_MAJOR < 3
    BIGNUM_CRT_ROW("default", "Fixed_Exponent_Power_Mod, twice", power),
    BIGNUM_CRT_ROW("power_mod", "power_mod, twice", power_mod),
#else
    BIGNUM_CRT_ROW("default", "power_mod, twice", power_mod),
#endif
};

} // namespace

const cs_table botan_bignum_crt = CS_TABLE(rows);

} // namespace cs_botan
