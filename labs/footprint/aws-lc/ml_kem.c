/* SPDX-License-Identifier: Apache-2.0
 *
 * ML-KEM-768, decapsulated.
 */
#include "../posix.h"
#include "../program.h"

#include <openssl/evp.h>
#include <openssl/nid.h>

int main(void)
{
    uint8_t secret[32];
    size_t len = sizeof secret;
    EVP_PKEY_CTX *ctx;
    EVP_PKEY *kem;
    span key, msg;

    if (!read_input())
        return BROKEN;
    key = field(), msg = rest();
    kem = EVP_PKEY_kem_new_raw_secret_key(NID_MLKEM768, key.data, key.len);
    if (kem == NULL)
        return NO;
    ctx = EVP_PKEY_CTX_new(kem, NULL);
    if (ctx == NULL)
        return BROKEN;
    return EVP_PKEY_decapsulate(ctx, secret, &len, msg.data, msg.len) == 1 ? write_output(secret, len) : NO;
}
