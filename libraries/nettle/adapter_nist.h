/* SPDX-License-Identifier: Apache-2.0
 *
 * Nettle: the rows of P-384 and P-521, for the table in adapter.c. The operations are those of P-256.
 */
#ifndef CIPHERSTONE_NETTLE_NIST_H
#define CIPHERSTONE_NETTLE_NIST_H

#include "adapter_keys.h"

int ecdh_setup(cs_case *c);
int ecdh_call(cs_case *c);
void ecdh_teardown(cs_case *c);

/* clang-format off */
#define ECDH_ROW(CURVE, PARAM)                                                                                         \
    {.id = CURVE "/derive", .impl = "default", .name = "ecc_point_mul", .setup = ecdh_setup, .call = ecdh_call, .rekey = cs_setup_again, .teardown = ecdh_teardown, .param = &(PARAM)}
#define NIST_ROWS_OF(ALGORITHM, CURVE, NAME, PARAM)                                                                    \
    {.id = ALGORITHM "/sign", .impl = "default", .name = "ecdsa_sign " NAME, .setup = ecdsa_sign_setup, .call = ecdsa_sign_call, .rekey = cs_setup_again, .teardown = ecdsa_teardown, .param = &(PARAM), .form = "p1363", .seed = seed_random, .counts_random = 1}, \
    {.id = ALGORITHM "/verify", .impl = "default", .name = "ecdsa_verify " NAME, .setup = ecdsa_verify_setup, .call = ecdsa_verify_call, .rekey = cs_setup_again, .teardown = ecdsa_teardown, .param = &(PARAM), .form = "p1363"}, \
    {.id = CURVE "/keygen", .impl = "default", .name = "ecdsa_generate_keypair", .setup = keygen_setup, .call = ec_keygen_call, .teardown = keygen_teardown, .param = &(PARAM), .seed = seed_random, .counts_random = 1, .seeded = 1}
#define AGREE_ROW(CURVE, PARAM)                                                                                        \
    {.id = CURVE "/agree", .impl = "default", .name = "ecdsa_generate_keypair, ecc_point_mul", .setup = keygen_setup, .call = ec_agree_call, .rekey = cs_key_in_call, .teardown = keygen_teardown, .param = &(PARAM), .seed = seed_random, .counts_random = 1}
#define AGREE_ROWS                                                                                                     \
    {.id = "x25519/agree", .impl = "default", .name = "curve25519_mul_g, curve25519_mul", .setup = x25519_agree_setup, .call = x25519_agree_call, .rekey = cs_key_in_call, .seed = seed_random, .counts_random = 1}, \
    AGREE_ROW("p-256", p256), AGREE_ROW("p-384", p384)
#define BASE_ROW(CURVE, PARAM)                                                                                         \
    {.id = CURVE "/multiply-base", .impl = "default", .name = "ecc_point_mul_g", .setup = ec_base_setup, .call = ec_base_call, .teardown = keygen_teardown, .param = &(PARAM)}
#define BASE_ROWS                                                                                                      \
    {.id = "x25519/multiply-base", .impl = "default", .name = "curve25519_mul_g", .setup = x25519_setup, .call = x25519_base_call}, \
    BASE_ROW("p-256", p256), BASE_ROW("p-384", p384), BASE_ROW("p-521", p521)
#define NIST_ROWS                                                                                                      \
    AGREE_ROWS, BASE_ROWS, ECDH_ROW("p-256", p256), ECDH_ROW("p-384", p384), ECDH_ROW("p-521", p521),                                         \
    NIST_ROWS_OF("ecdsa-p384-sha384", "p-384", "secp384r1", p384), NIST_ROWS_OF("ecdsa-p521-sha512", "p-521", "secp521r1", p521)
/* clang-format on */

#endif
