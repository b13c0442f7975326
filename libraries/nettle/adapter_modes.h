/* SPDX-License-Identifier: Apache-2.0
 *
 * Nettle: the rows of CCM, XTS, EAX, OCB, GCM-SIV and key wrap, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_NETTLE_MODES_H
#define CIPHERSTONE_NETTLE_MODES_H

#include <nettle/version.h>

#include "adapter.h"

#define HAS_OCB (NETTLE_VERSION_MAJOR > 3 || NETTLE_VERSION_MINOR >= 9)

int ccm128_setup(cs_case *c);
int ccm256_setup(cs_case *c);
int ccm128_rekey(cs_case *c);
int ccm256_rekey(cs_case *c);
int ccm128_seal_call(cs_case *c);
int ccm256_seal_call(cs_case *c);
int ccm128_open_call(cs_case *c);
int ccm256_open_call(cs_case *c);
int xts128_setup(cs_case *c);
int xts256_setup(cs_case *c);
int xts128_rekey(cs_case *c);
int xts256_rekey(cs_case *c);
int xts128_encrypt_call(cs_case *c);
int xts256_encrypt_call(cs_case *c);
int xts128_decrypt_call(cs_case *c);
int xts256_decrypt_call(cs_case *c);

/* `param` is Nettle's description of the cipher. */
int eax_setup(cs_case *c);
int eax_rekey(cs_case *c);
int eax_seal_call(cs_case *c);
int eax_open_call(cs_case *c);
int wrap_setup(cs_case *c);
int wrap_rekey(cs_case *c);
int wrap_call(cs_case *c);
int unwrap_setup(cs_case *c);
int unwrap_rekey(cs_case *c);
int unwrap_call(cs_case *c);
#if HAS_OCB
int ocb_setup(cs_case *c);
int ocb_rekey(cs_case *c);
int ocb_seal_call(cs_case *c);
int ocb_open_call(cs_case *c);
int siv_setup(cs_case *c);
int siv_rekey(cs_case *c);
int siv_seal_call(cs_case *c);
int siv_open_setup(cs_case *c);
int siv_open_rekey(cs_case *c);
int siv_open_call(cs_case *c);
void siv_teardown(cs_case *c);
#endif

/* clang-format off */
#define MODE_ROW(ID, NAME, SETUP, CALL, REKEY, TEARDOWN, CIPHER, BLOCK)                                                \
    {.id = ID, .impl = "default", .name = NAME, .setup = SETUP, .call = CALL, .rekey = REKEY, .teardown = TEARDOWN, .param = &nettle_##CIPHER, .block = BLOCK}
#define SIZED_ROWS(BITS)                                                                                               \
    MODE_ROW("aes-" #BITS "-ccm/seal", "ccm_aes" #BITS "_encrypt", ccm##BITS##_setup, ccm##BITS##_seal_call, ccm##BITS##_rekey, free_state, aes##BITS, 0), \
    MODE_ROW("aes-" #BITS "-ccm/open", "ccm_aes" #BITS "_decrypt", ccm##BITS##_setup, ccm##BITS##_open_call, ccm##BITS##_rekey, free_state, aes##BITS, 0), \
    MODE_ROW("aes-" #BITS "-xts/encrypt", "xts_aes" #BITS "_encrypt_message", xts##BITS##_setup, xts##BITS##_encrypt_call, xts##BITS##_rekey, free_state, aes##BITS, 16), \
    MODE_ROW("aes-" #BITS "-xts/decrypt", "xts_aes" #BITS "_decrypt_message", xts##BITS##_setup, xts##BITS##_decrypt_call, xts##BITS##_rekey, free_state, aes##BITS, 16), \
    MODE_ROW("aes-" #BITS "-eax/seal", "eax_encrypt aes" #BITS, eax_setup, eax_seal_call, eax_rekey, free_state, aes##BITS, 0), \
    MODE_ROW("aes-" #BITS "-eax/open", "eax_decrypt aes" #BITS, eax_setup, eax_open_call, eax_rekey, free_state, aes##BITS, 0), \
    MODE_ROW("aes-" #BITS "-kw/wrap", "nist_keywrap16 aes" #BITS, wrap_setup, wrap_call, wrap_rekey, free_state, aes##BITS, 8), \
    MODE_ROW("aes-" #BITS "-kw/unwrap", "nist_keyunwrap16 aes" #BITS, unwrap_setup, unwrap_call, unwrap_rekey, free_state, aes##BITS, 8)
#if HAS_OCB
#define OCB_ROWS(BITS)                                                                                                 \
    , MODE_ROW("aes-" #BITS "-ocb/seal", "ocb_encrypt aes" #BITS, ocb_setup, ocb_seal_call, ocb_rekey, free_state, aes##BITS, 0), \
    MODE_ROW("aes-" #BITS "-ocb/open", "ocb_decrypt aes" #BITS, ocb_setup, ocb_open_call, ocb_rekey, free_state, aes##BITS, 0), \
    MODE_ROW("aes-" #BITS "-gcm-siv/seal", "siv_gcm_encrypt_message aes" #BITS, siv_setup, siv_seal_call, siv_rekey, siv_teardown, aes##BITS, 0), \
    MODE_ROW("aes-" #BITS "-gcm-siv/open", "siv_gcm_decrypt_message aes" #BITS, siv_open_setup, siv_open_call, siv_open_rekey, siv_teardown, aes##BITS, 0)
#else
#define OCB_ROWS(BITS)
#endif
#define MODE_ROWS SIZED_ROWS(128), SIZED_ROWS(256) OCB_ROWS(128) OCB_ROWS(256)
/* clang-format on */

#endif
