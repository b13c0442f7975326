/* SPDX-License-Identifier: Apache-2.0
 *
 * AES-GCM, opened. The interface takes the tag behind the message.
 */
#include "own.h"

#include <string.h>

enum { TAG_BYTES = 16 };

int main(void)
{
    static uint8_t sealed[MOST], out[MOST];
    span key, iv, aad, tag, msg;
    CK_NSS_GCM_PARAMS how;
    SECItem parameters, secret;
    PK11SymKey *own;
    unsigned len = 0;

    if (!read_input() || !begun())
        return BROKEN;
    key = field(), iv = field(), aad = field(), tag = field(), msg = rest();
    if (tag.len != TAG_BYTES)
        return NO;
    memcpy(sealed, msg.data, msg.len);
    memcpy(sealed + msg.len, tag.data, tag.len);
    how = (CK_NSS_GCM_PARAMS){
        .pIv = iv.data, .ulIvLen = iv.len, .pAAD = aad.data, .ulAADLen = aad.len, .ulTagBits = 8 * TAG_BYTES};
    parameters = (SECItem){siBuffer, (unsigned char *)&how, sizeof how}, secret = item(key);
    own = PK11_ImportSymKey(PK11_GetInternalSlot(), CKM_AES_GCM, PK11_OriginUnwrap, CKA_DECRYPT, &secret, NULL);
    if (own == NULL)
        return BROKEN;
    return PK11_Decrypt(own, CKM_AES_GCM, &parameters, out, &len, sizeof out, sealed, (unsigned)(msg.len + tag.len)) ==
                   SECSuccess
               ? write_output(out, len)
               : NO;
}
