/* SPDX-License-Identifier: Apache-2.0
 *
 * ChaCha20-Poly1305, opened: the first message of a stream is that of RFC 8439.
 */
#include "../program.h"

#include <monocypher.h>

enum { KEY_BYTES = 32, IV_BYTES = 12, TAG_BYTES = 16 };

static uint8_t opened[MOST];

int main(void)
{
    crypto_aead_ctx stream;
    span key, iv, aad, tag, msg;

    if (!read_input())
        return BROKEN;
    key = field(), iv = field(), aad = field(), tag = field(), msg = rest();
    if (key.len != KEY_BYTES || iv.len != IV_BYTES)
        return BROKEN;
    crypto_aead_init_ietf(&stream, key.data, iv.data);
    if (tag.len != TAG_BYTES || crypto_aead_read(&stream, opened, tag.data, aad.data, aad.len, msg.data, msg.len) != 0)
        return NO;
    return write_output(opened, msg.len);
}
