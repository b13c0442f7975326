/* SPDX-License-Identifier: Apache-2.0
 *
 * ML-KEM-768, decapsulated.
 */
#include "../posix.h"
#include "../program.h"

#include <openssl/evp.h>

int main(void)
{
    uint8_t secret[32];
    size_t len = sizeof secret;
    EVP_PKEY_CTX *ctx;
    EVP_PKEY *kem;
    span key, msg;
    int done;

    if (!read_input())
        return BROKEN;
    key = field(), msg = rest();
    kem = EVP_PKEY_new_raw_private_key_ex(NULL, "ML-KEM-768", NULL, key.data, key.len);
    if (kem == NULL)
        return NO;
    ctx = EVP_PKEY_CTX_new(kem, NULL);
    if (ctx == NULL || EVP_PKEY_decapsulate_init(ctx, NULL) != 1)
        return BROKEN;
    done = EVP_PKEY_decapsulate(ctx, secret, &len, msg.data, msg.len) == 1;
    EVP_PKEY_CTX_free(ctx);
    EVP_PKEY_free(kem);
    return done ? write_output(secret, len) : NO;
}
