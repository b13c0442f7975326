/* SPDX-License-Identifier: Apache-2.0
 *
 * Libgcrypt: the rows of P-384 and P-521, for the table in adapter.c. The operations are those of P-256.
 */
#ifndef CIPHERSTONE_LIBGCRYPT_NIST_H
#define CIPHERSTONE_LIBGCRYPT_NIST_H

#include "adapter_keys.h"

int put_p384(cs_case *c, gcry_sexp_t pair);
int put_p521(cs_case *c, gcry_sexp_t pair);

int ecdh_setup(cs_case *c);
int ecdh_call(cs_case *c);
void ecdh_teardown(cs_case *c);
int x25519_agree_setup(cs_case *c);
int x25519_agree_call(cs_case *c);
int agree_call(cs_case *c);
int base_setup(cs_case *c);
int base_call(cs_case *c);
void base_teardown(cs_case *c);

/* clang-format off */
#define ECDH_ROW(CURVE, NAME)                                                                                          \
    {.id = CURVE "/derive", .impl = "default", .name = "gcry_pk_decrypt ECDH NIST " NAME, .setup = ecdh_setup, .call = ecdh_call, .rekey = cs_setup_again, .teardown = ecdh_teardown, .param = "(private-key(ecc(curve \"NIST " NAME "\")(d %b)))", .seed = ecdsa_seed}
#define SECP256K1_ECDH_ROW                                                                                             \
    {.id = "secp256k1/derive", .impl = "default", .name = "gcry_pk_decrypt ECDH secp256k1", .setup = ecdh_setup, .call = ecdh_call, .rekey = cs_setup_again, .teardown = ecdh_teardown, .param = "(private-key(ecc(curve secp256k1)(d %b)))", .seed = ecdsa_seed}
#define NIST_ROWS_OF(ALGORITHM, CURVE, NAME, KIND, PUT)                                                                \
    {.id = ALGORITHM "/sign", .impl = "default", .name = "gcry_pk_sign NIST " NAME, .setup = ecdsa_sign_setup, .call = ecdsa_sign_call, .rekey = cs_setup_again, .teardown = sig_teardown, .param = &(KIND), .form = "p1363", .seed = ecdsa_seed}, \
    {.id = ALGORITHM "/sign", .impl = "rfc6979", .name = "gcry_pk_sign NIST " NAME " (flags rfc6979)", .setup = ecdsa_sign_setup, .call = ecdsa_sign_call, .rekey = cs_setup_again, .teardown = sig_teardown, .param = &(KIND##_rfc6979), .form = "p1363", .seed = ecdsa_seed}, \
    {.id = ALGORITHM "/verify", .impl = "default", .name = "gcry_pk_verify NIST " NAME, .setup = ecdsa_verify_setup, .call = ecdsa_verify_call, .rekey = cs_setup_again, .teardown = sig_teardown, .param = &(KIND), .form = "p1363"}, \
    KEYGEN_ROW(CURVE, {"(genkey(ecc(curve \"NIST " NAME "\")))", PUT, 0})
/* transient-key: of keys that serve one message, says the manual. */
#define AGREE_ROW(CURVE, NAME)                                                                                         \
    {.id = CURVE "/agree", .impl = "default", .name = "gcry_pk_genkey, gcry_pk_decrypt ECDH NIST " NAME, .setup = keygen_setup, .call = agree_call, .rekey = cs_key_in_call, .teardown = keygen_teardown, .param = &(const struct genkey){"(genkey(ecc(curve \"NIST " NAME "\")(flags transient-key)))", NULL, 0}, .seed = ecdsa_seed}
#define AGREE_ROWS                                                                                                     \
    {.id = "x25519/agree", .impl = "default", .name = "gcry_ecc_mul_point", .setup = x25519_agree_setup, .call = x25519_agree_call, .rekey = cs_key_in_call, .seed = ecdsa_seed}, \
    AGREE_ROW("p-256", "P-256"), AGREE_ROW("p-384", "P-384")
#define BASE_ROW(CURVE, NAME)                                                                                          \
    {.id = CURVE "/multiply-base", .impl = "default", .name = "gcry_mpi_ec_mul " NAME, .setup = base_setup, .call = base_call, .teardown = base_teardown, .param = NAME}
#define BASE_ROWS                                                                                                      \
    BASE_ROW("p-256", "NIST P-256"), BASE_ROW("p-384", "NIST P-384"), BASE_ROW("p-521", "NIST P-521"), BASE_ROW("secp256k1", "secp256k1")
#define NIST_ROWS                                                                                                      \
    AGREE_ROWS, BASE_ROWS, SECP256K1_ECDH_ROW, ECDH_ROW("p-256", "P-256"), ECDH_ROW("p-384", "P-384"), ECDH_ROW("p-521", "P-521"),                                \
    NIST_ROWS_OF("ecdsa-p384-sha384", "p-384", "P-384", ecdsa_p384, put_p384),                                         \
    NIST_ROWS_OF("ecdsa-p521-sha512", "p-521", "P-521", ecdsa_p521, put_p521)
/* clang-format on */

#endif
