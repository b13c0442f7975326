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

int ecdsa_sign_setup(cs_case *c);
int ecdsa_rfc6979_setup(cs_case *c);
int ecdsa_verify_setup(cs_case *c);
int ecdsa_sign_call(cs_case *c);
int ecdsa_verify_call(cs_case *c);
void ecdsa_teardown(cs_case *c);
const char *rfc6979_unavailable(const struct cs_op *op);

/* The row's `param`: the number that names the curve. */
extern const int p256_curve, secp256k1_curve;
const char *secp256k1_unavailable(const struct cs_op *op);
const char *secp256k1_rfc6979_unavailable(const struct cs_op *op);

/* clang-format off */
#define PKEY_ROWS                                                                                                      \
    {.id = "x25519/derive", .impl = "default", .name = "wc_curve25519_shared_secret_ex", .setup = x25519_setup, .call = x25519_call, .rekey = cs_setup_again, .teardown = x25519_teardown, .seed = seed_random, .counts_random = 1}, \
    {.id = "ed25519/sign", .impl = "default", .name = "wc_ed25519_sign_msg", .setup = ed25519_sign_setup, .call = ed25519_sign_call, .rekey = cs_setup_again, .teardown = ed25519_teardown}, \
    {.id = "ed25519/verify", .impl = "default", .name = "wc_ed25519_verify_msg", .setup = ed25519_verify_setup, .call = ed25519_verify_call, .rekey = cs_setup_again, .teardown = ed25519_teardown}, \
    {.id = "ecdsa-p256-sha256/sign", .impl = "default", .name = "wc_ecc_sign_hash", .setup = ecdsa_sign_setup, .call = ecdsa_sign_call, .rekey = cs_setup_again, .teardown = ecdsa_teardown, .param = &p256_curve, .form = "der", .seed = seed_random, .counts_random = 1}, \
    {.id = "ecdsa-p256-sha256/sign", .impl = "rfc6979", .name = "wc_ecc_set_deterministic, wc_ecc_sign_hash", .setup = ecdsa_rfc6979_setup, .call = ecdsa_sign_call, .rekey = cs_setup_again, .teardown = ecdsa_teardown, .param = &p256_curve, .form = "der", .seed = seed_random, .counts_random = 1, .unavailable = rfc6979_unavailable}, \
    {.id = "ecdsa-p256-sha256/verify", .impl = "default", .name = "wc_ecc_verify_hash", .setup = ecdsa_verify_setup, .call = ecdsa_verify_call, .rekey = cs_setup_again, .teardown = ecdsa_teardown, .param = &p256_curve, .form = "der"}, \
    {.id = "ecdsa-secp256k1-sha256/sign", .impl = "default", .name = "wc_ecc_sign_hash", .setup = ecdsa_sign_setup, .call = ecdsa_sign_call, .rekey = cs_setup_again, .teardown = ecdsa_teardown, .param = &secp256k1_curve, .form = "der", .unavailable = secp256k1_unavailable, .seed = seed_random, .counts_random = 1}, \
    {.id = "ecdsa-secp256k1-sha256/sign", .impl = "rfc6979", .name = "wc_ecc_set_deterministic, wc_ecc_sign_hash", .setup = ecdsa_rfc6979_setup, .call = ecdsa_sign_call, .rekey = cs_setup_again, .teardown = ecdsa_teardown, .param = &secp256k1_curve, .form = "der", .seed = seed_random, .counts_random = 1, .unavailable = secp256k1_rfc6979_unavailable}, \
    {.id = "ecdsa-secp256k1-sha256/verify", .impl = "default", .name = "wc_ecc_verify_hash", .setup = ecdsa_verify_setup, .call = ecdsa_verify_call, .rekey = cs_setup_again, .teardown = ecdsa_teardown, .param = &secp256k1_curve, .form = "der", .unavailable = secp256k1_unavailable}
/* clang-format on */

#endif
