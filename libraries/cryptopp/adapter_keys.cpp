/* SPDX-License-Identifier: Apache-2.0
 *
 * Crypto++: key generation, agreement with ephemeral keys, with the generator of the process or one that hands out a
 * seed, and multiples of the generator of a group.
 */
#include "adapter_keys.h"

#include <cryptopp/eccrypto.h>
#include <cryptopp/oids.h>
#include <cryptopp/rsa.h>
#include <cryptopp/sha.h>
#include <cryptopp/xed25519.h>

#include <cstring>
#include <memory>

namespace cs_cryptopp
{

using CryptoPP::ECP;
using CryptoPP::Integer;
using Ecdsa = CryptoPP::ECDSA<ECP, CryptoPP::SHA256>;
using Group = CryptoPP::DL_GroupParameters_EC<ECP>;

namespace
{

constexpr long rsa_public_exponent = 65537;

/* Hands out a seed; who draws more than it has gets an exception. */
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

} // namespace

int setup_keygen(cs_case *c) noexcept
{
    return setup<KeygenState>(c, 0, [c](KeygenState &s) {
        s.seed = cs_input(c, "seed");
        s.group.Initialize(curve_of(c->op));
        return static_cast<int>(CS_OK);
    });
}

void teardown_keygen(cs_case *c) noexcept
{
    teardown<KeygenState>(c);
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

/* ---- agreement with an ephemeral key; Agree checks the peer's value unless it is told not to ---- */

struct AgreeState {
    std::unique_ptr<CryptoPP::SimpleKeyAgreementDomain> domain;
    CryptoPP::SecByteBlock key;
};

static int setup_agree(cs_case *c, std::unique_ptr<CryptoPP::SimpleKeyAgreementDomain> domain)
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

void teardown_agree(cs_case *c) noexcept
{
    teardown<AgreeState>(c);
}

/* ---- multiples of the generator ---- */

struct BaseState {
    Group group;
    Integer scalar;
};

static int setup_base_of(cs_case *c, bool tables) noexcept
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

void teardown_base(cs_case *c) noexcept
{
    teardown<BaseState>(c);
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

void teardown_x25519_base(cs_case *c) noexcept
{
    teardown<CryptoPP::x25519>(c);
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

} // namespace cs_cryptopp
