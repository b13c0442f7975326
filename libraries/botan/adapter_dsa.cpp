/* SPDX-License-Identifier: Apache-2.0
 *
 * Botan: DSA, through PK_Signer, PK_Verifier and DL_Group.
 */
#include "adapter.h"

#if defined(BOTAN_HAS_DSA)
#include "dsa.h"

#include <botan/dl_group.h>
#include <botan/dsa.h>

#include <cstring>
#include <memory>
#if BOTAN_VERSION_MAJOR >= 3
#include <span>
#endif

namespace cs_botan
{

namespace
{

#if BOTAN_VERSION_MAJOR >= 3
constexpr const char *padding = "SHA-256";
#else
constexpr const char *padding = "EMSA1(SHA-256)";
#endif

Botan::BigInt number(cs_span bytes)
{
    return Botan::BigInt(bytes.data, bytes.len);
}

Botan::DL_Group group_of(const cs_dsa_key &of)
{
    return Botan::DL_Group(number(of.p), number(of.q), number(of.g));
}

void put(const Botan::BigInt &value, uint8_t *out, size_t len)
{
#if BOTAN_VERSION_MAJOR >= 3
    value.serialize_to(std::span(out, len));
#else
    std::memset(out, 0, len - value.bytes());
    value.binary_encode(out + len - value.bytes());
#endif
}

std::unique_ptr<Botan::DSA_PrivateKey> private_key(const cs_dsa_key &of)
{
#if BOTAN_VERSION_MAJOR >= 3
    return std::make_unique<Botan::DSA_PrivateKey>(group_of(of), number(of.x));
#else
    return std::make_unique<Botan::DSA_PrivateKey>(rng(), group_of(of), number(of.x));
#endif
}

struct DsaGroup {
    cs_span seed;
    Botan::DL_Group group;
};

void generate(cs_case *c, Botan::RandomNumberGenerator &random)
{
    const Botan::DSA_PrivateKey key(random, static_cast<const DsaGroup *>(c->state)->group);
    const cs_dsa_pair pair = cs_dsa_new_pair(c);
#if BOTAN_VERSION_MAJOR >= 3
    put(key.get_int_field("x"), pair.x, CS_DSA_Q);
    put(key.get_int_field("y"), pair.y, CS_DSA_P);
#else
    put(key.get_x(), pair.x, CS_DSA_Q);
    put(key.get_y(), pair.y, CS_DSA_P);
#endif
}

int setup_dsa_sign(cs_case *c) noexcept
{
    return guarded([c] {
        c->state = new SignState(private_key(cs_dsa_numbers(c)), padding);
        return static_cast<int>(CS_OK);
    });
}

int setup_dsa_verify(cs_case *c) noexcept
{
    return guarded([c] {
        const cs_dsa_key of = cs_dsa_numbers(c);
        c->state = new VerifyState(std::make_unique<Botan::DSA_PublicKey>(group_of(of), number(of.y)), padding);
        return static_cast<int>(CS_OK);
    });
}

int setup_dsa_keygen(cs_case *c) noexcept
{
    return guarded([c] {
        c->state = new DsaGroup{cs_input(c, "seed"), group_of(cs_dsa_rfc5114)};
        return static_cast<int>(CS_OK);
    });
}

int call_dsa_keygen(cs_case *c) noexcept
{
    return guarded([c] {
        const auto *s = static_cast<const DsaGroup *>(c->state);
        if (s->seed.data == nullptr) {
            generate(c, rng());
        } else {
            SeedRng seeded(s->seed);
            generate(c, seeded);
        }
        return static_cast<int>(CS_OK);
    });
}

int setup_dsa_paramgen(cs_case *c) noexcept
{
    c->out_len = CS_DSA_DOMAIN;
    return CS_OK;
}

int call_dsa_paramgen(cs_case *c) noexcept
{
    return guarded([c] {
        const Botan::DL_Group made(rng(), Botan::DL_Group::DSA_Kosherizer, CS_DSA_P_BITS, CS_DSA_Q_BITS);
        put(made.get_p(), c->out, CS_DSA_P);
        put(made.get_q(), c->out + CS_DSA_AT_Q, CS_DSA_Q);
        put(made.get_g(), c->out + CS_DSA_AT_G, CS_DSA_P);
        return static_cast<int>(CS_OK);
    });
}

/* A signature is as long as that of ECDSA on P-256, which is what call_verify takes without a `param`. */
#define DSA_ROW(VERB, NAME, SETUP, CALL, TEARDOWN, ...)                                                                \
    {.id = "dsa-2048-sha256/" VERB,                                                                                    \
     .impl = "default",                                                                                                \
     .name = NAME,                                                                                                     \
     .setup = SETUP,                                                                                                   \
     .call = CALL,                                                                                                     \
     .teardown = TEARDOWN,                                                                                             \
     __VA_ARGS__}

const cs_op rows[] = {
    DSA_ROW("sign", "PK_Signer DSA", setup_dsa_sign, call_sign, teardown<SignState>, .form = "p1363",
            .rekey = cs_setup_again, .seed = seed_rng, .counts_random = 1),
    DSA_ROW("verify", "PK_Verifier DSA", setup_dsa_verify, call_verify, teardown<VerifyState>, .form = "p1363",
            .rekey = cs_setup_again),
    DSA_ROW("keygen", "DSA_PrivateKey", setup_dsa_keygen, call_dsa_keygen, teardown<DsaGroup>, .seed = seed_rng,
            .counts_random = 1, .seeded = 1),
    DSA_ROW("paramgen", "DL_Group DSA_Kosherizer", setup_dsa_paramgen, call_dsa_paramgen, nullptr, .seed = seed_rng,
            .counts_random = 1),
};

} // namespace

const cs_table botan_dsa = CS_TABLE(rows);

} // namespace cs_botan

#else
const cs_table cs_botan::botan_dsa = {nullptr, 0};
#endif
