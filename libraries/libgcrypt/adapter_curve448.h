/* SPDX-License-Identifier: Apache-2.0
 *
 * Libgcrypt: the rows of X448 and Ed448, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_LIBGCRYPT_CURVE448_H
#define CIPHERSTONE_LIBGCRYPT_CURVE448_H

#include "adapter_keys.h"

int x448_setup(cs_case *c);
int x448_call(cs_case *c);
int ed448_sign_setup(cs_case *c);
int ed448_sign_call(cs_case *c);
int ed448_verify_setup(cs_case *c);
int ed448_verify_call(cs_case *c);
void ed448_teardown(cs_case *c);
int put_x448(cs_case *c, gcry_sexp_t pair);
int put_ed448(cs_case *c, gcry_sexp_t pair);

/* clang-format off */
#define CURVE448_ROWS                                                                                                  \
    {.id = "x448/derive", .impl = "default", .name = "gcry_ecc_mul_point Curve448", .setup = x448_setup, .call = x448_call, .rekey = cs_key_in_call}, \
    {.id = "ed448/sign", .impl = "default", .name = "gcry_pk_sign Ed448", .setup = ed448_sign_setup, .call = ed448_sign_call, .rekey = cs_setup_again, .teardown = ed448_teardown}, \
    {.id = "ed448/verify", .impl = "default", .name = "gcry_pk_verify Ed448", .setup = ed448_verify_setup, .call = ed448_verify_call, .rekey = cs_setup_again, .teardown = ed448_teardown}, \
    KEYGEN_ROW("x448", {"(genkey(ecc(curve X448)))", put_x448, 0}),                                                    \
    KEYGEN_ROW("ed448", {"(genkey(ecc(curve Ed448)))", put_ed448, 0})
/* clang-format on */

#endif
