/* SPDX-License-Identifier: Apache-2.0
 *
 * AES-GCM, opened; the interface takes the tag as the last of its buffers.
 */
#include "../program.h"

#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>

enum { AES_128_BYTES = 16, TAG_BYTES = 16 };

int main(void)
{
    span key, iv, aad, tag, msg;
    gnutls_aead_cipher_hd_t cipher;
    gnutls_datum_t secret;
    int status;

    if (!read_input())
        return BROKEN;
    key = field(), iv = field(), aad = field(), tag = field(), msg = rest();
    secret = (gnutls_datum_t){key.data, (unsigned)key.len};
    if (gnutls_aead_cipher_init(
            &cipher, key.len == AES_128_BYTES ? GNUTLS_CIPHER_AES_128_GCM : GNUTLS_CIPHER_AES_256_GCM, &secret) < 0)
        return BROKEN;
    if (tag.len != TAG_BYTES)
        return NO;
    status =
        gnutls_aead_cipher_decryptv2(cipher, iv.data, iv.len, &(giovec_t){.iov_base = aad.data, .iov_len = aad.len}, 1,
                                     &(giovec_t){.iov_base = msg.data, .iov_len = msg.len}, 1, tag.data, tag.len);
    gnutls_aead_cipher_deinit(cipher);
    return status < 0 ? NO : write_output(msg.data, msg.len);
}
