/* SPDX-License-Identifier: Apache-2.0
 *
 * Nettle: the rows of Camellia and SM4, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_NETTLE_CAMELLIA_H
#define CIPHERSTONE_NETTLE_CAMELLIA_H

#include <nettle/version.h>

#include "adapter.h"

#define HAS_SM4 (NETTLE_VERSION_MAJOR > 3 || NETTLE_VERSION_MINOR >= 9)

/* `param` is Nettle's description of the cipher. */
int other_encrypt_setup(cs_case *c);
int other_encrypt_rekey(cs_case *c);
int other_decrypt_setup(cs_case *c);
int other_decrypt_rekey(cs_case *c);
int other_cbc_encrypt_call(cs_case *c);
int other_cbc_decrypt_call(cs_case *c);
int other_ctr_call(cs_case *c);

/* clang-format off */
#if HAS_SM4
#define SM4_ROW                                                                                                        \
    , {.id = "sm4-ctr/encrypt", .impl = "default", .name = "ctr_crypt sm4", .setup = other_encrypt_setup, .call = other_ctr_call, .rekey = other_encrypt_rekey, .teardown = free_state, .param = &nettle_sm4}
#else
#define SM4_ROW
#endif
#define OTHER_ROWS                                                                                                     \
    {.id = "camellia-128-cbc/encrypt", .impl = "default", .name = "cbc_encrypt camellia128", .setup = other_encrypt_setup, .call = other_cbc_encrypt_call, .rekey = other_encrypt_rekey, .teardown = free_state, .param = &nettle_camellia128, .block = 16}, \
    {.id = "camellia-128-cbc/decrypt", .impl = "default", .name = "cbc_decrypt camellia128", .setup = other_decrypt_setup, .call = other_cbc_decrypt_call, .rekey = other_decrypt_rekey, .teardown = free_state, .param = &nettle_camellia128, .block = 16} SM4_ROW
/* clang-format on */

#endif
