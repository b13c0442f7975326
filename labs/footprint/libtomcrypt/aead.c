/* SPDX-License-Identifier: Apache-2.0
 *
 * AES-128-GCM, opened. The library gives the tag, and its caller compares.
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
    int aes;

    if (!read_input())
        return BROKEN;
    key = field(), iv = field(), aad = field(), tag = field(), msg = rest();
    aes = register_cipher(&aes_enc_desc);
    if (aes < 0 || gcm_memory(aes, key.data, key.len, iv.data, iv.len, aad.data, aad.len, opened, msg.len, msg.data,
                              own, &len, GCM_DECRYPT) != CRYPT_OK)
        return BROKEN;
    if (tag.len != TAG_BYTES || mem_neq(own, tag.data, TAG_BYTES) != 0)
        return NO;
    return write_output(opened, msg.len);
}
