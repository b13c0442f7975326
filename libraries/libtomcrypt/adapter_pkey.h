/* SPDX-License-Identifier: Apache-2.0
 *
 * LibTomCrypt: the rows of public keys, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_LIBTOMCRYPT_PKEY_H
#define CIPHERSTONE_LIBTOMCRYPT_PKEY_H

#include "adapter.h"

int ecdsa_sign_setup(cs_case *c);
int ecdsa_verify_setup(cs_case *c);
int ecdsa_sign_call(cs_case *c);
int ecdsa_verify_call(cs_case *c);
int ecdsa_sign_rfc7518_call(cs_case *c);
int ecdsa_verify_rfc7518_call(cs_case *c);
void ecdsa_teardown(cs_case *c);

int p256_keygen_setup(cs_case *c);
int p256_keygen_call(cs_case *c);
int rsa_keygen_setup(cs_case *c);
int rsa_keygen_call(cs_case *c);

int rsa_private_setup(cs_case *c);
int rsa_public_setup(cs_case *c);
int rsa_private_call(cs_case *c);
int rsa_public_call(cs_case *c);
void rsa_teardown(cs_case *c);

/* clang-format off */
#define PKEY_ROWS                                                                                                      \
    {.id = "ecdsa-p256-sha256/sign", .impl = "default", .name = "ecc_sign_hash", .setup = ecdsa_sign_setup, .call = ecdsa_sign_call, .rekey = cs_setup_again, .teardown = ecdsa_teardown, .form = "der", .seed = seed_random, .counts_random = 1}, \
    {.id = "ecdsa-p256-sha256/verify", .impl = "default", .name = "ecc_verify_hash", .setup = ecdsa_verify_setup, .call = ecdsa_verify_call, .rekey = cs_setup_again, .teardown = ecdsa_teardown, .form = "der"}, \
    {.id = "ecdsa-p256-sha256/sign", .impl = "rfc7518", .name = "ecc_sign_hash_rfc7518", .setup = ecdsa_sign_setup, .call = ecdsa_sign_rfc7518_call, .rekey = cs_setup_again, .teardown = ecdsa_teardown, .form = "p1363", .seed = seed_random, .counts_random = 1}, \
    {.id = "ecdsa-p256-sha256/verify", .impl = "rfc7518", .name = "ecc_verify_hash_rfc7518", .setup = ecdsa_verify_setup, .call = ecdsa_verify_rfc7518_call, .rekey = cs_setup_again, .teardown = ecdsa_teardown, .form = "p1363"}
#define KEYGEN_ROWS                                                                                                    \
    {.id = "p-256/keygen", .impl = "default", .name = "ecc_make_key", .setup = p256_keygen_setup, .call = p256_keygen_call, .seed = seed_random, .counts_random = 1}, \
    {.id = "rsa-2048/keygen", .impl = "default", .name = "rsa_make_key", .setup = rsa_keygen_setup, .call = rsa_keygen_call, .seed = seed_random, .counts_random = 1}
#define RSA_ROWS                                                                                                       \
    {.id = "modexp/private", .impl = "default", .name = "rsa_exptmod", .setup = rsa_private_setup, .call = rsa_private_call, .teardown = rsa_teardown, .params = "crt=yes"}, \
    {.id = "modexp/public", .impl = "default", .name = "rsa_exptmod", .setup = rsa_public_setup, .call = rsa_public_call, .teardown = rsa_teardown}
/* clang-format on */

#endif
