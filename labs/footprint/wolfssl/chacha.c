/* SPDX-License-Identifier: Apache-2.0
 *
 * ChaCha20-Poly1305, opened.
 */
#include "../program.h"

#include <wolfssl/options.h>
#include <wolfssl/wolfcrypt/chacha20_poly1305.h>

#include "random.h"

static uint8_t opened[MOST];

int main(void)
{
    span key, iv, aad, tag, msg;

    if (!read_input())
        return BROKEN;
    key = field(), iv = field(), aad = field(), tag = field(), msg = rest();
    if (key.len != CHACHA20_POLY1305_AEAD_KEYSIZE || iv.len != CHACHA20_POLY1305_AEAD_IV_SIZE)
        return BROKEN;
    if (tag.len != CHACHA20_POLY1305_AEAD_AUTHTAG_SIZE ||
        wc_ChaCha20Poly1305_Decrypt(key.data, iv.data, aad.data, (word32)aad.len, msg.data, (word32)msg.len, tag.data,
                                    opened) != 0)
        return NO;
    return write_output(opened, msg.len);
}
