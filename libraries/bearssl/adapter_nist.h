/* SPDX-License-Identifier: Apache-2.0
 *
 * BearSSL adapter: the rows of ECDH, of ECDSA on P-384 and P-521, and of multiples of the generator, for the table in
 * adapter.c.
 */
#ifndef CIPHERSTONE_BEARSSL_NIST_H
#define CIPHERSTONE_BEARSSL_NIST_H

#include "adapter_keys.h"

/* clang-format off */
#define ECDH_LANE(KEYS, IMPL, NAME, EC, CURVE)                                                                         \
    {.id = KEYS "/derive", .impl = IMPL, .name = NAME, .setup = bear_ecdh_setup, .call = bear_ecdh, .rekey = cs_key_in_call, .teardown = bear_free, .param = &(const struct bear_ecdsa_param){&bear_ecdsa_default, &bear_##EC, &bear_##CURVE}, .unavailable = bear_ecdsa_unavailable}
#define ECDH_ROWS(KEYS, CURVE)                                                                                         \
    ECDH_LANE(KEYS, "default", "br_ec_get_default", ec_default, CURVE),                                                \
    ECDH_LANE(KEYS, "ec_prime_i15", "br_ec_prime_i15", prime_i15, CURVE),                                              \
    ECDH_LANE(KEYS, "ec_prime_i31", "br_ec_prime_i31", prime_i31, CURVE),                                              \
    ECDH_LANE(KEYS, "ec_all_m15", "br_ec_all_m15", all_m15, CURVE),                                                    \
    ECDH_LANE(KEYS, "ec_all_m31", "br_ec_all_m31", all_m31, CURVE)
#define ECDH_P256_ROWS                                                                                                 \
    ECDH_ROWS("p-256", p256),                                                                                          \
    ECDH_LANE("p-256", "ec_p256_m15", "br_ec_p256_m15", p256_m15, p256),                                               \
    ECDH_LANE("p-256", "ec_p256_m31", "br_ec_p256_m31", p256_m31, p256),                                               \
    ECDH_LANE("p-256", "ec_p256_m62", "br_ec_p256_m62", p256_m62, p256),                                               \
    ECDH_LANE("p-256", "ec_p256_m64", "br_ec_p256_m64", p256_m64, p256)
#define NIST_ROW(ALGORITHM, VERB, IMPL, NAME, ECDSA, EC, CURVE)                                                        \
    {.id = ALGORITHM "/" #VERB, .impl = IMPL, .name = NAME, .setup = bear_ecdsa_##VERB##_setup, .call = bear_ecdsa_##VERB, .rekey = cs_setup_again, .teardown = bear_free, .param = &(const struct bear_ecdsa_param){&bear_##ECDSA, &bear_##EC, &bear_##CURVE}, .form = "p1363", .unavailable = bear_ecdsa_unavailable}
#define NIST_LANE(ALGORITHM, ECDSA, EC, CURVE)                                                                         \
    NIST_ROW(ALGORITHM, sign, #ECDSA "+ec_" #EC, "br_" #ECDSA "_sign_raw, br_ec_" #EC, ECDSA, EC, CURVE),              \
    NIST_ROW(ALGORITHM, verify, #ECDSA "+ec_" #EC, "br_" #ECDSA "_vrfy_raw, br_ec_" #EC, ECDSA, EC, CURVE)
#define NIST_ROWS_OF(ALGORITHM, KEYS, CURVE)                                                                           \
    NIST_ROW(ALGORITHM, sign, "default", "br_ecdsa_sign_raw_get_default, br_ec_get_default", ecdsa_default, ec_default, CURVE), \
    NIST_ROW(ALGORITHM, verify, "default", "br_ecdsa_vrfy_raw_get_default, br_ec_get_default", ecdsa_default, ec_default, CURVE), \
    NIST_LANE(ALGORITHM, ecdsa_i15, prime_i15, CURVE),                                                                 \
    NIST_LANE(ALGORITHM, ecdsa_i31, prime_i31, CURVE),                                                                 \
    NIST_LANE(ALGORITHM, ecdsa_i15, all_m15, CURVE),                                                                   \
    NIST_LANE(ALGORITHM, ecdsa_i31, all_m31, CURVE),                                                                   \
    EC_KEYGEN(KEYS, bear_##CURVE##_keygen)
#define BASE_ROW(KEYS, IMPL, NAME, EC, CURVE, BYTES)                                                                   \
    {.id = KEYS "/multiply-base", .impl = IMPL, .name = NAME " mulgen", .setup = bear_base_setup, .call = bear_base, .teardown = bear_free, .param = &(const struct bear_base_param){&bear_##EC, BR_EC_##CURVE, BYTES}, .unavailable = bear_base_unavailable}
#define BASE_LANE(KEYS, EC, CURVE, BYTES) BASE_ROW(KEYS, "ec_" #EC, "br_ec_" #EC, EC, CURVE, BYTES)
#define BASE_ROWS_OF(KEYS, CURVE, BYTES)                                                                               \
    BASE_ROW(KEYS, "default", "br_ec_get_default", ec_default, CURVE, BYTES),                                          \
    BASE_LANE(KEYS, all_m15, CURVE, BYTES), BASE_LANE(KEYS, all_m31, CURVE, BYTES)
#define BASE_PRIME_ROWS(KEYS, CURVE, BYTES)                                                                            \
    BASE_ROWS_OF(KEYS, CURVE, BYTES), BASE_LANE(KEYS, prime_i15, CURVE, BYTES), BASE_LANE(KEYS, prime_i31, CURVE, BYTES)
#define BASE_ROWS                                                                                                      \
    BASE_ROWS_OF("x25519", curve25519, 32), BASE_LANE("x25519", c25519_i15, curve25519, 32),                           \
    BASE_LANE("x25519", c25519_i31, curve25519, 32), BASE_LANE("x25519", c25519_m15, curve25519, 32),                  \
    BASE_LANE("x25519", c25519_m31, curve25519, 32), BASE_LANE("x25519", c25519_m62, curve25519, 32),                  \
    BASE_LANE("x25519", c25519_m64, curve25519, 32), BASE_PRIME_ROWS("p-256", secp256r1, CS_P256_POINT),               \
    BASE_LANE("p-256", p256_m15, secp256r1, CS_P256_POINT), BASE_LANE("p-256", p256_m31, secp256r1, CS_P256_POINT),    \
    BASE_LANE("p-256", p256_m62, secp256r1, CS_P256_POINT), BASE_LANE("p-256", p256_m64, secp256r1, CS_P256_POINT),    \
    BASE_PRIME_ROWS("p-384", secp384r1, CS_P384_POINT), BASE_PRIME_ROWS("p-521", secp521r1, CS_P521_POINT)
#define NIST_ROWS                                                                                                      \
    BASE_ROWS, ECDH_P256_ROWS, ECDH_ROWS("p-384", p384), ECDH_ROWS("p-521", p521), NIST_ROWS_OF("ecdsa-p384-sha384", "p-384", p384), NIST_ROWS_OF("ecdsa-p521-sha512", "p-521", p521)
/* clang-format on */

#endif
