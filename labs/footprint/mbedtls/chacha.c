/* SPDX-License-Identifier: Apache-2.0
 *
 * ChaCha20-Poly1305, opened.
 */
#include "../program.h"
#include "hooks.h"

#include <mbedtls/chachapoly.h>

enum { KEY_BYTES = 32, IV_BYTES = 12, TAG_BYTES = 16 };

static uint8_t opened[MOST];

int main(void)
{
    mbedtls_chachapoly_context chacha;
    span key, iv, aad, tag, msg;

    if (!read_input())
        return BROKEN;
    key = field(), iv = field(), aad = field(), tag = field(), msg = rest();
    mbedtls_chachapoly_init(&chacha);
    if (key.len != KEY_BYTES || iv.len != IV_BYTES || mbedtls_chachapoly_setkey(&chacha, key.data) != 0)
        return BROKEN;
    if (tag.len != TAG_BYTES ||
        mbedtls_chachapoly_auth_decrypt(&chacha, msg.len, iv.data, aad.data, aad.len, tag.data, msg.data, opened) != 0)
        return NO;
    return write_output(opened, msg.len);
}
