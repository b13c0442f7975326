/* SPDX-License-Identifier: Apache-2.0
 *
 * Botan: key agreement in finite fields, through PK_Key_Agreement.
 */
#include "adapter_ffdh.h"

#if CS_BOTAN_HAS_DH
#include "adapter_seed.h"

#include <botan/bigint.h>
#include <botan/dh.h>
#include <botan/dl_group.h>
#include <botan/pubkey.h>

#include <cstring>

namespace cs_botan
{

namespace
{

Botan::DL_Group group_named(const cs_op *op)
{
    return Botan::DL_Group(static_cast<const char *>(op->param));
}

struct FfdhState {
    Botan::DH_PrivateKey key;
    Botan::PK_Key_Agreement agreement;

    FfdhState(const Botan::DL_Group &group, const Botan::BigInt &exponent)
        : key(rng(), group, exponent), agreement(key, rng(), "Raw")
    {
    }
};

struct FfdhKeygenState {
    cs_span seed;
    Botan::DL_Group group;
};

void put(const Botan::BigInt &number, uint8_t *out, size_t len)
{
    std::memset(out, 0, len - number.bytes());
    number.binary_encode(out + len - number.bytes());
}

void generate(cs_case *c, Botan::RandomNumberGenerator &random)
{
    const auto *s = static_cast<const FfdhKeygenState *>(c->state);
    const size_t len = s->group.p_bytes();
    const Botan::DH_PrivateKey key(random, s->group);
    put(key.get_x(), c->out, len);
    put(key.get_y(), c->out + len, len);
    c->out_len = 2 * len;
}

} // namespace

int setup_ffdh(cs_case *c) noexcept
{
    return guarded([c] {
        c->state = new FfdhState(group_named(c->op), Botan::BigInt(c->key.data, c->key.len));
        c->out_len = c->pub.len;
        return static_cast<int>(CS_OK);
    });
}

/* The public value is read in every call. */
int call_ffdh(cs_case *c) noexcept
{
    return guarded([c] {
        try {
            const auto *s = static_cast<const FfdhState *>(c->state);
            const Botan::SymmetricKey secret = s->agreement.derive_key(0, c->pub.data, c->pub.len);
            if (secret.length() != c->out_len)
                return static_cast<int>(CS_ERROR);
            std::memcpy(c->out, secret.begin(), c->out_len);
            return static_cast<int>(CS_OK);
        } catch (const Botan::Invalid_Argument &) {
            return static_cast<int>(CS_BAD_KEY);
        }
    });
}

void teardown_ffdh(cs_case *c) noexcept
{
    teardown<FfdhState>(c);
}

int setup_ffdh_keygen(cs_case *c) noexcept
{
    return guarded([c] {
        c->state = new FfdhKeygenState{cs_input(c, "seed"), group_named(c->op)};
        return static_cast<int>(CS_OK);
    });
}

int call_ffdh_keygen(cs_case *c) noexcept
{
    return guarded([c] {
        const auto *s = static_cast<const FfdhKeygenState *>(c->state);
        if (s->seed.data == nullptr) {
            generate(c, rng());
        } else {
            SeedRng seeded(s->seed);
            generate(c, seeded);
        }
        return static_cast<int>(CS_OK);
    });
}

void teardown_ffdh_keygen(cs_case *c) noexcept
{
    teardown<FfdhKeygenState>(c);
}

} // namespace cs_botan
#endif
