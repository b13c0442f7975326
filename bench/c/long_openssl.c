/* SPDX-License-Identifier: Apache-2.0
 *
 * Hand-written loops of long calls of OpenSSL's, with keys of their own.
 */
#include "long.h"

#include <openssl/ec.h>
#include <openssl/evp.h>

static const unsigned char message[32] = "thirty-two bytes to sign, always";
static EVP_MD *md;
static EVP_MD_CTX *md_ctx;
static unsigned char hash[32], out[256];

static int digest(void)
{
    return EVP_DigestInit_ex2(md_ctx, md, NULL) == 1 && EVP_DigestUpdate(md_ctx, message, sizeof message) == 1 &&
           EVP_DigestFinal_ex(md_ctx, hash, NULL) == 1;
}

int main(int argc, char **argv)
{
    size_t repeats = repeats_of(argc, argv), len[KEYS], n;
    EVP_PKEY *key[KEYS];
    EVP_PKEY_CTX *ctx[KEYS];
    static unsigned char sig[KEYS][80];

    md = EVP_MD_fetch(NULL, "SHA256", NULL);
    md_ctx = EVP_MD_CTX_new();
    for (int k = 0; k < KEYS; k++) {
        key[k] = EVP_EC_gen("P-256");
        ctx[k] = EVP_PKEY_CTX_new_from_pkey(NULL, key[k], NULL);
        len[k] = sizeof sig[k];
        if (!digest() || EVP_PKEY_sign_init(ctx[k]) != 1 || EVP_PKEY_sign(ctx[k], sig[k], &len[k], hash, 32) != 1)
            die("EVP_PKEY_sign");
    }
    if (is(argv, "ecdsa-p256-sha256/sign")) {
        LOOP(repeats, (n = sizeof out, digest()) && EVP_PKEY_sign(ctx[0], out, &n, hash, 32) == 1);
    } else if (is(argv, "ecdsa-p256-sha256/verify")) {
        for (int k = 0; k < KEYS; k++)
            if (EVP_PKEY_verify_init(ctx[k]) != 1)
                die("EVP_PKEY_verify_init");
        LOOP(repeats, digest() && EVP_PKEY_verify(ctx[i % KEYS], sig[i % KEYS], len[i % KEYS], hash, 32) == 1);
    } else {
        if (EVP_PKEY_derive_init(ctx[0]) != 1 || EVP_PKEY_derive_set_peer(ctx[0], key[1]) != 1)
            die("EVP_PKEY_derive_init");
        LOOP(repeats, (n = sizeof out, EVP_PKEY_derive(ctx[0], out, &n) == 1));
    }
    return 0;
}
