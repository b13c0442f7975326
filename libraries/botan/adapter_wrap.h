/* SPDX-License-Identifier: Apache-2.0
 *
 * Botan: the rows of modes that a build has only with their modules, for the table in adapter.cpp: CCM, EAX, OCB, XTS,
 * key wrap, and other ciphers than AES.
 */
#ifndef CIPHERSTONE_BOTAN_WRAP_H
#define CIPHERSTONE_BOTAN_WRAP_H

#include "adapter.h"

#include <botan/build.h>

namespace cs_botan
{

int setup_wrap(cs_case *c) noexcept;
int rekey_wrap(cs_case *c) noexcept;
int call_wrap(cs_case *c) noexcept;
int call_unwrap(cs_case *c) noexcept;
void teardown_wrap(cs_case *c) noexcept;

} // namespace cs_botan

/* Each ends with a comma where it is not empty. */
#if defined(BOTAN_HAS_AEAD_CCM)
#define CCM_ROWS(BITS)                                                                                                 \
    seal_row("aes-" BITS "-ccm/seal", "AES-" BITS "/CCM(16,3)"),                                                       \
        open_row("aes-" BITS "-ccm/open", "AES-" BITS "/CCM(16,3)"),
#else
#define CCM_ROWS(BITS)
#endif
#if defined(BOTAN_HAS_AEAD_EAX)
#define EAX_ROWS(BITS)                                                                                                 \
    reset_before_message(seal_row("aes-" BITS "-eax/seal", "AES-" BITS "/EAX")),                                       \
        open_row("aes-" BITS "-eax/open", "AES-" BITS "/EAX"),
#else
#define EAX_ROWS(BITS)
#endif
#if defined(BOTAN_HAS_AEAD_OCB)
#define OCB_ROWS(BITS)                                                                                                 \
    reset_after_key(seal_row("aes-" BITS "-ocb/seal", "AES-" BITS "/OCB(16)")),                                        \
        reset_after_key(open_row("aes-" BITS "-ocb/open", "AES-" BITS "/OCB(16)")),
#else
#define OCB_ROWS(BITS)
#endif
#if defined(BOTAN_HAS_MODE_XTS)
#define XTS_ROWS(BITS)                                                                                                 \
    cbc_row("aes-" BITS "-xts/encrypt", "AES-" BITS "/XTS", encryption, 16),                                           \
        cbc_row("aes-" BITS "-xts/decrypt", "AES-" BITS "/XTS", decryption, 16),
#else
#define XTS_ROWS(BITS)
#endif
#if defined(BOTAN_HAS_NIST_KEYWRAP)
#define WRAP_ROW(ID, VERB)                                                                                             \
    {.id = ID "/" #VERB,                                                                                               \
     .impl = "default",                                                                                                \
     .name = "nist_key_" #VERB,                                                                                        \
     .setup = setup_wrap,                                                                                              \
     .call = call_##VERB,                                                                                              \
     .teardown = teardown_wrap,                                                                                        \
     .block = 8,                                                                                                       \
     .rekey = rekey_wrap},
#define WRAP_ROWS(BITS) WRAP_ROW("aes-" BITS "-kw", wrap) WRAP_ROW("aes-" BITS "-kw", unwrap)
#else
#define WRAP_ROWS(BITS)
#endif
#if defined(BOTAN_HAS_CAMELLIA)
#define CAMELLIA_ROWS                                                                                                  \
    cbc_row("camellia-128-cbc/encrypt", "Camellia-128/CBC/NoPadding", encryption, 16),                                 \
        cbc_row("camellia-128-cbc/decrypt", "Camellia-128/CBC/NoPadding", decryption, 16),
#else
#define CAMELLIA_ROWS
#endif
#if defined(BOTAN_HAS_ARIA)
#define ARIA_ROWS stream_row("aria-128-ctr/encrypt", "CTR-BE(ARIA-128)"),
#else
#define ARIA_ROWS
#endif
#if defined(BOTAN_HAS_SM4)
#define SM4_ROWS stream_row("sm4-ctr/encrypt", "CTR-BE(SM4)"),
#else
#define SM4_ROWS
#endif
#define SIZED_ROWS(BITS) CCM_ROWS(BITS) EAX_ROWS(BITS) OCB_ROWS(BITS) XTS_ROWS(BITS) WRAP_ROWS(BITS)
#define OTHER_ROWS CAMELLIA_ROWS ARIA_ROWS SM4_ROWS
#define MODE_ROWS                                                                                                      \
    OTHER_ROWS SIZED_ROWS("128") SIZED_ROWS("256") seal_row("xchacha20-poly1305/seal", "ChaCha20Poly1305"),            \
        open_row("xchacha20-poly1305/open", "ChaCha20Poly1305"),

#endif
