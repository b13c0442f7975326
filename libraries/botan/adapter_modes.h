/* SPDX-License-Identifier: Apache-2.0
 *
 * Botan: CBC and AEAD, for the table in adapter.cpp.
 */
#ifndef CIPHERSTONE_BOTAN_MODES_H
#define CIPHERSTONE_BOTAN_MODES_H

#include "adapter.h"

#include <botan/cipher_mode.h>

namespace cs_botan
{

/* What a row's `param` points to. */
extern const Botan::Cipher_Dir encryption, decryption;

int setup_cbc(cs_case *c) noexcept;
int rekey_cbc(cs_case *c) noexcept;
int call_cbc(cs_case *c) noexcept;
void teardown_cbc(cs_case *c) noexcept;

int setup_aead(cs_case *c) noexcept;
int rekey_aead(cs_case *c) noexcept;
int call_seal(cs_case *c) noexcept;
int call_open(cs_case *c) noexcept;
void teardown_aead(cs_case *c) noexcept;

int setup_ghash(cs_case *c) noexcept;
int call_ghash(cs_case *c) noexcept;
void teardown_ghash(cs_case *c) noexcept;

/* Rows of AEADs that do not forget by themselves. OCB keeps what it made of the last nonce under another key, EAX that
 * a sealed message had a nonce, so that no additional data are taken for the next one. */
cs_op reset_after_key(cs_op row) noexcept;
cs_op reset_before_message(cs_op row) noexcept;

} // namespace cs_botan

#endif
