/* SPDX-License-Identifier: Apache-2.0
 *
 * ML-KEM-768, decapsulated.
 */
#include "../program.h"

#include <wolfssl/options.h>
#include <wolfssl/wolfcrypt/wc_mlkem.h>

#include "random.h"

int main(void)
{
    static MlKemKey kem;
    uint8_t secret[WC_ML_KEM_SS_SZ];
    span key, msg;

    if (!read_input())
        return BROKEN;
    key = field(), msg = rest();
    if (wc_MlKemKey_Init(&kem, WC_ML_KEM_768, NULL, INVALID_DEVID) != 0)
        return BROKEN;
    if (wc_MlKemKey_DecodePrivateKey(&kem, key.data, (word32)key.len) != 0 ||
        wc_MlKemKey_Decapsulate(&kem, secret, msg.data, (word32)msg.len) != 0)
        return NO;
    return write_output(secret, sizeof secret);
}
