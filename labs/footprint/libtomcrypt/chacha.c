/* SPDX-License-Identifier: Apache-2.0
 *
 * ChaCha20-Poly1305, opened. The library gives the tag, and its caller compares.
 */
#include "../program.h"

#include <tomcrypt.h>

enum { TAG_BYTES = 16 };

static uint8_t opened[MOST];

int main(void)
{
    uint8_t own[TAG_BYTES];
    unsigned long len = sizeof own;
    span key, iv, aad, tag, msg;

    if (!read_input())
        return BROKEN;
    key = field(), iv = field(), aad = field(), tag = field(), msg = rest();
    if (chacha20poly1305_memory(key.data, key.len, iv.data, iv.len, aad.data, aad.len, msg.data, msg.len, opened, own,
                                &len, CHACHA20POLY1305_DECRYPT) != CRYPT_OK)
        return BROKEN;
    if (tag.len != TAG_BYTES || mem_neq(own, tag.data, TAG_BYTES) != 0)
        return NO;
    return write_output(opened, msg.len);
}
