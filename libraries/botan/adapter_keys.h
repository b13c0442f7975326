/* SPDX-License-Identifier: Apache-2.0
 *
 * Botan: the rows of key generation, for the table in adapter.cpp.
 */
#ifndef CIPHERSTONE_BOTAN_KEYS_H
#define CIPHERSTONE_BOTAN_KEYS_H

#include "adapter_multiples.h"

namespace cs_botan
{

int setup_keygen(cs_case *c) noexcept;
void teardown_keygen(cs_case *c) noexcept;
int call_x25519_keygen(cs_case *c) noexcept;
int call_ed25519_keygen(cs_case *c) noexcept;
int call_ec_keygen(cs_case *c) noexcept;
int call_x25519_agree(cs_case *c) noexcept;
int call_ec_agree(cs_case *c) noexcept;           /* where the module ecdh is built in */
extern const size_t rsa_2048, rsa_3072, rsa_4096; /* bits */
int setup_rsa_keygen(cs_case *c) noexcept;
int call_rsa_keygen(cs_case *c) noexcept;

} // namespace cs_botan

#define KEYGEN_ROW(ALGORITHM, NAME, CALL, CURVE, SEEDED)                                                               \
    {.id = ALGORITHM "/keygen",                                                                                        \
     .impl = "default",                                                                                                \
     .name = NAME,                                                                                                     \
     .setup = setup_keygen,                                                                                            \
     .call = CALL,                                                                                                     \
     .teardown = teardown_keygen,                                                                                      \
     .param = CURVE,                                                                                                   \
     .unavailable = curve_unavailable,                                                                                 \
     .seed = seed_rng,                                                                                                 \
     .counts_random = 1,                                                                                               \
     .seeded = SEEDED}
/* `param` is the length of the modulus in bits. */
#define RSA_KEYGEN_ROW(ALGORITHM, BITS)                                                                                \
    {.id = ALGORITHM "/keygen",                                                                                        \
     .impl = "default",                                                                                                \
     .name = "RSA_PrivateKey",                                                                                         \
     .setup = setup_rsa_keygen,                                                                                        \
     .call = call_rsa_keygen,                                                                                          \
     .teardown = teardown_keygen,                                                                                      \
     .param = &BITS,                                                                                                   \
     .seed = seed_rng,                                                                                                 \
     .counts_random = 1}
#define AGREE_ROW(ALGORITHM, NAME, CALL, CURVE)                                                                        \
    {.id = ALGORITHM "/agree",                                                                                         \
     .impl = "default",                                                                                                \
     .name = NAME ", PK_Key_Agreement",                                                                                \
     .setup = setup_keygen,                                                                                            \
     .call = CALL,                                                                                                     \
     .teardown = teardown_keygen,                                                                                      \
     .param = CURVE,                                                                                                   \
     .unavailable = curve_unavailable,                                                                                 \
     .rekey = cs_key_in_call,                                                                                          \
     .seed = seed_rng,                                                                                                 \
     .counts_random = 1}
#define ECDH_AGREE_ROWS                                                                                                \
    AGREE_ROW("p-256", "ECDH_PrivateKey", call_ec_agree, nullptr),                                                     \
        AGREE_ROW("p-384", "ECDH_PrivateKey", call_ec_agree, "secp384r1")
#define KEYGEN_ROWS                                                                                                    \
    BASE_ROWS, AGREE_ROW("x25519", "X25519_PrivateKey", call_x25519_agree, nullptr),                                   \
        KEYGEN_ROW("x25519", "X25519_PrivateKey", call_x25519_keygen, nullptr, 1),                                     \
        KEYGEN_ROW("ed25519", "Ed25519_PrivateKey", call_ed25519_keygen, nullptr, 1),                                  \
        KEYGEN_ROW("p-256", "ECDSA_PrivateKey", call_ec_keygen, nullptr, 1),                                           \
        KEYGEN_ROW("secp256k1", "ECDSA_PrivateKey", call_ec_keygen, "secp256k1", 1),                                   \
        RSA_KEYGEN_ROW("rsa-2048", rsa_2048), RSA_KEYGEN_ROW("rsa-3072", rsa_3072),                                    \
        RSA_KEYGEN_ROW("rsa-4096", rsa_4096)

#endif
