/* SPDX-License-Identifier: Apache-2.0
 *
 * Botan: X448 and Ed448, of 3.4 and later, through PK_Key_Agreement, PK_Signer and PK_Verifier.
 */
#include "adapter.h"

#if defined(BOTAN_HAS_X448) && defined(BOTAN_HAS_ED448)
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

#define KEYGEN448_ROW(ALGORITHM, NAME, CALL)                                                                           \
    {.id = ALGORITHM "/keygen",                                                                                        \
     .impl = "default",                                                                                                \
     .name = NAME,                                                                                                     \
     .setup = setup_keygen448,                                                                                         \
     .call = CALL,                                                                                                     \
     .teardown = teardown<Keygen448State>,                                                                             \
     .seed = seed_rng,                                                                                                 \
     .counts_random = 1,                                                                                               \
     .seeded = 1}

const cs_op rows[] = {
    {.id = "x448/derive",
     .impl = "default",
     .name = "PK_Key_Agreement X448",
     .setup = setup_x448,
     .call = call_x448,
     .teardown = teardown<X448State>,
     .rekey = cs_setup_again,
     .seed = seed_rng,
     .counts_random = 1},
    {.id = "ed448/sign",
     .impl = "default",
     .name = "PK_Signer Ed448",
     .setup = setup_ed448_sign,
     .call = call_sign,
     .teardown = teardown<SignState>,
     .rekey = cs_setup_again,
     .seed = seed_rng,
     .counts_random = 1},
    {.id = "ed448/verify",
     .impl = "default",
     .name = "PK_Verifier Ed448",
     .setup = setup_ed448_verify,
     .call = call_verify_message,
     .teardown = teardown<VerifyState>,
     .rekey = cs_setup_again},
    KEYGEN448_ROW("x448", "X448_PrivateKey", call_x448_keygen),
    KEYGEN448_ROW("ed448", "Ed448_PrivateKey", call_ed448_keygen),
};

} // namespace

const cs_table botan_curve448 = CS_TABLE(rows);

} // namespace cs_botan

#else
const cs_table cs_botan::botan_curve448 = {nullptr, 0};
#endif
