/* SPDX-License-Identifier: Apache-2.0
 *
 * AES-128-GCM, opened; with a key of the double length AES-256-GCM.
 */
#include "../posix.h"
#include "../program.h"

#include <openssl/evp.h>

enum { AES_128_BYTES = 16, TAG_BYTES = 16 };

static uint8_t opened[MOST];

int main(void)
{
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    span key, iv, aad, tag, msg;
    int len = 0, last = 0;

    if (!read_input() || ctx == NULL)
        return BROKEN;
    key = field(), iv = field(), aad = field(), tag = field(), msg = rest();
    if (EVP_DecryptInit_ex(ctx, key.len == AES_128_BYTES ? EVP_aes_128_gcm() : EVP_aes_256_gcm(), NULL, key.data,
                           iv.data) != 1)
        return BROKEN;
    if (tag.len != TAG_BYTES || EVP_DecryptUpdate(ctx, NULL, &len, aad.data, (int)aad.len) != 1 ||
        EVP_DecryptUpdate(ctx, opened, &len, msg.data, (int)msg.len) != 1 ||
        EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, TAG_BYTES, tag.data) != 1 ||
        EVP_DecryptFinal_ex(ctx, opened + len, &last) != 1)
        return NO;
    EVP_CIPHER_CTX_free(ctx);
    return write_output(opened, msg.len);
}
