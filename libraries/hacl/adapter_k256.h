/* SPDX-License-Identifier: Apache-2.0
 *
 * HACL*: the rows of secp256k1, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_HACL_K256_H
#define CIPHERSTONE_HACL_K256_H

#include "adapter.h"

int setup_k256_sign(cs_case *c);
int call_k256_sign(cs_case *c);
int call_k256_sign_low(cs_case *c);
int setup_k256_verify(cs_case *c);
int call_k256_verify(cs_case *c);
int setup_k256_derive(cs_case *c);
int call_k256_derive(cs_case *c);
int setup_k256_base(cs_case *c);
int call_k256_base(cs_case *c);
int setup_k256_keygen(cs_case *c);
int call_k256_keygen(cs_case *c);

/* clang-format off */
#define K256_SIGN(IMPL, NAME, CALL) \
    {.id = "ecdsa-secp256k1-sha256/sign", .impl = IMPL, .name = "EverCrypt_DRBG_generate, " NAME, .setup = setup_k256_sign, .call = CALL, .rekey = cs_key_in_call, .form = "p1363", .seed = seed, .counts_random = 1}
#define K256_ROWS \
    K256_SIGN("default", "Hacl_K256_ECDSA_ecdsa_sign_sha256", call_k256_sign), \
    K256_SIGN("low_s", "Hacl_K256_ECDSA_secp256k1_ecdsa_sign_sha256", call_k256_sign_low), \
    {.id = "ecdsa-secp256k1-sha256/verify", .impl = "default", .name = "Hacl_K256_ECDSA_ecdsa_verify_sha256", .setup = setup_k256_verify, .call = call_k256_verify, .rekey = cs_setup_again, .form = "p1363"}, \
    {.id = "secp256k1/derive", .impl = "default", .name = "Hacl_K256_ECDSA_ecdh", .setup = setup_k256_derive, .call = call_k256_derive, .rekey = cs_key_in_call}, \
    {.id = "secp256k1/multiply-base", .impl = "default", .name = "Hacl_K256_ECDSA_secret_to_public", .setup = setup_k256_base, .call = call_k256_base}, \
    {.id = "secp256k1/keygen", .impl = "default", .name = "EverCrypt_DRBG_generate, Hacl_K256_ECDSA_secret_to_public", .setup = setup_k256_keygen, .call = call_k256_keygen, .seed = seed, .counts_random = 1}
/* clang-format on */

#endif
