/* SPDX-License-Identifier: Apache-2.0
 *
 * Botan: ML-DSA and SLH-DSA, of 3.6 and later, through ML_DSA_PrivateKey, SLH_DSA_PrivateKey, PK_Signer and
 * PK_Verifier.
 */
#include "adapter.h"

#if defined(BOTAN_HAS_ML_DSA) || defined(BOTAN_HAS_SLH_DSA_WITH_SHA2)
#include <cstring>
#include <span>

#if defined(BOTAN_HAS_ML_DSA)
#include <botan/ml_dsa.h>
#endif
#if defined(BOTAN_HAS_SLH_DSA_WITH_SHA2)
#include <botan/slh_dsa.h>
#endif

namespace cs_botan
{

namespace
{

struct KeygenState {
    cs_span seed;
};

const char *set_of(const cs_case *c)
{
    return static_cast<const char *>(c->op->param);
}

std::span<const uint8_t> bytes(cs_span span)
{
    return std::span(span.data, span.len);
}

/* A public key whose length is right and whose contents are not is one that must be refused. */
template <typename Open> int open_verifier(cs_case *c, Open open) noexcept
{
    return guarded([c, open] {
        c->state = new VerifyState(open(), "");
        return static_cast<int>(CS_OK);
    });
}

/* `make(generator)` draws a key pair; `put(key, out)` stores its private part and returns its length. */
template <typename Make, typename Put> int generate(cs_case *c, Make make, Put put) noexcept
{
    return guarded([c, make, put] {
        const auto *s = static_cast<const KeygenState *>(c->state);
        const auto give = [c, put](const auto &key) {
            const size_t len = put(key, c->out);
            const auto pub = key.public_key_bits();
            std::memcpy(c->out + len, pub.data(), pub.size());
            c->out_len = len + pub.size();
        };
        if (s->seed.data == nullptr) {
            give(make(rng()));
        } else {
            SeedRng seeded(s->seed);
            give(make(seeded));
        }
        return static_cast<int>(CS_OK);
    });
}

int setup_pq_keygen(cs_case *c) noexcept
{
    return guarded([c] {
        c->state = new KeygenState{cs_input(c, "seed")};
        return static_cast<int>(CS_OK);
    });
}

/* ---- ML-DSA ---- */

#if defined(BOTAN_HAS_ML_DSA)
int ml_dsa_signer(cs_case *c, const char *how) noexcept
{
    return guarded([c, how] {
        auto key = std::make_unique<Botan::ML_DSA_PrivateKey>(bytes(c->key), Botan::ML_DSA_Mode(set_of(c)));
        c->state = new SignState(std::move(key), how);
        return static_cast<int>(CS_OK);
    });
}

int setup_ml_dsa_sign(cs_case *c) noexcept
{
    return ml_dsa_signer(c, "Randomized");
}

int setup_ml_dsa_sign_deterministic(cs_case *c) noexcept
{
    return ml_dsa_signer(c, "Deterministic");
}

int setup_ml_dsa_verify(cs_case *c) noexcept
{
    return open_verifier(
        c, [c] { return std::make_unique<Botan::ML_DSA_PublicKey>(bytes(c->pub), Botan::ML_DSA_Mode(set_of(c))); });
}

/* The private key is its seed, which versions write with and without a header before it. */
int call_ml_dsa_keygen(cs_case *c) noexcept
{
    constexpr size_t seed_size = 32;

    return generate(
        c,
        [c](Botan::RandomNumberGenerator &random) {
            return Botan::ML_DSA_PrivateKey(random, Botan::ML_DSA_Mode(set_of(c)));
        },
        [](const Botan::ML_DSA_PrivateKey &key, uint8_t *out) {
            const auto secret = key.private_key_bits();
            std::memcpy(out, secret.data() + (secret.size() - seed_size), seed_size);
            return seed_size;
        });
}
#endif

/* ---- SLH-DSA ---- */

#if defined(BOTAN_HAS_SLH_DSA_WITH_SHA2)
int slh_dsa_signer(cs_case *c, const char *how) noexcept
{
    return guarded([c, how] {
        const auto set = Botan::SLH_DSA_Parameters::create(set_of(c));
        c->state = new SignState(std::make_unique<Botan::SLH_DSA_PrivateKey>(bytes(c->key), set), how);
        return static_cast<int>(CS_OK);
    });
}

int setup_slh_dsa_sign(cs_case *c) noexcept
{
    return slh_dsa_signer(c, "Randomized");
}

int setup_slh_dsa_sign_deterministic(cs_case *c) noexcept
{
    return slh_dsa_signer(c, "Deterministic");
}

int setup_slh_dsa_verify(cs_case *c) noexcept
{
    return open_verifier(c, [c] {
        return std::make_unique<Botan::SLH_DSA_PublicKey>(bytes(c->pub), Botan::SLH_DSA_Parameters::create(set_of(c)));
    });
}

int call_slh_dsa_keygen(cs_case *c) noexcept
{
    return generate(
        c,
        [c](Botan::RandomNumberGenerator &random) {
            return Botan::SLH_DSA_PrivateKey(random, Botan::SLH_DSA_Parameters::create(set_of(c)));
        },
        [](const Botan::SLH_DSA_PrivateKey &key, uint8_t *out) {
            const auto secret = key.private_key_bits();
            std::memcpy(out, secret.data(), secret.size());
            return secret.size();
        });
}
#endif

/* `SET` is the name by which Botan knows the parameter set. */
#define PQ_SIGN_ROW(ALGORITHM, SET, IMPL, WORD, SETUP)                                                                 \
    {.id = ALGORITHM "/sign",                                                                                          \
     .impl = IMPL,                                                                                                     \
     .name = "PK_Signer " WORD,                                                                                        \
     .setup = SETUP,                                                                                                   \
     .call = call_sign,                                                                                                \
     .teardown = teardown<SignState>,                                                                                  \
     .param = SET,                                                                                                     \
     .rekey = cs_setup_again,                                                                                          \
     .seed = seed_rng,                                                                                                 \
     .counts_random = 1}
#define PQ_ROWS_OF(ALGORITHM, SET, FAMILY, CLASS)                                                                      \
    {.id = ALGORITHM "/keygen",                                                                                        \
     .impl = "default",                                                                                                \
     .name = CLASS,                                                                                                    \
     .setup = setup_pq_keygen,                                                                                         \
     .call = call_##FAMILY##_keygen,                                                                                   \
     .teardown = teardown<KeygenState>,                                                                                \
     .param = SET,                                                                                                     \
     .seed = seed_rng,                                                                                                 \
     .counts_random = 1,                                                                                               \
     .seeded = 1},                                                                                                     \
        PQ_SIGN_ROW(ALGORITHM, SET, "default", "Randomized", setup_##FAMILY##_sign),                                   \
        PQ_SIGN_ROW(ALGORITHM, SET, "deterministic", "Deterministic", setup_##FAMILY##_sign_deterministic),            \
    {                                                                                                                  \
        .id = ALGORITHM "/verify", .impl = "default", .name = "PK_Verifier", .setup = setup_##FAMILY##_verify,         \
        .call = call_verify_message, .teardown = teardown<VerifyState>, .param = SET, .rekey = cs_setup_again          \
    }

const cs_op rows[] = {
#if defined(BOTAN_HAS_ML_DSA)
    PQ_ROWS_OF("ml-dsa-44", "ML-DSA-4x4", ml_dsa, "ML_DSA_PrivateKey"),
    PQ_ROWS_OF("ml-dsa-65", "ML-DSA-6x5", ml_dsa, "ML_DSA_PrivateKey"),
    PQ_ROWS_OF("ml-dsa-87", "ML-DSA-8x7", ml_dsa, "ML_DSA_PrivateKey"),
#endif
#if defined(BOTAN_HAS_SLH_DSA_WITH_SHA2)
    PQ_ROWS_OF("slh-dsa-sha2-128s", "SLH-DSA-SHA2-128s", slh_dsa, "SLH_DSA_PrivateKey"),
    PQ_ROWS_OF("slh-dsa-sha2-128f", "SLH-DSA-SHA2-128f", slh_dsa, "SLH_DSA_PrivateKey"),
#endif
};

} // namespace

const cs_table botan_pq = CS_TABLE(rows);

} // namespace cs_botan

#else
const cs_table cs_botan::botan_pq = {nullptr, 0};
#endif
