/* SPDX-License-Identifier: Apache-2.0
 *
 * Crypto++: DSA, through PK_Signer, PK_Verifier and DL_GroupParameters_DSA.
 */
#include "adapter.h"
#include "dsa.h"

#include <cryptopp/algparam.h>
#include <cryptopp/argnames.h>
#include <cryptopp/gfpcrypt.h>
#include <cryptopp/sha.h>

namespace cs_cryptopp
{

namespace
{

using CryptoPP::Integer;
using Dsa = CryptoPP::DSA2<CryptoPP::SHA256>;
using Rfc6979 = CryptoPP::DSA_RFC6979<CryptoPP::SHA256>;

struct Signing {
    std::unique_ptr<CryptoPP::PK_Signer> signer;
};

struct Verifying {
    Dsa::Verifier verifier;
};

Integer number(cs_span bytes)
{
    return Integer(bytes.data, bytes.len);
}

template <typename Scheme> int setup_signer(cs_case *c) noexcept
{
    return setup<Signing>(c, CS_DSA_SIGNATURE, [c](Signing &s) {
        const cs_dsa_key of = cs_dsa_numbers(c);
        auto signer = std::make_unique<typename Scheme::Signer>();
        signer->AccessKey().Initialize(number(of.p), number(of.q), number(of.g), number(of.x));
        s.signer = std::move(signer);
        return static_cast<int>(CS_OK);
    });
}

int setup_dsa_sign(cs_case *c) noexcept
{
    return setup_signer<Dsa>(c);
}

int setup_dsa_rfc6979(cs_case *c) noexcept
{
    return setup_signer<Rfc6979>(c);
}

int call_dsa_sign(cs_case *c) noexcept
{
    return guarded([c] {
        const size_t len = state<Signing>(c).signer->SignMessage(rng(), c->msg.data, c->msg.len, c->out);
        return static_cast<int>(len == CS_DSA_SIGNATURE ? CS_OK : CS_ERROR);
    });
}

int setup_dsa_verify(cs_case *c) noexcept
{
    return setup<Verifying>(c, 0, [c](Verifying &s) {
        const cs_dsa_key of = cs_dsa_numbers(c);
        s.verifier.AccessKey().Initialize(number(of.p), number(of.q), number(of.g), number(of.y));
        return static_cast<int>(CS_OK);
    });
}

/* The library takes the first bytes of what it needs and does not look at the length. */
int call_dsa_verify(cs_case *c) noexcept
{
    return guarded([c] {
        if (c->sig.len != CS_DSA_SIGNATURE)
            return static_cast<int>(CS_REJECTED);
        const auto &verifier = state<Verifying>(c).verifier;
        const bool valid = verifier.VerifyMessage(c->msg.data, c->msg.len, c->sig.data, c->sig.len);
        return static_cast<int>(valid ? CS_OK : CS_REJECTED);
    });
}

int setup_dsa_generate(cs_case *) noexcept
{
    return CS_OK;
}

/* A key takes its domain parameters as numbers and computes with those that it then holds: reading them is part of the
 * call. */
int call_dsa_keygen(cs_case *c) noexcept
{
    return guarded([c] {
        const cs_dsa_key &of = cs_dsa_rfc5114;
        const cs_dsa_pair pair = cs_dsa_new_pair(c);
        Dsa::PrivateKey key;
        Dsa::PublicKey pub;
        key.Initialize(rng(), number(of.p), number(of.q), number(of.g));
        key.MakePublicKey(pub);
        key.GetPrivateExponent().Encode(pair.x, CS_DSA_Q);
        pub.GetPublicElement().Encode(pair.y, CS_DSA_P);
        return static_cast<int>(CS_OK);
    });
}

int call_dsa_paramgen(cs_case *c) noexcept
{
    return guarded([c] {
        CryptoPP::DL_GroupParameters_DSA made;
        made.GenerateRandom(rng(), CryptoPP::MakeParameters(CryptoPP::Name::ModulusSize(), int(CS_DSA_P_BITS))(
                                       CryptoPP::Name::SubgroupOrderSize(), int(CS_DSA_Q_BITS)));
        made.GetModulus().Encode(c->out, CS_DSA_P);
        made.GetSubgroupOrder().Encode(c->out + CS_DSA_AT_Q, CS_DSA_Q);
        made.GetSubgroupGenerator().Encode(c->out + CS_DSA_AT_G, CS_DSA_P);
        c->out_len = CS_DSA_DOMAIN;
        return static_cast<int>(CS_OK);
    });
}

#define DSA_KEY_ROW(VERB, IMPL, NAME, SETUP, STATE)                                                                    \
    {.id = "dsa-2048-sha256/" #VERB,                                                                                   \
     .impl = IMPL,                                                                                                     \
     .name = NAME,                                                                                                     \
     .setup = SETUP,                                                                                                   \
     .call = call_dsa_##VERB,                                                                                          \
     .teardown = teardown<STATE>,                                                                                      \
     .form = "p1363",                                                                                                  \
     .rekey = cs_setup_again,                                                                                          \
     .seed = seed_rng,                                                                                                 \
     .counts_random = 1}
#define DSA_GENERATE_ROW(VERB, NAME)                                                                                   \
    {.id = "dsa-2048-sha256/" #VERB,                                                                                   \
     .impl = "default",                                                                                                \
     .name = NAME,                                                                                                     \
     .setup = setup_dsa_generate,                                                                                      \
     .call = call_dsa_##VERB,                                                                                          \
     .seed = seed_rng,                                                                                                 \
     .counts_random = 1}

const cs_op rows[] = {
    DSA_KEY_ROW(sign, "default", "DSA2<SHA256>::Signer", setup_dsa_sign, Signing),
    DSA_KEY_ROW(sign, "rfc6979", "DSA_RFC6979<SHA256>::Signer", setup_dsa_rfc6979, Signing),
    DSA_KEY_ROW(verify, "default", "DSA2<SHA256>::Verifier", setup_dsa_verify, Verifying),
    DSA_GENERATE_ROW(keygen, "DSA2<SHA256>::PrivateKey::Initialize"),
    DSA_GENERATE_ROW(paramgen, "DL_GroupParameters_DSA::GenerateRandom"),
};

} // namespace

const cs_table cryptopp_dsa = CS_TABLE(rows);

} // namespace cs_cryptopp
