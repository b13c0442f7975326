/* SPDX-License-Identifier: Apache-2.0
 *
 * ChaCha20-Poly1305, opened.
 */
#include "begin.h"

static uint8_t opened[MOST];

int main(void)
{
    span key, iv, aad, tag, msg;

    if (!begun())
        return BROKEN;
    key = field(), iv = field(), aad = field(), tag = field(), msg = rest();
    if (key.len != crypto_aead_chacha20poly1305_ietf_KEYBYTES || iv.len != crypto_aead_chacha20poly1305_ietf_NPUBBYTES)
        return BROKEN;
    if (tag.len != crypto_aead_chacha20poly1305_ietf_ABYTES ||
        crypto_aead_chacha20poly1305_ietf_decrypt_detached(opened, NULL, msg.data, msg.len, tag.data, aad.data, aad.len,
                                                           iv.data, key.data) != 0)
        return NO;
    return write_output(opened, msg.len);
}
