/* SPDX-License-Identifier: Apache-2.0
 *
 * ML-KEM-768, decapsulated.
 */
#include "begin.h"

int main(void)
{
    uint8_t secret[crypto_kem_mlkem768_SHAREDSECRETBYTES];
    span key, msg;

    if (!begun())
        return BROKEN;
    key = field(), msg = rest();
    if (key.len != crypto_kem_mlkem768_SECRETKEYBYTES || msg.len != crypto_kem_mlkem768_CIPHERTEXTBYTES ||
        crypto_kem_mlkem768_dec(secret, msg.data, key.data) != 0)
        return NO;
    return write_output(secret, sizeof secret);
}
