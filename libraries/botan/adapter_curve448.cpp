/* SPDX-License-Identifier: Apache-2.0
 *
 * Botan: X448 and Ed448, of 3.4 and later, through PK_Key_Agreement, PK_Signer and PK_Verifier.
 */
#include "adapter_curve448.h"

#if defined(BOTAN_HAS_X448) && defined(BOTAN_HAS_ED448)
#include "adapter_seed.h"
#include "adapter_sig.h"

#include <botan/ed448.h>
#include <botan/x448.h>

#include <cstring>
#include <span>

namespace cs_botan
{

namespace
{

struct X448State {
    Botan::X448_PrivateKey key;
    Botan::PK_Key_Agreement agreement;

    explicit X448State(cs_span secret) : key(std::span(secret.data, secret.len)), agreement(key, rng(), "Raw")
    {
    }
};

struct Keygen448State {
    cs_span seed;
};

template <typename Key> void put(cs_case *c, const Key &key, const Botan::secure_vector<uint8_t> &secret)
{
    const auto pub = key.raw_public_key_bits();
    std::memcpy(c->out, secret.data(), secret.size());
    std::memcpy(c->out + secret.size(), pub.data(), pub.size());
    c->out_len = secret.size() + pub.size();
}

template <typename Key> int generate(cs_case *c) noexcept
{
    return guarded([c] {
        const auto *s = static_cast<const Keygen448State *>(c->state);
        const auto draw = [c](Botan::RandomNumberGenerator &random) {
            const Key key(random);
            put(c, key, key.raw_private_key_bits());
        };
        if (s->seed.data == nullptr) {
            draw(rng());
        } else {
            SeedRng seeded(s->seed);
            draw(seeded);
        }
        return static_cast<int>(CS_OK);
    });
}

} // namespace

int setup_x448(cs_case *c) noexcept
{
    return guarded([c] {
        c->state = new X448State(c->key);
        c->out_len = c->pub.len;
        return static_cast<int>(CS_OK);
    });
}

/* Points of small order are refused with Invalid_Argument. */
int call_x448(cs_case *c) noexcept
{
    return guarded([c] {
        try {
            const auto *s = static_cast<const X448State *>(c->state);
            const Botan::SymmetricKey secret = s->agreement.derive_key(0, c->pub.data, c->pub.len);
            if (secret.length() != c->out_len)
                return static_cast<int>(CS_ERROR);
            std::memcpy(c->out, secret.begin(), c->out_len);
            return static_cast<int>(CS_OK);
        } catch (const Botan::Invalid_Argument &) {
            return static_cast<int>(CS_REJECTED);
        }
    });
}

void teardown_x448(cs_case *c) noexcept
{
    teardown<X448State>(c);
}

int setup_ed448_sign(cs_case *c) noexcept
{
    return guarded([c] {
        auto key = std::make_unique<Botan::Ed448_PrivateKey>(std::span(c->key.data, c->key.len));
        c->state = new SignState(std::move(key), "");
        return static_cast<int>(CS_OK);
    });
}

int setup_ed448_verify(cs_case *c) noexcept
{
    return guarded([c] {
        auto key = std::make_unique<Botan::Ed448_PublicKey>(std::span(c->pub.data, c->pub.len));
        c->state = new VerifyState(std::move(key), "");
        return static_cast<int>(CS_OK);
    });
}

int setup_keygen448(cs_case *c) noexcept
{
    return guarded([c] {
        c->state = new Keygen448State{cs_input(c, "seed")};
        return static_cast<int>(CS_OK);
    });
}

int call_x448_keygen(cs_case *c) noexcept
{
    return generate<Botan::X448_PrivateKey>(c);
}

int call_ed448_keygen(cs_case *c) noexcept
{
    return generate<Botan::Ed448_PrivateKey>(c);
}

void teardown_keygen448(cs_case *c) noexcept
{
    teardown<Keygen448State>(c);
}

} // namespace cs_botan
#endif
