/* SPDX-License-Identifier: Apache-2.0
 *
 * X25519.
 */
#include "../posix.h"
#include "../program.h"

#include <openssl/evp.h>

enum { LENGTH = 32 };

int main(void)
{
    uint8_t out[LENGTH];
    size_t len = sizeof out;
    EVP_PKEY *own, *peer;
    EVP_PKEY_CTX *ctx;
    span key, pub;
    int done;

    if (!read_input())
        return BROKEN;
    key = field(), pub = rest();
    own = EVP_PKEY_new_raw_private_key(EVP_PKEY_X25519, NULL, key.data, key.len);
    peer = EVP_PKEY_new_raw_public_key(EVP_PKEY_X25519, NULL, pub.data, pub.len);
    ctx = own != NULL ? EVP_PKEY_CTX_new(own, NULL) : NULL;
    if (peer == NULL || ctx == NULL || EVP_PKEY_derive_init(ctx) != 1)
        return BROKEN;
    done = EVP_PKEY_derive_set_peer(ctx, peer) == 1 && EVP_PKEY_derive(ctx, out, &len) == 1;
    EVP_PKEY_CTX_free(ctx);
    EVP_PKEY_free(own);
    EVP_PKEY_free(peer);
    return done ? write_output(out, len) : NO;
}
