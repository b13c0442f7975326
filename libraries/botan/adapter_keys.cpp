/* SPDX-License-Identifier: Apache-2.0
 *
 * Botan: key generation, and agreement with ephemeral keys. A private key's constructor takes a generator: the one of
 * the process, or one that hands out a seed.
 */
#include "adapter.h"

#include <botan/curve25519.h>
#include <botan/ecdsa.h>
#include <botan/ed25519.h>
#include <botan/rsa.h>

#if defined(BOTAN_HAS_ECDH)
#include <botan/ecdh.h>
#endif

#include <cstring>
#include <initializer_list>

namespace cs_botan
{

namespace
{

constexpr size_t key_25519 = 32;
constexpr size_t rsa_public_exponent = 65537;

struct KeygenState {
    cs_span seed;
    Botan::EC_Group group;
};

void put(cs_case *c, const uint8_t *data, size_t len)
{
    std::memcpy(c->out + c->out_len, data, len);
    c->out_len += len;
}

template <typename Bytes> void put(cs_case *c, const Bytes &bytes)
{
    put(c, bytes.data(), bytes.size());
}

void put(cs_case *c, const Botan::BigInt &number, size_t len)
{
    number.binary_encode(c->out + c->out_len + len - number.bytes());
    std::memset(c->out + c->out_len, 0, len - number.bytes());
    c->out_len += len;
}

/* Runs `make` with the generator that this case draws from. */
template <typename Make> int generate(cs_case *c, Make make) noexcept
{
    return guarded([c, make] {
        const auto *s = static_cast<const KeygenState *>(c->state);
        c->out_len = 0;
        if (s->seed.data == nullptr) {
            make(c, rng());
        } else {
            SeedRng seeded(s->seed);
            make(c, seeded);
        }
        return static_cast<int>(CS_OK);
    });
}

int setup_keygen(cs_case *c) noexcept
{
    return guarded([c] {
        c->state = new KeygenState{cs_input(c, "seed"), group_of(c->op)};
        return static_cast<int>(CS_OK);
    });
}

int call_x25519_keygen(cs_case *c) noexcept
{
    return generate(c, [](cs_case *of, Botan::RandomNumberGenerator &random) {
        const Botan::X25519_PrivateKey key(random);
        put(of, key.get_x());
        put(of, key.public_value());
    });
}

/* The private key is kept as the seed with the public key behind it. */
int call_ed25519_keygen(cs_case *c) noexcept
{
    return generate(c, [](cs_case *of, Botan::RandomNumberGenerator &random) {
        const Botan::Ed25519_PrivateKey key(random);
        put(of, key.get_private_key().data(), key_25519);
        put(of, key.get_public_key());
    });
}

int call_ec_keygen(cs_case *c) noexcept
{
    return generate(c, [](cs_case *of, Botan::RandomNumberGenerator &random) {
        const auto *s = static_cast<const KeygenState *>(of->state);
        const Botan::ECDSA_PrivateKey key(random, s->group);
        put(of, key.private_value(), s->group.get_p_bytes());
        put(of, key.public_key_bits());
    });
}

/* ---- agreement with an ephemeral key ---- */

template <typename Key> int agree(cs_case *c, const Key &own)
{
    const Botan::PK_Key_Agreement agreement(own, rng(), "Raw");
    c->out_len = 0;
    put(c, own.public_value());
    try {
        const auto secret = agreement.derive_key(0, c->pub.data, c->pub.len);
        put(c, secret.begin(), secret.length());
        return CS_OK;
    } catch (const Botan::Exception &) {
        /* Versions differ in the exception for what is no point; the length cannot be the cause, the SDK has checked
         * it. */
        return CS_BAD_KEY;
    }
}

int call_x25519_agree(cs_case *c) noexcept
{
    return guarded([c] { return agree(c, Botan::X25519_PrivateKey(rng())); });
}

#if defined(BOTAN_HAS_ECDH)
int call_ec_agree(cs_case *c) noexcept
{
    return guarded([c] {
        const auto *s = static_cast<const KeygenState *>(c->state);
        return agree(c, Botan::ECDH_PrivateKey(rng(), s->group));
    });
}
#endif

const size_t rsa_2048 = 2048, rsa_3072 = 3072, rsa_4096 = 4096;

int setup_rsa_keygen(cs_case *c) noexcept
{
    return guarded([c] {
        c->state = new KeygenState{cs_input(c, "seed"), Botan::EC_Group()};
        return static_cast<int>(CS_OK);
    });
}

int call_rsa_keygen(cs_case *c) noexcept
{
    return generate(c, [](cs_case *of, Botan::RandomNumberGenerator &random) {
        const size_t bits = *static_cast<const size_t *>(of->op->param);
        const Botan::RSA_PrivateKey key(random, bits, rsa_public_exponent);
        for (const auto *number : {&key.get_p(), &key.get_q(), &key.get_d1(), &key.get_d2(), &key.get_c()})
            put(of, *number, CS_RSA_PART_OF(bits));
        put(of, key.get_n(), CS_RSA_MODULUS_OF(bits));
        put(of, key.get_e(), CS_RSA_EXPONENT);
    });
}

#define KEYGEN_ROW(ALGORITHM, NAME, CALL, CURVE)                                                                       \
    {.id = ALGORITHM "/keygen",                                                                                        \
     .impl = "default",                                                                                                \
     .name = NAME,                                                                                                     \
     .setup = setup_keygen,                                                                                            \
     .call = CALL,                                                                                                     \
     .teardown = teardown<KeygenState>,                                                                                \
     .param = CURVE,                                                                                                   \
     .unavailable = curve_unavailable,                                                                                 \
     .seed = seed_rng,                                                                                                 \
     .counts_random = 1,                                                                                               \
     .seeded = 1}
/* `param` is the length of the modulus in bits. */
#define RSA_KEYGEN_ROW(ALGORITHM, BITS)                                                                                \
    {.id = ALGORITHM "/keygen",                                                                                        \
     .impl = "default",                                                                                                \
     .name = "RSA_PrivateKey",                                                                                         \
     .setup = setup_rsa_keygen,                                                                                        \
     .call = call_rsa_keygen,                                                                                          \
     .teardown = teardown<KeygenState>,                                                                                \
     .param = &BITS,                                                                                                   \
     .seed = seed_rng,                                                                                                 \
     .counts_random = 1}
#define AGREE_ROW(ALGORITHM, NAME, CALL, CURVE)                                                                        \
    {.id = ALGORITHM "/agree",                                                                                         \
     .impl = "default",                                                                                                \
     .name = NAME ", PK_Key_Agreement",                                                                                \
     .setup = setup_keygen,                                                                                            \
     .call = CALL,                                                                                                     \
     .teardown = teardown<KeygenState>,                                                                                \
     .param = CURVE,                                                                                                   \
     .unavailable = curve_unavailable,                                                                                 \
     .rekey = cs_key_in_call,                                                                                          \
     .seed = seed_rng,                                                                                                 \
     .counts_random = 1}

const cs_op rows[] = {
#if defined(BOTAN_HAS_ECDH)
    AGREE_ROW("p-256", "ECDH_PrivateKey", call_ec_agree, nullptr),
    AGREE_ROW("p-384", "ECDH_PrivateKey", call_ec_agree, "secp384r1"),
#endif
    AGREE_ROW("x25519", "X25519_PrivateKey", call_x25519_agree, nullptr),
    KEYGEN_ROW("x25519", "X25519_PrivateKey", call_x25519_keygen, nullptr),
    KEYGEN_ROW("ed25519", "Ed25519_PrivateKey", call_ed25519_keygen, nullptr),
    KEYGEN_ROW("p-256", "ECDSA_PrivateKey", call_ec_keygen, nullptr),
    KEYGEN_ROW("secp256k1", "ECDSA_PrivateKey", call_ec_keygen, "secp256k1"),
    KEYGEN_ROW("p-384", "ECDSA_PrivateKey", call_ec_keygen, "secp384r1"),
    KEYGEN_ROW("p-521", "ECDSA_PrivateKey", call_ec_keygen, "secp521r1"),
    KEYGEN_ROW("brainpool-p256", "ECDSA_PrivateKey", call_ec_keygen, "brainpool256r1"),
    RSA_KEYGEN_ROW("rsa-2048", rsa_2048),
    RSA_KEYGEN_ROW("rsa-3072", rsa_3072),
    RSA_KEYGEN_ROW("rsa-4096", rsa_4096),
};

} // namespace

const cs_table botan_keys = CS_TABLE(rows);

} // namespace cs_botan
