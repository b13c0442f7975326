/* SPDX-License-Identifier: Apache-2.0
 *
 * Botan: ML-KEM, of 3.6 and later, through ML_KEM_PrivateKey, PK_KEM_Encryptor and PK_KEM_Decryptor.
 */
#include "adapter.h"

#if defined(BOTAN_HAS_ML_KEM)

#include <botan/ml_kem.h>

#include <cstring>
#include <span>

namespace cs_botan
{

namespace
{

constexpr size_t secret_size = 32;

Botan::ML_KEM_Mode mode_of(const cs_case *c)
{
    return Botan::ML_KEM_Mode(static_cast<const char *>(c->op->param));
}

struct KemKeygenState {
    cs_span seed;
    Botan::ML_KEM_Mode mode;
};

struct EncapsState {
    cs_span seed;
    Botan::ML_KEM_PublicKey key;
    Botan::PK_KEM_Encryptor encryptor;

    explicit EncapsState(const cs_case *c)
        : seed(cs_input(c, "seed")), key(std::span(c->pub.data, c->pub.len), mode_of(c)), encryptor(key, "Raw")
    {
    }
};

struct DecapsState {
    Botan::ML_KEM_PrivateKey key;
    Botan::PK_KEM_Decryptor decryptor;

    explicit DecapsState(const cs_case *c)
        : key(std::span(c->key.data, c->key.len), mode_of(c)), decryptor(key, rng(), "Raw")
    {
    }
};

/* Runs `draw` with the generator that this case draws from. */
template <typename Draw> void drawing(cs_span seed, Draw draw)
{
    if (seed.data == nullptr) {
        draw(rng());
    } else {
        SeedRng seeded(seed);
        draw(seeded);
    }
}

/* A key of the right length, which the SDK sees to, that a constructor does not take fails the check of its contents.
 */
template <typename State> int open_key(cs_case *c) noexcept
{
    return guarded([c] {
        try {
            c->state = new State(c);
            return static_cast<int>(CS_OK);
        } catch (const Botan::Invalid_Argument &) {
            return static_cast<int>(CS_BAD_KEY);
        } catch (const Botan::Decoding_Error &) {
            return static_cast<int>(CS_BAD_KEY);
        }
    });
}

int setup_kem_keygen(cs_case *c) noexcept
{
    return guarded([c] {
        c->state = new KemKeygenState{cs_input(c, "seed"), mode_of(c)};
        return static_cast<int>(CS_OK);
    });
}

int call_kem_keygen(cs_case *c) noexcept
{
    return guarded([c] {
        const auto *s = static_cast<const KemKeygenState *>(c->state);
        drawing(s->seed, [c, s](Botan::RandomNumberGenerator &random) {
            const Botan::ML_KEM_PrivateKey key(random, s->mode);
            const auto secret = key.private_key_bits_with_format(Botan::MlPrivateKeyFormat::Expanded);
            const auto pub = key.public_key_bits();
            std::memcpy(c->out, secret.data(), secret.size());
            std::memcpy(c->out + secret.size(), pub.data(), pub.size());
            c->out_len = secret.size() + pub.size();
        });
        return static_cast<int>(CS_OK);
    });
}

int setup_encaps(cs_case *c) noexcept
{
    return open_key<EncapsState>(c);
}

int call_encaps(cs_case *c) noexcept
{
    return guarded([c] {
        auto *s = static_cast<EncapsState *>(c->state);
        drawing(s->seed, [c, s](Botan::RandomNumberGenerator &random) {
            const size_t length = s->encryptor.encapsulated_key_length();
            s->encryptor.encrypt(std::span(c->out, length), std::span(c->out + length, secret_size), random,
                                 secret_size);
            c->out_len = length + secret_size;
        });
        return static_cast<int>(CS_OK);
    });
}

int setup_decaps(cs_case *c) noexcept
{
    c->out_len = secret_size;
    return open_key<DecapsState>(c);
}

int call_decaps(cs_case *c) noexcept
{
    return guarded([c] {
        auto *s = static_cast<DecapsState *>(c->state);
        try {
            s->decryptor.decrypt(std::span(c->out, secret_size), std::span(c->msg.data, c->msg.len), secret_size);
        } catch (const Botan::Decoding_Error &) { /* a ciphertext of another length */
            return static_cast<int>(CS_REJECTED);
        }
        return static_cast<int>(CS_OK);
    });
}

/* `param` is Botan's name of the parameter set. */
#define KEM_ROW(ALGORITHM, PARAMETERS, VERB, NAME, SETUP, STATE, REKEY, SEEDED)                                        \
    {.id = ALGORITHM "/" VERB,                                                                                         \
     .impl = "default",                                                                                                \
     .name = NAME,                                                                                                     \
     .setup = setup_##SETUP,                                                                                           \
     .call = call_##SETUP,                                                                                             \
     .teardown = teardown<STATE>,                                                                                      \
     .param = PARAMETERS,                                                                                              \
     .rekey = REKEY,                                                                                                   \
     .seed = seed_rng,                                                                                                 \
     .counts_random = 1,                                                                                               \
     .seeded = SEEDED}
#define KEM_ROWS_OF(ALGORITHM, PARAMETERS)                                                                             \
    KEM_ROW(ALGORITHM, PARAMETERS, "keygen", "ML_KEM_PrivateKey", kem_keygen, KemKeygenState, nullptr, 1),             \
        KEM_ROW(ALGORITHM, PARAMETERS, "encaps", "PK_KEM_Encryptor", encaps, EncapsState, cs_setup_again, 1),          \
        KEM_ROW(ALGORITHM, PARAMETERS, "decaps", "PK_KEM_Decryptor", decaps, DecapsState, cs_setup_again, 0)

const cs_op rows[] = {KEM_ROWS_OF("ml-kem-512", "ML-KEM-512"), KEM_ROWS_OF("ml-kem-768", "ML-KEM-768"),
                      KEM_ROWS_OF("ml-kem-1024", "ML-KEM-1024")};

} // namespace

const cs_table botan_kem = CS_TABLE(rows);

} // namespace cs_botan

#else
const cs_table cs_botan::botan_kem = {nullptr, 0};
#endif
