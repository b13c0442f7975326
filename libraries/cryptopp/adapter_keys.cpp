/* SPDX-License-Identifier: Apache-2.0
 *
 * Crypto++: key generation, agreement with ephemeral keys, with the generator of the process or one that hands out a
 * seed, and multiples of the generator of a group.
 */
#include "adapter.h"

#include <cryptopp/eccrypto.h>
#include <cryptopp/oids.h>
#include <cryptopp/rsa.h>
#include <cryptopp/sha.h>
#include <cryptopp/xed25519.h>

#include <cstring>

namespace cs_cryptopp
{

namespace
{

using CryptoPP::ECP;
using CryptoPP::Integer;
using Ecdsa = CryptoPP::ECDSA<ECP, CryptoPP::SHA256>;
using Group = CryptoPP::DL_GroupParameters_EC<ECP>;

constexpr long rsa_public_exponent = 65537;

/* Returns the bytes of a seed. Throws if a caller draws more. */
class SeedRng final : public CryptoPP::RandomNumberGenerator
{
  public:
    explicit SeedRng(cs_span seed) : m_stream{seed}
    {
    }

    void GenerateBlock(CryptoPP::byte *output, size_t size) override
    {
        if (cs_draw(&m_stream, output, size) != CS_OK)
            throw CryptoPP::Exception(CryptoPP::Exception::OTHER_ERROR, "the seed has too few bytes");
    }

