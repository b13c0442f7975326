/* SPDX-License-Identifier: Apache-2.0
 *
 * AES-128-GCM, opened.
 */
#include "../program.h"

#include <wolfssl/options.h>
#include <wolfssl/wolfcrypt/aes.h>

#include "random.h"

static uint8_t opened[MOST];

int main(void)
{
    static Aes aes;
    span key, iv, aad, tag, msg;

    if (!read_input())
        return BROKEN;
    key = field(), iv = field(), aad = field(), tag = field(), msg = rest();
    if (wc_AesInit(&aes, NULL, INVALID_DEVID) != 0 || wc_AesGcmSetKey(&aes, key.data, (word32)key.len) != 0)
        return BROKEN;
    if (tag.len != WC_AES_BLOCK_SIZE ||
        wc_AesGcmDecrypt(&aes, opened, msg.data, (word32)msg.len, iv.data, (word32)iv.len, tag.data, (word32)tag.len,
                         aad.data, (word32)aad.len) != 0)
        return NO;
    return write_output(opened, msg.len);
}
