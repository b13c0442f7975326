/* SPDX-License-Identifier: Apache-2.0
 *
 * libsodium: the rows of XChaCha20-Poly1305, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_LIBSODIUM_XCHACHA_H
#define CIPHERSTONE_LIBSODIUM_XCHACHA_H

#include "cipherstone.h"

int setup_xchacha_seal(cs_case *c);
int setup_xchacha_open(cs_case *c);
int call_xchacha_seal(cs_case *c);
int call_xchacha_open(cs_case *c);

#define XCHACHA_ROW(VERB)                                                                                              \
    {.id = "xchacha20-poly1305/" #VERB,                                                                                \
     .impl = "default",                                                                                                \
     .name = "crypto_aead_xchacha20poly1305_ietf",                                                                     \
     .setup = setup_xchacha_##VERB,                                                                                    \
     .call = call_xchacha_##VERB,                                                                                      \
     .rekey = cs_key_in_call}
#define XCHACHA_ROWS XCHACHA_ROW(seal), XCHACHA_ROW(open)

#endif
