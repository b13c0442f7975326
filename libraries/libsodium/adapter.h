/* SPDX-License-Identifier: Apache-2.0
 *
 * Declarations that the files of this adapter share.
 */
#ifndef CIPHERSTONE_LIBSODIUM_ADAPTER_H
#define CIPHERSTONE_LIBSODIUM_ADAPTER_H

#include "cipherstone.h"
#include "cipherstone_encoding.h"

/* Before sodium_init: reports the bytes that are drawn, in a process that counts. */
void count_drawn(void);

/* Before sodium_init: sets the generator on a machine without an operating system; elsewhere does nothing. */
void random_on_a_board(void);

extern const cs_table libsodium_xchacha, libsodium_mac, libsodium_random, libsodium_keys, libsodium_kdf;

#endif
