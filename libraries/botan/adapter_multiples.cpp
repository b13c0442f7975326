/* SPDX-License-Identifier: Apache-2.0
 *
 * Botan: multiples of a generator. EC_Group has them in Botan 2, EC_AffinePoint from 3.6 on.
 */
#include "adapter.h"

#include <botan/curve25519.h>

#if BOTAN_VERSION_MAJOR > 3 || (BOTAN_VERSION_MAJOR == 3 && BOTAN_VERSION_MINOR >= 6)
#include <botan/ec_apoint.h>
#include <botan/ec_scalar.h>
#define BASE_FUNCTION "EC_AffinePoint::g_mul"
#else
#define BASE_FUNCTION "EC_Group::blinded_base_point_multiply"
#endif

#include <cstring>
#include <vector>

namespace cs_botan
{

namespace
{

constexpr size_t key_size_25519 = 32;

#if BOTAN_VERSION_MAJOR > 3 || (BOTAN_VERSION_MAJOR == 3 && BOTAN_VERSION_MINOR >= 6)

struct BaseState {
    Botan::EC_Scalar scalar;

    BaseState(const Botan::EC_Group &group, const Botan::BigInt &number)
        : scalar(Botan::EC_Scalar::from_bigint(group, number))
    {
    }
};

void multiply(BaseState &s, uint8_t *out, size_t len)
{
    Botan::EC_AffinePoint::g_mul(s.scalar, rng()).serialize_uncompressed_to({out, len});
}

#else

struct BaseState {
    Botan::EC_Group group;
    Botan::BigInt scalar;
    std::vector<Botan::BigInt> workspace;

    BaseState(const Botan::EC_Group &of, const Botan::BigInt &number) : group(of), scalar(number)
    {
    }
};

void multiply(BaseState &s, uint8_t *out, size_t len)
{
    const auto product = s.group.blinded_base_point_multiply(s.scalar, rng(), s.workspace);
    const std::vector<uint8_t> bytes = product.encode(decltype(product)::UNCOMPRESSED);
    if (bytes.size() != len)
        throw Botan::Invalid_State("a point of another length");
    std::memcpy(out, bytes.data(), len);
}

#endif

int setup_base(cs_case *c) noexcept
{
    return guarded([c] {
        c->state = new BaseState(group_of(c->op), Botan::BigInt(c->key.data, c->key.len));
        c->out_len = 2 * c->key.len + 1;
        return static_cast<int>(CS_OK);
    });
}

int call_base(cs_case *c) noexcept
{
    return guarded([c] {
        multiply(*static_cast<BaseState *>(c->state), c->out, c->out_len);
        return static_cast<int>(CS_OK);
    });
}

int setup_x25519_base(cs_case *c) noexcept
{
    c->out_len = key_size_25519;
    return CS_OK;
}

int call_x25519_base(cs_case *c) noexcept
{
    return guarded([c] {
        Botan::curve25519_basepoint(c->out, c->key.data);
        return static_cast<int>(CS_OK);
    });
}

/* Scalars are blinded with random numbers. */
#define BASE_ROW(ALGORITHM, CURVE)                                                                                     \
    {.id = ALGORITHM "/multiply-base",                                                                                 \
     .impl = "default",                                                                                                \
     .name = BASE_FUNCTION,                                                                                            \
     .setup = setup_base,                                                                                              \
     .call = call_base,                                                                                                \
     .teardown = teardown<BaseState>,                                                                                  \
     .param = CURVE,                                                                                                   \
     .unavailable = curve_unavailable,                                                                                 \
     .seed = seed_rng,                                                                                                 \
     .counts_random = 1}

const cs_op rows[] = {
    {.id = "x25519/multiply-base",
     .impl = "default",
     .name = "curve25519_basepoint",
     .setup = setup_x25519_base,
     .call = call_x25519_base},
    BASE_ROW("p-256", "secp256r1"),
    BASE_ROW("secp256k1", "secp256k1"),
    BASE_ROW("p-384", "secp384r1"),
    BASE_ROW("p-521", "secp521r1"),
};

} // namespace

const cs_table botan_multiples = CS_TABLE(rows);

} // namespace cs_botan
