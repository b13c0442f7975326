/* SPDX-License-Identifier: Apache-2.0
 *
 * LibTomCrypt: the rows of CCM, EAX, OCB and XTS, and of Camellia, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_LIBTOMCRYPT_MODES_H
#define CIPHERSTONE_LIBTOMCRYPT_MODES_H

#include "adapter_cipher.h"

int ccm_setup(cs_case *c);
int ccm_rekey(cs_case *c);
int ccm_seal_call(cs_case *c);
int ccm_open_call(cs_case *c);
int eax_setup(cs_case *c);
int eax_seal_call(cs_case *c);
int eax_open_call(cs_case *c);
int ocb_setup(cs_case *c);
int ocb_seal_call(cs_case *c);
int ocb_open_call(cs_case *c);
int xts_setup(cs_case *c);
void xts_teardown(cs_case *c);
int xts_encrypt_call(cs_case *c);
int xts_decrypt_call(cs_case *c);

/* clang-format off */
#define SIZED_ROWS(BITS)                                                                                               \
    {.id = "aes-" BITS "-ccm/seal", .impl = "default", .name = "ccm_reset, ccm_add_nonce, ccm_add_aad, ccm_process, ccm_done", .setup = ccm_setup, .call = ccm_seal_call, .rekey = ccm_rekey, .teardown = free_state}, \
    {.id = "aes-" BITS "-ccm/open", .impl = "default", .name = "ccm_reset, ccm_add_nonce, ccm_add_aad, ccm_process, ccm_done", .setup = ccm_setup, .call = ccm_open_call, .rekey = ccm_rekey, .teardown = free_state}, \
    {.id = "aes-" BITS "-eax/seal", .impl = "default", .name = "eax_init, eax_encrypt, eax_done", .setup = eax_setup, .call = eax_seal_call, .rekey = cs_key_in_call, .teardown = free_state}, \
    {.id = "aes-" BITS "-eax/open", .impl = "default", .name = "eax_init, eax_decrypt, eax_done", .setup = eax_setup, .call = eax_open_call, .rekey = cs_key_in_call, .teardown = free_state}, \
    {.id = "aes-" BITS "-ocb/seal", .impl = "default", .name = "ocb3_init, ocb3_add_aad, ocb3_encrypt_last, ocb3_done", .setup = ocb_setup, .call = ocb_seal_call, .rekey = cs_key_in_call, .teardown = free_state}, \
    {.id = "aes-" BITS "-ocb/open", .impl = "default", .name = "ocb3_init, ocb3_add_aad, ocb3_decrypt_last, ocb3_done", .setup = ocb_setup, .call = ocb_open_call, .rekey = cs_key_in_call, .teardown = free_state}, \
    {.id = "aes-" BITS "-xts/encrypt", .impl = "default", .name = "xts_encrypt", .setup = xts_setup, .call = xts_encrypt_call, .rekey = cs_setup_again, .teardown = xts_teardown, .block = 16}, \
    {.id = "aes-" BITS "-xts/decrypt", .impl = "default", .name = "xts_decrypt", .setup = xts_setup, .call = xts_decrypt_call, .rekey = cs_setup_again, .teardown = xts_teardown, .block = 16}
#define MODE_ROWS CBC_ROWS("camellia-128-cbc", camellia_cipher, 16), SIZED_ROWS("128"), SIZED_ROWS("256")
/* clang-format on */

#endif
