/* SPDX-License-Identifier: Apache-2.0
 *
 * AES-128-GCM, opened.
 */
#include "../program.h"
#include "hooks.h"

#include <mbedtls/gcm.h>

static uint8_t opened[MOST];

int main(void)
{
    mbedtls_gcm_context gcm;
    span key, iv, aad, tag, msg;

    if (!read_input())
        return BROKEN;
    key = field(), iv = field(), aad = field(), tag = field(), msg = rest();
    mbedtls_gcm_init(&gcm);
    if (mbedtls_gcm_setkey(&gcm, MBEDTLS_CIPHER_ID_AES, key.data, (unsigned)key.len * 8) != 0)
        return BROKEN;
    if (tag.len != 16 || mbedtls_gcm_auth_decrypt(&gcm, msg.len, iv.data, iv.len, aad.data, aad.len, tag.data, tag.len,
                                                  msg.data, opened) != 0)
        return NO;
    return write_output(opened, msg.len);
}
