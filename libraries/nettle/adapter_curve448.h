/* SPDX-License-Identifier: Apache-2.0
 *
 * Nettle: the rows of X448 and Ed448, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_NETTLE_CURVE448_H
#define CIPHERSTONE_NETTLE_CURVE448_H

#include "adapter_keys.h"

int x448_setup(cs_case *c);
int x448_call(cs_case *c);
int ed448_sign_setup(cs_case *c);
int ed448_sign_call(cs_case *c);
int ed448_verify_call(cs_case *c);

/* clang-format off */
#define CURVE448_ROWS                                                                                                  \
    {.id = "x448/derive", .impl = "default", .name = "curve448_mul", .setup = x448_setup, .call = x448_call, .rekey = cs_key_in_call}, \
    {.id = "ed448/sign", .impl = "default", .name = "ed448_shake256_sign", .setup = ed448_sign_setup, .call = ed448_sign_call, .rekey = cs_key_in_call}, \
    {.id = "ed448/verify", .impl = "default", .name = "ed448_shake256_verify", .call = ed448_verify_call, .rekey = cs_key_in_call}, \
    KEYGEN_ROW("x448", "curve448_mul_g", x448_keygen_call, 1), KEYGEN_ROW("ed448", "ed448_shake256_public_key", ed448_keygen_call, 1)
/* clang-format on */

#endif
