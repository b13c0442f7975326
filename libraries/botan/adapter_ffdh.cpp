/* SPDX-License-Identifier: Apache-2.0
 *
 * Botan: key agreement in finite fields, through PK_Key_Agreement.
 */
#include "adapter.h"

#if defined(BOTAN_HAS_DIFFIE_HELLMAN)
#include <botan/dh.h>
#include <botan/dl_group.h>

#include <cstring>
#if BOTAN_VERSION_MAJOR >= 3
#include <span>
#endif

namespace cs_botan
{

namespace
{

Botan::DL_Group group_named(const cs_op *op)
{
    const auto *name = static_cast<const char *>(op->param);
#if BOTAN_VERSION_MAJOR >= 3
    return Botan::DL_Group::from_name(name);
#else
    return Botan::DL_Group(name);
#endif
}

Botan::DH_PrivateKey key_of(const Botan::DL_Group &group, const Botan::BigInt &exponent)
{
#if BOTAN_VERSION_MAJOR >= 3
    return Botan::DH_PrivateKey(group, exponent);
#else
    return Botan::DH_PrivateKey(rng(), group, exponent);
#endif
}

Botan::BigInt exponent_of(const Botan::DH_PrivateKey &key)
{
#if BOTAN_VERSION_MAJOR >= 3
    return key.get_int_field("x");
#else
    return key.get_x();
#endif
}

struct FfdhState {
    Botan::DH_PrivateKey key;
    Botan::PK_Key_Agreement agreement;

    FfdhState(const Botan::DL_Group &group, const Botan::BigInt &exponent)
        : key(key_of(group, exponent)), agreement(key, rng(), "Raw")
    {
    }
};

struct FfdhKeygenState {
    cs_span seed;
    Botan::DL_Group group;
};

void put(const Botan::BigInt &number, uint8_t *out, size_t len)
{
#if BOTAN_VERSION_MAJOR >= 3
    number.serialize_to(std::span(out, len));
#else
    std::memset(out, 0, len - number.bytes());
    number.binary_encode(out + len - number.bytes());
#endif
}

void generate(cs_case *c, Botan::RandomNumberGenerator &random)
{
    const auto *s = static_cast<const FfdhKeygenState *>(c->state);
    const size_t len = s->group.p_bytes();
    const Botan::DH_PrivateKey key(random, s->group);
    const auto pub = key.public_value();
    put(exponent_of(key), c->out, len);
    std::memcpy(c->out + len, pub.data(), len);
    c->out_len = 2 * len;
}

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

#define FFDH_ROWS_OF(ALGORITHM, GROUP)                                                                                 \
    {.id = ALGORITHM "/derive",                                                                                        \
     .impl = "default",                                                                                                \
     .name = "PK_Key_Agreement DH",                                                                                    \
     .setup = setup_ffdh,                                                                                              \
     .call = call_ffdh,                                                                                                \
     .teardown = teardown<FfdhState>,                                                                                  \
     .param = GROUP,                                                                                                   \
     .rekey = cs_setup_again,                                                                                          \
     .seed = seed_rng,                                                                                                 \
     .counts_random = 1},                                                                                              \
        {.id = ALGORITHM "/keygen",                                                                                    \
         .impl = "default",                                                                                            \
         .name = "DH_PrivateKey",                                                                                      \
         .setup = setup_ffdh_keygen,                                                                                   \
         .call = call_ffdh_keygen,                                                                                     \
         .teardown = teardown<FfdhKeygenState>,                                                                        \
         .param = GROUP,                                                                                               \
         .seed = seed_rng,                                                                                             \
         .counts_random = 1,                                                                                           \
         .seeded = 1}

const cs_op rows[] = {FFDH_ROWS_OF("dh-2048", "ffdhe/ietf/2048"), FFDH_ROWS_OF("dh-3072", "ffdhe/ietf/3072")};

} // namespace

const cs_table botan_ffdh = CS_TABLE(rows);

} // namespace cs_botan

#else
const cs_table cs_botan::botan_ffdh = {nullptr, 0};
#endif
