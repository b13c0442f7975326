/* SPDX-License-Identifier: Apache-2.0
 *
 * OpenSSL adapter: the rows of multiples of a generator, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_OPENSSL_MULTIPLES_H
#define CIPHERSTONE_OPENSSL_MULTIPLES_H

#include "cipherstone.h"

#include <openssl/obj_mac.h>

const char *base_unavailable(const struct cs_op *op);
int base_setup(cs_case *c);
int base_call(cs_case *c);
void base_teardown(cs_case *c);

/* clang-format off */
#define BASE_ROW(CURVE, NID)                                                                                           \
    {.id = CURVE "/multiply-base", .impl = "default", .name = "EC_POINT_mul", .setup = base_setup, .call = base_call, .teardown = base_teardown, .param = &(const int){NID}, .unavailable = base_unavailable}
#define BASE_ROWS                                                                                                      \
    BASE_ROW("p-256", NID_X9_62_prime256v1), BASE_ROW("p-384", NID_secp384r1), BASE_ROW("p-521", NID_secp521r1), BASE_ROW("secp256k1", NID_secp256k1)
/* clang-format on */

#endif
