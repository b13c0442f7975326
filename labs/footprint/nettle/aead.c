/* SPDX-License-Identifier: Apache-2.0
 *
 * AES-128-GCM, opened. The library gives the tag, and its caller compares.
 */
#include "../program.h"

#include <nettle/gcm.h>
#include <nettle/memops.h>

static uint8_t opened[MOST];

int main(void)
{
    struct gcm_aes128_ctx gcm;
    uint8_t own[GCM_DIGEST_SIZE];
    span key, iv, aad, tag, msg;

    if (!read_input())
        return BROKEN;
    key = field(), iv = field(), aad = field(), tag = field(), msg = rest();
    if (key.len != AES128_KEY_SIZE)
        return BROKEN;
    gcm_aes128_set_key(&gcm, key.data);
    gcm_aes128_set_iv(&gcm, iv.len, iv.data);
    gcm_aes128_update(&gcm, aad.len, aad.data);
    gcm_aes128_decrypt(&gcm, msg.len, opened, msg.data);
    gcm_aes128_digest(&gcm, sizeof own, own);
    if (tag.len != sizeof own || !memeql_sec(own, tag.data, sizeof own))
        return NO;
    return write_output(opened, msg.len);
}
