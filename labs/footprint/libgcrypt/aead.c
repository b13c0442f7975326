/* SPDX-License-Identifier: Apache-2.0
 *
 * AES-GCM, opened in place.
 */
#include "own.h"

enum { AES_128_BYTES = 16, TAG_BYTES = 16 };

int main(void)
{
    span key, iv, aad, tag, msg;
    gcry_cipher_hd_t cipher;

    if (!read_input() || !begun())
        return BROKEN;
    key = field(), iv = field(), aad = field(), tag = field(), msg = rest();
    if (gcry_cipher_open(&cipher, key.len == AES_128_BYTES ? GCRY_CIPHER_AES128 : GCRY_CIPHER_AES256,
                         GCRY_CIPHER_MODE_GCM, 0) != 0 ||
        gcry_cipher_setkey(cipher, key.data, key.len) != 0 || gcry_cipher_setiv(cipher, iv.data, iv.len) != 0 ||
        gcry_cipher_authenticate(cipher, aad.data, aad.len) != 0 ||
        gcry_cipher_decrypt(cipher, msg.data, msg.len, NULL, 0) != 0)
        return BROKEN;
    if (tag.len != TAG_BYTES || gcry_cipher_checktag(cipher, tag.data, tag.len) != 0)
        return NO;
    return write_output(msg.data, msg.len);
}
