/* SPDX-License-Identifier: Apache-2.0
 *
 * ML-KEM-768, decapsulated.
 */
#include "own.h"

enum { SECRET_BYTES = 32 };

int main(void)
{
    uint8_t secret[SECRET_BYTES];
    span key, msg;

    if (!read_input() || !begun())
        return BROKEN;
    key = field(), msg = rest();
    return gcry_kem_decap(GCRY_KEM_MLKEM768, key.data, key.len, msg.data, msg.len, secret, sizeof secret, NULL, 0) == 0
               ? write_output(secret, sizeof secret)
               : NO;
}
