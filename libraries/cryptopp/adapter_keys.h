/* SPDX-License-Identifier: Apache-2.0
 *
 * Crypto++: the rows of key generation and of multiples of a generator, for the table in adapter.cpp.
 */
#ifndef CIPHERSTONE_CRYPTOPP_KEYS_H
#define CIPHERSTONE_CRYPTOPP_KEYS_H

#include "adapter.h"

namespace cs_cryptopp
{

int setup_keygen(cs_case *c) noexcept;
void teardown_keygen(cs_case *c) noexcept;
int call_x25519_keygen(cs_case *c) noexcept;
int call_ed25519_keygen(cs_case *c) noexcept;
int call_ec_keygen(cs_case *c) noexcept;
int setup_x25519_agree(cs_case *c) noexcept;
int setup_ec_agree(cs_case *c) noexcept;
int call_agree(cs_case *c) noexcept;
void teardown_agree(cs_case *c) noexcept;
int setup_base(cs_case *c) noexcept;
int setup_base_tables(cs_case *c) noexcept; /* Precompute in setup */
int call_base(cs_case *c) noexcept;
void teardown_base(cs_case *c) noexcept;
int setup_x25519_base(cs_case *c) noexcept;
int call_x25519_base(cs_case *c) noexcept;
void teardown_x25519_base(cs_case *c) noexcept;
extern const unsigned int rsa_2048, rsa_3072, rsa_4096; /* bits */
int setup_rsa_keygen(cs_case *c) noexcept;
int call_rsa_keygen(cs_case *c) noexcept;

} // namespace cs_cryptopp

#define KEYGEN_ROW(ALGORITHM, NAME, CALL, CURVE, SEEDED)                                                               \
    {.id = ALGORITHM "/keygen",                                                                                        \
     .impl = "default",                                                                                                \
     .name = NAME,                                                                                                     \
     .setup = setup_keygen,                                                                                            \
     .call = CALL,                                                                                                     \
     .teardown = teardown_keygen,                                                                                      \
     .param = CURVE,                                                                                                   \
     .seed = seed_rng,                                                                                                 \
     .counts_random = 1,                                                                                               \
     .seeded = SEEDED}
/* `param` is the length of the modulus in bits. */
#define RSA_KEYGEN_ROW(ALGORITHM, BITS)                                                                                \
    {.id = ALGORITHM "/keygen",                                                                                        \
     .impl = "default",                                                                                                \
     .name = "InvertibleRSAFunction::Initialize",                                                                      \
     .setup = setup_rsa_keygen,                                                                                        \
     .call = call_rsa_keygen,                                                                                          \
     .teardown = teardown_keygen,                                                                                      \
     .param = &BITS,                                                                                                   \
     .seed = seed_rng,                                                                                                 \
     .counts_random = 1}
#define AGREE_ROW(ALGORITHM, NAME, SETUP, CURVE)                                                                       \
    {.id = ALGORITHM "/agree",                                                                                         \
     .impl = "default",                                                                                                \
     .name = NAME "::GenerateKeyPair, Agree",                                                                          \
     .setup = SETUP,                                                                                                   \
     .call = call_agree,                                                                                               \
     .teardown = teardown_agree,                                                                                       \
     .param = CURVE,                                                                                                   \
     .rekey = cs_key_in_call,                                                                                          \
     .seed = seed_rng,                                                                                                 \
     .counts_random = 1}
#define AGREE_ROWS                                                                                                     \
    AGREE_ROW("x25519", "x25519", setup_x25519_agree, nullptr),                                                        \
        AGREE_ROW("p-256", "ECDH<ECP>::Domain", setup_ec_agree, nullptr),                                              \
        AGREE_ROW("p-384", "ECDH<ECP>::Domain", setup_ec_agree, secp384r1)
#define BASE_ROW(ALGORITHM, IMPL, NAME, SETUP, CURVE)                                                                  \
    {.id = ALGORITHM "/multiply-base",                                                                                 \
     .impl = IMPL,                                                                                                     \
     .name = NAME,                                                                                                     \
     .setup = SETUP,                                                                                                   \
     .call = call_base,                                                                                                \
     .teardown = teardown_base,                                                                                        \
     .param = CURVE}
#define BASE_ROWS_OF(ALGORITHM, CURVE)                                                                                 \
    BASE_ROW(ALGORITHM, "default", "DL_GroupParameters_EC::ExponentiateBase", setup_base, CURVE),                      \
        BASE_ROW(ALGORITHM, "Precompute", "DL_GroupParameters_EC::ExponentiateBase, Precompute", setup_base_tables,    \
                 CURVE)
#define BASE_ROWS                                                                                                      \
    {.id = "x25519/multiply-base",                                                                                     \
     .impl = "default",                                                                                                \
     .name = "x25519::GeneratePublicKey",                                                                              \
     .setup = setup_x25519_base,                                                                                       \
     .call = call_x25519_base,                                                                                         \
     .teardown = teardown_x25519_base},                                                                                \
        BASE_ROWS_OF("p-256", nullptr), BASE_ROWS_OF("secp256k1", secp256k1), BASE_ROWS_OF("p-384", secp384r1),        \
        BASE_ROWS_OF("p-521", secp521r1)
#define KEYGEN_ROWS                                                                                                    \
    AGREE_ROWS, BASE_ROWS, KEYGEN_ROW("x25519", "x25519::GenerateKeyPair", call_x25519_keygen, nullptr, 1),            \
        KEYGEN_ROW("ed25519", "ed25519PrivateKey::GenerateRandom", call_ed25519_keygen, nullptr, 1),                   \
        KEYGEN_ROW("p-256", "DL_PrivateKey_EC::Initialize, MakePublicKey", call_ec_keygen, nullptr, 1),                \
        KEYGEN_ROW("secp256k1", "DL_PrivateKey_EC::Initialize, MakePublicKey", call_ec_keygen, secp256k1, 1),          \
        RSA_KEYGEN_ROW("rsa-2048", rsa_2048), RSA_KEYGEN_ROW("rsa-3072", rsa_3072),                                    \
        RSA_KEYGEN_ROW("rsa-4096", rsa_4096)

#endif