  private:
    cs_stream m_stream;
};

struct KeygenState {
    cs_span seed;
    CryptoPP::x25519 domain;
    Group group;
};

void put(cs_case *c, const CryptoPP::byte *data, size_t len)
{
    std::memcpy(c->out + c->out_len, data, len);
    c->out_len += len;
}

void put(cs_case *c, const Integer &number, size_t len)
{
    number.Encode(c->out + c->out_len, len);
    c->out_len += len;
}

/* Runs `generate` with the generator that this case draws from. */
template <typename Generate> int with_generator(cs_case *c, Generate generate) noexcept
{
    return guarded([c, generate] {
        const auto &s = state<KeygenState>(c);
        c->out_len = 0;
        if (s.seed.data == nullptr) {
            generate(c, rng());
        } else {
            SeedRng seeded(s.seed);
            generate(c, seeded);
        }
        return static_cast<int>(CS_OK);
    });
}

int setup_keygen(cs_case *c) noexcept
{
    return setup<KeygenState>(c, 0, [c](KeygenState &s) {
        s.seed = cs_input(c, "seed");
        s.group.Initialize(curve_of(c->op));
        return static_cast<int>(CS_OK);
    });
}

int call_x25519_keygen(cs_case *c) noexcept
{
    return with_generator(c, [](cs_case *of, CryptoPP::RandomNumberGenerator &random) {
        state<KeygenState>(of).domain.GenerateKeyPair(random, of->out, of->out + key_25519);
        of->out_len = 2 * key_25519;
    });
}

int call_ed25519_keygen(cs_case *c) noexcept
{
    return with_generator(c, [](cs_case *of, CryptoPP::RandomNumberGenerator &random) {
        CryptoPP::ed25519PrivateKey key;
        key.GenerateRandom(random, CryptoPP::g_nullNameValuePairs);
        put(of, key.GetPrivateKeyBytePtr(), key_25519);
        put(of, key.GetPublicKeyBytePtr(), key_25519);
    });
}

int call_ec_keygen(cs_case *c) noexcept
{
    return with_generator(c, [](cs_case *of, CryptoPP::RandomNumberGenerator &random) {
        Ecdsa::PrivateKey key;
        Ecdsa::PublicKey pub;
        key.Initialize(random, state<KeygenState>(of).group);
        key.MakePublicKey(pub);
        put(of, key.GetPrivateExponent(), number_size(of->op));
        pub.GetGroupParameters().EncodeElement(true, pub.GetPublicElement(), of->out + of->out_len);
        of->out_len += 2 * number_size(of->op) + 1;
    });
}

/* ---- agreement with an ephemeral key; Agree checks the peer's value, unless the caller switches this off ---- */

struct AgreeState {
    std::unique_ptr<CryptoPP::SimpleKeyAgreementDomain> domain;
    CryptoPP::SecByteBlock key;
};

int setup_agree(cs_case *c, std::unique_ptr<CryptoPP::SimpleKeyAgreementDomain> domain)
{
    return setup<AgreeState>(c, c->pub.len + domain->AgreedValueLength(), [&domain](AgreeState &s) {
        s.key.New(domain->PrivateKeyLength());
        s.domain = std::move(domain);
        return static_cast<int>(CS_OK);
    });
}

int setup_x25519_agree(cs_case *c) noexcept
{
    return guarded([c] { return setup_agree(c, std::make_unique<CryptoPP::x25519>()); });
}

int setup_ec_agree(cs_case *c) noexcept
{
    return guarded([c] { return setup_agree(c, std::make_unique<CryptoPP::ECDH<ECP>::Domain>(curve_of(c->op))); });
}

int call_agree(cs_case *c) noexcept
{
    return guarded([c] {
        auto &s = state<AgreeState>(c);
        s.domain->GenerateKeyPair(rng(), s.key, c->out);
        const bool agreed = s.domain->Agree(c->out + c->pub.len, s.key, c->pub.data);
        return static_cast<int>(agreed ? CS_OK : CS_BAD_KEY);
    });
}

/* ---- multiples of the generator ---- */

struct BaseState {
    Group group;
    Integer scalar;
};

int setup_base_of(cs_case *c, bool tables) noexcept
{
    return setup<BaseState>(c, 2 * number_size(c->op) + 1, [c, tables](BaseState &s) {
        s.group.Initialize(curve_of(c->op));
        s.scalar.Decode(c->key.data, c->key.len);
        if (tables)
            s.group.Precompute();
        return static_cast<int>(CS_OK);
    });
}

int setup_base(cs_case *c) noexcept
{
    return setup_base_of(c, false);
}

int setup_base_tables(cs_case *c) noexcept
{
    return setup_base_of(c, true);
}

int call_base(cs_case *c) noexcept
{
    return guarded([c] {
        const auto &s = state<BaseState>(c);
        s.group.EncodeElement(true, s.group.ExponentiateBase(s.scalar), c->out);
        return static_cast<int>(CS_OK);
    });
}

/* It takes a generator of random numbers, as each of these domains does, and draws nothing. */
int call_x25519_base(cs_case *c) noexcept
{
    return guarded([c] {
        state<CryptoPP::x25519>(c).GeneratePublicKey(CryptoPP::NullRNG(), c->key.data, c->out);
        return static_cast<int>(CS_OK);
    });
}

int setup_x25519_base(cs_case *c) noexcept
{
    return setup<CryptoPP::x25519>(c, key_25519, [](CryptoPP::x25519 &) { return static_cast<int>(CS_OK); });
}

const unsigned int rsa_2048 = 2048, rsa_3072 = 3072, rsa_4096 = 4096;

int setup_rsa_keygen(cs_case *c) noexcept
{
    return setup<KeygenState>(c, 0, [c](KeygenState &s) {
        s.seed = cs_input(c, "seed");
        return static_cast<int>(CS_OK);
    });
}

int call_rsa_keygen(cs_case *c) noexcept
{
    return with_generator(c, [](cs_case *of, CryptoPP::RandomNumberGenerator &random) {
        const unsigned int bits = *static_cast<const unsigned int *>(of->op->param);
        CryptoPP::InvertibleRSAFunction key;
        key.Initialize(random, bits, Integer(rsa_public_exponent));
        for (const auto *number :
             {&key.GetPrime1(), &key.GetPrime2(), &key.GetModPrime1PrivateExponent(),
              &key.GetModPrime2PrivateExponent(), &key.GetMultiplicativeInverseOfPrime2ModPrime1()})
            put(of, *number, CS_RSA_PART_OF(bits));
        put(of, key.GetModulus(), CS_RSA_MODULUS_OF(bits));
        put(of, key.GetPublicExponent(), CS_RSA_EXPONENT);
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
     .seed = seed_rng,                                                                                                 \
     .counts_random = 1,                                                                                               \
     .seeded = 1}
/* `param` is the length of the modulus in bits. */
#define RSA_KEYGEN_ROW(ALGORITHM, BITS)                                                                                \
    {.id = ALGORITHM "/keygen",                                                                                        \
     .impl = "default",                                                                                                \
     .name = "InvertibleRSAFunction::Initialize",                                                                      \
     .setup = setup_rsa_keygen,                                                                                        \
     .call = call_rsa_keygen,                                                                                          \
     .teardown = teardown<KeygenState>,                                                                                \
     .param = &BITS,                                                                                                   \
     .seed = seed_rng,                                                                                                 \
     .counts_random = 1}
#define AGREE_ROW(ALGORITHM, NAME, SETUP, CURVE)                                                                       \
    {.id = ALGORITHM "/agree",                                                                                         \
     .impl = "default",                                                                                                \
     .name = NAME "::GenerateKeyPair, Agree",                                                                          \
     .setup = SETUP,                                                                                                   \
     .call = call_agree,                                                                                               \
     .teardown = teardown<AgreeState>,                                                                                 \
     .param = CURVE,                                                                                                   \
     .rekey = cs_key_in_call,                                                                                          \
     .seed = seed_rng,                                                                                                 \
     .counts_random = 1}
#define BASE_ROW(ALGORITHM, IMPL, NAME, SETUP, CURVE)                                                                  \
    {.id = ALGORITHM "/multiply-base",                                                                                 \
     .impl = IMPL,                                                                                                     \
     .name = NAME,                                                                                                     \
     .setup = SETUP,                                                                                                   \
     .call = call_base,                                                                                                \
     .teardown = teardown<BaseState>,                                                                                  \
     .param = CURVE}
#define BASE_ROWS_OF(ALGORITHM, CURVE)                                                                                 \
    BASE_ROW(ALGORITHM, "default", "DL_GroupParameters_EC::ExponentiateBase", setup_base, CURVE),                      \
        BASE_ROW(ALGORITHM, "Precompute", "DL_GroupParameters_EC::ExponentiateBase, Precompute", setup_base_tables,    \
                 CURVE)
#define EC_KEYGEN_ROW(ALGORITHM, CURVE)                                                                                \
    KEYGEN_ROW(ALGORITHM, "DL_PrivateKey_EC::Initialize, MakePublicKey", call_ec_keygen, CURVE)

const cs_op rows[] = {
    AGREE_ROW("x25519", "x25519", setup_x25519_agree, nullptr),
    AGREE_ROW("p-256", "ECDH<ECP>::Domain", setup_ec_agree, nullptr),
    AGREE_ROW("p-384", "ECDH<ECP>::Domain", setup_ec_agree, secp384r1),
    {.id = "x25519/multiply-base",
     .impl = "default",
     .name = "x25519::GeneratePublicKey",
     .setup = setup_x25519_base,
     .call = call_x25519_base,
     .teardown = teardown<CryptoPP::x25519>},
    BASE_ROWS_OF("p-256", nullptr),
    BASE_ROWS_OF("secp256k1", secp256k1),
    BASE_ROWS_OF("p-384", secp384r1),
    BASE_ROWS_OF("p-521", secp521r1),
    KEYGEN_ROW("x25519", "x25519::GenerateKeyPair", call_x25519_keygen, nullptr),
    KEYGEN_ROW("ed25519", "ed25519PrivateKey::GenerateRandom", call_ed25519_keygen, nullptr),
    EC_KEYGEN_ROW("p-256", nullptr),
    EC_KEYGEN_ROW("secp256k1", secp256k1),
    EC_KEYGEN_ROW("p-384", secp384r1),
    EC_KEYGEN_ROW("p-521", secp521r1),
    EC_KEYGEN_ROW("brainpool-p256", brainpool),
    RSA_KEYGEN_ROW("rsa-2048", rsa_2048),
    RSA_KEYGEN_ROW("rsa-3072", rsa_3072),
    RSA_KEYGEN_ROW("rsa-4096", rsa_4096),
};

} // namespace

const cs_table cryptopp_keys = CS_TABLE(rows);

} // namespace cs_cryptopp
