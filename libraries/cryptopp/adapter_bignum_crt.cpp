/* SPDX-License-Identifier: Apache-2.0
 *
 * Crypto++: exponentiation by the Chinese remainder theorem, as in RFC 8017, 5.1.2, on Integer and as RSA has it.
 */
#include "adapter.h"

#include <cryptopp/modarith.h>
#include <cryptopp/nbtheory.h>
#include <cryptopp/rsa.h>

namespace cs_cryptopp
{

namespace
{

using CryptoPP::Integer;
using CryptoPP::MontgomeryRepresentation;

struct Crt {
    Integer base, p, q, dp, dq, q_inv, r;
    std::unique_ptr<MontgomeryRepresentation> mod_p, mod_q;
    CryptoPP::InvertibleRSAFunction key; /* of the blinded operation only */

    int read(const cs_case *c)
    {
        cs_span part[CS_CRT_PARTS];

        if (cs_crt_split(c->key, part) != CS_OK)
            return CS_ERROR;
        base = number(c->msg);
        p = number(part[CS_CRT_P]);
        q = number(part[CS_CRT_Q]);
        dp = number(part[CS_CRT_DP]);
        dq = number(part[CS_CRT_DQ]);
        q_inv = number(part[CS_CRT_QINV]);
        mod_p = std::make_unique<MontgomeryRepresentation>(p);
        mod_q = std::make_unique<MontgomeryRepresentation>(q);
        return CS_OK;
    }

    static Integer number(cs_span bytes)
    {
        return Integer(bytes.data, bytes.len);
    }

    static Integer power(const MontgomeryRepresentation &ring, const Integer &base, const Integer &exponent)
    {
        return ring.ConvertOut(ring.Exponentiate(ring.ConvertIn(base), exponent));
    }
};

int setup_crt(cs_case *c) noexcept
{
    return setup<Crt>(c, 0, [c](Crt &s) { return s.read(c); });
}

/* ConvertIn reduces: the base is not reduced before it. */
int call_crt_kept(cs_case *c) noexcept
{
    return guarded([c] {
        auto &s = state<Crt>(c);

        s.r = CryptoPP::CRT(Crt::power(*s.mod_q, s.base, s.dq), s.q, Crt::power(*s.mod_p, s.base, s.dp), s.p, s.q_inv);
        return static_cast<int>(CS_OK);
    });
}

/* ModularRoot wants the inverse of its first prime modulo its second: q is the first. */
int call_crt_root(cs_case *c) noexcept
{
    return guarded([c] {
        auto &s = state<Crt>(c);

        s.r = CryptoPP::ModularRoot(s.base, s.dq, s.dp, s.q, s.p, s.q_inv);
        return static_cast<int>(CS_OK);
    });
}

/* Blinding needs the public exponent, which is the inverse of dP modulo p - 1 and of dQ modulo q - 1. */
int setup_crt_blinded(cs_case *c) noexcept
{
    return setup<Crt>(c, 0, [c](Crt &s) {
        if (s.read(c) != CS_OK)
            return static_cast<int>(CS_ERROR);
        const Integer p1 = s.p - Integer::One(), q1 = s.q - Integer::One();
        const Integer e = s.dp.InverseMod(p1);
        if (e.IsZero() || s.dq.InverseMod(q1) != e)
            return cs_fail("dP and dQ belong to no public exponent below p - 1 and q - 1");
        s.key.Initialize(s.p * s.q, e, e.InverseMod(CryptoPP::LCM(p1, q1)), s.p, s.q, s.dp, s.dq, s.q_inv);
        return static_cast<int>(CS_OK);
    });
}

int call_crt_blinded(cs_case *c) noexcept
{
    return guarded([c] {
        auto &s = state<Crt>(c);

        s.r = s.key.CalculateInverse(rng(), s.base);
        return static_cast<int>(CS_OK);
    });
}

int finish_crt(cs_case *c) noexcept
{
    return guarded([c] {
        c->out_len = 0;
        take(c, state<Crt>(c).r, c->msg.len);
        return static_cast<int>(CS_OK);
    });
}

#define BIGNUM_CRT_ROW(IMPL, NAME, SETUP, CALL)                                                                        \
    {.id = "modexp/private",                                                                                           \
     .impl = IMPL,                                                                                                     \
     .name = NAME,                                                                                                     \
     .setup = setup_##SETUP,                                                                                           \
     .call = call_##CALL,                                                                                              \
     .teardown = teardown<Crt>,                                                                                        \
     .finish = finish_crt,                                                                                             \
     .params = "crt=yes"}

const cs_op rows[] = {
    BIGNUM_CRT_ROW("default", "MontgomeryRepresentation::Exponentiate, twice, CRT", crt, crt_kept),
    BIGNUM_CRT_ROW("ModularRoot", "ModularRoot", crt, crt_root),
    {.id = "modexp/private",
     .impl = "CalculateInverse",
     .name = "InvertibleRSAFunction::CalculateInverse",
     .setup = setup_crt_blinded,
     .call = call_crt_blinded,
     .teardown = teardown<Crt>,
     .finish = finish_crt,
     .params = "crt=yes",
     .seed = seed_rng,
     .counts_random = 1},
};

} // namespace

const cs_table cryptopp_bignum_crt = CS_TABLE(rows);

} // namespace cs_cryptopp
