/* SPDX-License-Identifier: Apache-2.0
 *
 * wolfSSL: the rows of X448 and Ed448, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_WOLFSSL_CURVE448_H
#define CIPHERSTONE_WOLFSSL_CURVE448_H

#include "adapter_keys.h"

#if defined(HAVE_CURVE448) && defined(HAVE_ED448)
int x448_setup(cs_case *c);
int x448_call(cs_case *c);
void x448_teardown(cs_case *c);
int x448_keygen_setup(cs_case *c);
int x448_keygen_call(cs_case *c);
void x448_keygen_teardown(cs_case *c);
int ed448_sign_setup(cs_case *c);
int ed448_sign_call(cs_case *c);
int ed448_verify_setup(cs_case *c);
int ed448_verify_call(cs_case *c);
int ed448_keygen_setup(cs_case *c);
int ed448_keygen_call(cs_case *c);
void ed448_teardown(cs_case *c);

/* clang-format off */
#define CURVE448_ROWS                                                                                                  \
    {.id = "x448/derive", .impl = "default", .name = "wc_curve448_shared_secret_ex", .setup = x448_setup, .call = x448_call, .rekey = cs_setup_again, .teardown = x448_teardown}, \
    {.id = "ed448/sign", .impl = "default", .name = "wc_ed448_sign_msg", .setup = ed448_sign_setup, .call = ed448_sign_call, .rekey = cs_setup_again, .teardown = ed448_teardown}, \
    {.id = "ed448/verify", .impl = "default", .name = "wc_ed448_verify_msg", .setup = ed448_verify_setup, .call = ed448_verify_call, .rekey = cs_setup_again, .teardown = ed448_teardown}, \
    KEYGEN_ROW("x448", "wc_curve448_make_key", x448, x448_keygen_teardown, .seeded = 0),                               \
    KEYGEN_ROW("ed448", "wc_ed448_make_key", ed448, ed448_teardown, .seeded = 0),
/* clang-format on */
#else
#define CURVE448_ROWS
#endif

#endif
