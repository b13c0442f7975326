/* SPDX-License-Identifier: Apache-2.0
 *
 * Hand-written loops around OpenSSL: the same calls on the same inputs as libraries/openssl, without the SDK.
 */
#include "loop.h"

#include <openssl/evp.h>

static void sha256(int argc, char **argv)
{
    struct inputs in = place(argc, argv);
    EVP_MD *md = EVP_MD_fetch(NULL, "SHA256", NULL);
    EVP_MD_CTX *ctx = EVP_MD_CTX_new();

    if (md == NULL || ctx == NULL || EVP_DigestInit_ex2(ctx, md, NULL) != 1)
        die("EVP_DigestInit_ex2");
    SERVE(EVP_DigestInit_ex2(ctx, md, NULL) == 1 && EVP_DigestUpdate(ctx, in.msg.data, in.msg.len) == 1 &&
              EVP_DigestFinal_ex(ctx, in.out, NULL) == 1,
          in.out, 32);
}

static void gcm_seal(int argc, char **argv)
{
    struct inputs in = place(argc, argv);
    EVP_CIPHER *cipher = EVP_CIPHER_fetch(NULL, "AES-128-GCM", NULL);
    EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
    int len = 0, rest = 0;

    if (cipher == NULL || ctx == NULL || EVP_CipherInit_ex2(ctx, cipher, in.key.data, in.iv.data, 1, NULL) != 1)
        die("EVP_CipherInit_ex2");
    SERVE(EVP_CipherInit_ex2(ctx, NULL, NULL, in.iv.data, -1, NULL) == 1 &&
              EVP_CipherUpdate(ctx, NULL, &len, in.aad.data, (int)in.aad.len) == 1 &&
              EVP_CipherUpdate(ctx, in.out, &len, in.msg.data, (int)in.msg.len) == 1 &&
              EVP_CipherFinal_ex(ctx, in.out + len, &rest) == 1 &&
              EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, 16, in.out + in.msg.len) == 1,
          in.out, in.msg.len + 16);
}

static void x25519(int argc, char **argv)
{
    struct inputs in = place(argc, argv);
    size_t len = 64;
    EVP_PKEY *own = EVP_PKEY_new_raw_private_key_ex(NULL, "X25519", NULL, in.key.data, in.key.len);
    EVP_PKEY *peer = EVP_PKEY_new_raw_public_key_ex(NULL, "X25519", NULL, in.pub.data, in.pub.len);
    EVP_PKEY_CTX *ctx = own != NULL ? EVP_PKEY_CTX_new_from_pkey(NULL, own, NULL) : NULL;

    if (ctx == NULL || peer == NULL || EVP_PKEY_derive_init(ctx) != 1 || EVP_PKEY_derive_set_peer(ctx, peer) != 1)
        die("EVP_PKEY_derive_init");
    SERVE((len = 64, EVP_PKEY_derive(ctx, in.out, &len) == 1), in.out, 32);
}

int main(int argc, char **argv)
{
    const char *operation = argc > 1 ? argv[1] : "";
    if (strcmp(operation, "sha-256/hash") == 0)
        sha256(argc, argv);
    else if (strcmp(operation, "aes-128-gcm/seal") == 0)
        gcm_seal(argc, argv);
    else if (strcmp(operation, "x25519/derive") == 0)
        x25519(argc, argv);
    else
        die("no such operation");
    return 0;
}
