/* SPDX-License-Identifier: Apache-2.0
 *
 * LibTomCrypt: the rows of public keys, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_LIBTOMCRYPT_PKEY_H
#define CIPHERSTONE_LIBTOMCRYPT_PKEY_H

#include "adapter.h"

int ecdh_setup(cs_case *c);
int ecdh_call(cs_case *c);
void ecdh_teardown(cs_case *c);
int agree_setup(cs_case *c);
int agree_call(cs_case *c);

int ecdsa_sign_setup(cs_case *c);
int ecdsa_verify_setup(cs_case *c);
int ecdsa_sign_call(cs_case *c);
int ecdsa_verify_call(cs_case *c);
int ecdsa_sign_rfc7518_call(cs_case *c);
int ecdsa_verify_rfc7518_call(cs_case *c);
void ecdsa_teardown(cs_case *c);

int ec_keygen_setup(cs_case *c);
int ec_keygen_call(cs_case *c);
int base_setup(cs_case *c);
int base_call(cs_case *c);
void base_teardown(cs_case *c);
int rsa_keygen_setup(cs_case *c);
int rsa_keygen_call(cs_case *c);

int rsa_private_setup(cs_case *c);
int rsa_public_setup(cs_case *c);
int rsa_private_call(cs_case *c);
int rsa_public_call(cs_case *c);
void rsa_teardown(cs_case *c);

/* clang-format off */
#define ECDSA_ROWS(ALGORITHM, HASH)                                                                                                      \
    {.id = ALGORITHM "/sign", .impl = "default", .name = "ecc_sign_hash", .setup = ecdsa_sign_setup, .call = ecdsa_sign_call, .rekey = cs_setup_again, .teardown = ecdsa_teardown, .param = &(HASH), .form = "der", .seed = seed_random, .counts_random = 1}, \
    {.id = ALGORITHM "/verify", .impl = "default", .name = "ecc_verify_hash", .setup = ecdsa_verify_setup, .call = ecdsa_verify_call, .rekey = cs_setup_again, .teardown = ecdsa_teardown, .param = &(HASH), .form = "der"}, \
    {.id = ALGORITHM "/sign", .impl = "rfc7518", .name = "ecc_sign_hash_rfc7518", .setup = ecdsa_sign_setup, .call = ecdsa_sign_rfc7518_call, .rekey = cs_setup_again, .teardown = ecdsa_teardown, .param = &(HASH), .form = "p1363", .seed = seed_random, .counts_random = 1}, \
    {.id = ALGORITHM "/verify", .impl = "rfc7518", .name = "ecc_verify_hash_rfc7518", .setup = ecdsa_verify_setup, .call = ecdsa_verify_rfc7518_call, .rekey = cs_setup_again, .teardown = ecdsa_teardown, .param = &(HASH), .form = "p1363"}
#define ECDH_ROW(ALGORITHM, HASH)                                                                                      \
    {.id = ALGORITHM "/derive", .impl = "default", .name = "ecc_shared_secret", .setup = ecdh_setup, .call = ecdh_call, .rekey = cs_setup_again, .teardown = ecdh_teardown, .param = &(HASH)}
#define AGREE_ROW(ALGORITHM, HASH)                                                                                     \
    {.id = ALGORITHM "/agree", .impl = "default", .name = "ecc_make_key, ecc_shared_secret", .setup = agree_setup, .call = agree_call, .rekey = cs_key_in_call, .param = &(HASH), .seed = seed_random, .counts_random = 1}
#define PKEY_ROWS                                                                                                      \
    AGREE_ROW("p-256", sha256_desc), AGREE_ROW("p-384", sha384_desc), ECDH_ROW("p-256", sha256_desc), ECDH_ROW("p-384", sha384_desc), ECDH_ROW("p-521", sha512_desc),                    \
    ECDSA_ROWS("ecdsa-p256-sha256", sha256_desc), ECDSA_ROWS("ecdsa-p384-sha384", sha384_desc), ECDSA_ROWS("ecdsa-p521-sha512", sha512_desc)
#define EC_KEYGEN_ROW(ALGORITHM, BYTES)                                                                                \
    {.id = ALGORITHM "/keygen", .impl = "default", .name = "ecc_make_key", .setup = ec_keygen_setup, .call = ec_keygen_call, .param = &(const size_t){BYTES}, .seed = seed_random, .counts_random = 1}
#define BASE_ROW(ALGORITHM, BYTES)                                                                                      \
    {.id = ALGORITHM "/multiply-base", .impl = "default", .name = "ltc_mp.ecc_ptmul", .setup = base_setup, .call = base_call, .teardown = base_teardown, .param = &(const size_t){BYTES}}
/* `param` is the length of the modulus in bits. */
#define RSA_KEYGEN_ROW(ALGORITHM, BITS)                                                                                \
    {.id = ALGORITHM "/keygen", .impl = "default", .name = "rsa_make_key", .setup = rsa_keygen_setup, .call = rsa_keygen_call, .param = &(const int){BITS}, .seed = seed_random, .counts_random = 1}
#define KEYGEN_ROWS                                                                                                    \
    EC_KEYGEN_ROW("p-256", CS_P256_BYTES), EC_KEYGEN_ROW("p-384", CS_P384_BYTES), EC_KEYGEN_ROW("p-521", CS_P521_BYTES), \
    BASE_ROW("p-256", CS_P256_BYTES), BASE_ROW("p-384", CS_P384_BYTES), BASE_ROW("p-521", CS_P521_BYTES),              \
    RSA_KEYGEN_ROW("rsa-2048", 2048), RSA_KEYGEN_ROW("rsa-3072", 3072), RSA_KEYGEN_ROW("rsa-4096", 4096)
#define RSA_ROWS                                                                                                       \
    {.id = "modexp/private", .impl = "default", .name = "rsa_exptmod", .setup = rsa_private_setup, .call = rsa_private_call, .teardown = rsa_teardown, .params = "crt=yes"}, \
    {.id = "modexp/public", .impl = "default", .name = "rsa_exptmod", .setup = rsa_public_setup, .call = rsa_public_call, .teardown = rsa_teardown}
/* clang-format on */

#endif
