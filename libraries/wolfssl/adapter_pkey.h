/* SPDX-License-Identifier: Apache-2.0
 *
 * wolfSSL: the rows of key agreement and signatures, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_WOLFSSL_PKEY_H
#define CIPHERSTONE_WOLFSSL_PKEY_H

#include "adapter.h"

int x25519_setup(cs_case *c);
int x25519_call(cs_case *c);
void x25519_teardown(cs_case *c);

int ed25519_sign_setup(cs_case *c);
int ed25519_verify_setup(cs_case *c);
int ed25519_sign_call(cs_case *c);
int ed25519_verify_call(cs_case *c);
void ed25519_teardown(cs_case *c);

int ecdh_setup(cs_case *c);
int ecdh_call(cs_case *c);
void ecdh_teardown(cs_case *c);

int ecdsa_sign_setup(cs_case *c);
int ecdsa_rfc6979_setup(cs_case *c);
int ecdsa_verify_setup(cs_case *c);
int ecdsa_sign_call(cs_case *c);
int ecdsa_verify_call(cs_case *c);
void ecdsa_teardown(cs_case *c);
const char *rfc6979_unavailable(const struct cs_op *op);

/* The row's `param`: the number that names the curve. */
extern const int brainpool_curve, p256_curve, secp256k1_curve, p384_curve, p521_curve;
const char *curve_unavailable(const struct cs_op *op);
const char *curve_rfc6979_unavailable(const struct cs_op *op);

/* clang-format off */
#define PKEY_ROWS                                                                                                      \
    {.id = "x25519/derive", .impl = "default", .name = "wc_curve25519_shared_secret_ex", .setup = x25519_setup, .call = x25519_call, .rekey = cs_setup_again, .teardown = x25519_teardown, .seed = seed_random, .counts_random = 1}, \
    {.id = "ed25519/sign", .impl = "default", .name = "wc_ed25519_sign_msg", .setup = ed25519_sign_setup, .call = ed25519_sign_call, .rekey = cs_setup_again, .teardown = ed25519_teardown}, \
    {.id = "ed25519/verify", .impl = "default", .name = "wc_ed25519_verify_msg", .setup = ed25519_verify_setup, .call = ed25519_verify_call, .rekey = cs_setup_again, .teardown = ed25519_teardown}, \
    {.id = "ecdsa-p256-sha256/sign", .impl = "default", .name = "wc_ecc_sign_hash", .setup = ecdsa_sign_setup, .call = ecdsa_sign_call, .rekey = cs_setup_again, .teardown = ecdsa_teardown, .param = &p256_curve, .form = "der", .seed = seed_random, .counts_random = 1}, \
    {.id = "ecdsa-p256-sha256/sign", .impl = "rfc6979", .name = "wc_ecc_set_deterministic, wc_ecc_sign_hash", .setup = ecdsa_rfc6979_setup, .call = ecdsa_sign_call, .rekey = cs_setup_again, .teardown = ecdsa_teardown, .param = &p256_curve, .form = "der", .seed = seed_random, .counts_random = 1, .unavailable = rfc6979_unavailable}, \
    {.id = "ecdsa-p256-sha256/verify", .impl = "default", .name = "wc_ecc_verify_hash", .setup = ecdsa_verify_setup, .call = ecdsa_verify_call, .rekey = cs_setup_again, .teardown = ecdsa_teardown, .param = &p256_curve, .form = "der"}, \
    {.id = "ecdsa-secp256k1-sha256/sign", .impl = "default", .name = "wc_ecc_sign_hash", .setup = ecdsa_sign_setup, .call = ecdsa_sign_call, .rekey = cs_setup_again, .teardown = ecdsa_teardown, .param = &secp256k1_curve, .form = "der", .unavailable = curve_unavailable, .seed = seed_random, .counts_random = 1}, \
    {.id = "ecdsa-secp256k1-sha256/sign", .impl = "rfc6979", .name = "wc_ecc_set_deterministic, wc_ecc_sign_hash", .setup = ecdsa_rfc6979_setup, .call = ecdsa_sign_call, .rekey = cs_setup_again, .teardown = ecdsa_teardown, .param = &secp256k1_curve, .form = "der", .seed = seed_random, .counts_random = 1, .unavailable = curve_rfc6979_unavailable}, \
    {.id = "ecdsa-secp256k1-sha256/verify", .impl = "default", .name = "wc_ecc_verify_hash", .setup = ecdsa_verify_setup, .call = ecdsa_verify_call, .rekey = cs_setup_again, .teardown = ecdsa_teardown, .param = &secp256k1_curve, .form = "der", .unavailable = curve_unavailable}
#define ECDH_ROW(KEYS, CURVE)                                                                                          \
    {.id = KEYS "/derive", .impl = "default", .name = "wc_ecc_shared_secret", .setup = ecdh_setup, .call = ecdh_call, .rekey = cs_setup_again, .teardown = ecdh_teardown, .param = &CURVE, .unavailable = curve_unavailable, .seed = seed_random, .counts_random = 1}
#define NIST_ROWS_OF(ALGORITHM, KEYS, CURVE)                                                                           \
    {.id = ALGORITHM "/sign", .impl = "default", .name = "wc_ecc_sign_hash", .setup = ecdsa_sign_setup, .call = ecdsa_sign_call, .rekey = cs_setup_again, .teardown = ecdsa_teardown, .param = &CURVE, .form = "der", .unavailable = curve_unavailable, .seed = seed_random, .counts_random = 1}, \
    {.id = ALGORITHM "/sign", .impl = "rfc6979", .name = "wc_ecc_set_deterministic, wc_ecc_sign_hash", .setup = ecdsa_rfc6979_setup, .call = ecdsa_sign_call, .rekey = cs_setup_again, .teardown = ecdsa_teardown, .param = &CURVE, .form = "der", .seed = seed_random, .counts_random = 1, .unavailable = curve_rfc6979_unavailable}, \
    {.id = ALGORITHM "/verify", .impl = "default", .name = "wc_ecc_verify_hash", .setup = ecdsa_verify_setup, .call = ecdsa_verify_call, .rekey = cs_setup_again, .teardown = ecdsa_teardown, .param = &CURVE, .form = "der", .unavailable = curve_unavailable}, \
    KEYGEN_ROW(KEYS, "wc_ecc_make_key_ex", ec, ec_keygen_teardown, .param = &CURVE, .unavailable = curve_unavailable)
#define NIST_ROWS                                                                                                      \
    ECDH_ROW("brainpool-p256", brainpool_curve), NIST_ROWS_OF("ecdsa-brainpoolp256r1-sha256", "brainpool-p256", brainpool_curve), \
    ECDH_ROW("secp256k1", secp256k1_curve), ECDH_ROW("p-256", p256_curve), ECDH_ROW("p-384", p384_curve), ECDH_ROW("p-521", p521_curve),                       \
    NIST_ROWS_OF("ecdsa-p384-sha384", "p-384", p384_curve), NIST_ROWS_OF("ecdsa-p521-sha512", "p-521", p521_curve)
/* clang-format on */

#endif
