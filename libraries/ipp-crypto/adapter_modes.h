/* SPDX-License-Identifier: Apache-2.0
 *
 * Intel IPP Cryptography: the rows of AES-CCM, AES-XTS and SM4, for the table in adapter.c.
 */
#ifndef CIPHERSTONE_IPP_CRYPTO_MODES_H
#define CIPHERSTONE_IPP_CRYPTO_MODES_H

#include "adapter.h"

int setup_ccm_seal(cs_case *c);
int setup_ccm_open(cs_case *c);
int rekey_ccm(cs_case *c);
int call_ccm_seal(cs_case *c);
int call_ccm_open(cs_case *c);
int setup_xts(cs_case *c);
int rekey_xts(cs_case *c);
int call_xts_encrypt(cs_case *c);
int call_xts_decrypt(cs_case *c);
int setup_sm4(cs_case *c);
int rekey_sm4(cs_case *c);
int call_sm4(cs_case *c);

/* clang-format off */
#define CCM(ID) \
    {.id = ID "/seal", .impl = "default", .name = "ippsAES_CCMStart, ippsAES_CCMEncrypt, ippsAES_CCMGetTag", .setup = setup_ccm_seal, .call = call_ccm_seal, .rekey = rekey_ccm, .teardown = teardown}, \
    {.id = ID "/open", .impl = "default", .name = "ippsAES_CCMStart, ippsAES_CCMDecrypt, ippsAES_CCMGetTag", .setup = setup_ccm_open, .call = call_ccm_open, .rekey = rekey_ccm, .teardown = teardown}
#define XTS(ID) \
    {.id = ID "/encrypt", .impl = "default", .name = "ippsAES_XTSEncrypt", .setup = setup_xts, .call = call_xts_encrypt, .rekey = rekey_xts, .teardown = teardown}, \
    {.id = ID "/decrypt", .impl = "default", .name = "ippsAES_XTSDecrypt", .setup = setup_xts, .call = call_xts_decrypt, .rekey = rekey_xts, .teardown = teardown}
#define MODE_ROWS \
    CCM("aes-128-ccm"), CCM("aes-256-ccm"), XTS("aes-128-xts"), XTS("aes-256-xts"), \
    {.id = "sm4-ctr/encrypt", .impl = "default", .name = "ippsSMS4EncryptCTR", .setup = setup_sm4, .call = call_sm4, .rekey = rekey_sm4, .teardown = teardown}
/* clang-format on */

#endif
