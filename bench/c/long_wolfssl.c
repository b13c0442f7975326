/* SPDX-License-Identifier: Apache-2.0
 *
 * Hand-written loops of long calls of wolfSSL's, with keys of their own.
 */
#include "long.h"

#include <wolfssl/options.h>

#include <wolfssl/wolfcrypt/ecc.h>
#include <wolfssl/wolfcrypt/random.h>
#include <wolfssl/wolfcrypt/sha256.h>

static const byte message[32] = "thirty-two bytes to sign, always";
static wc_Sha256 sha;
static byte hash[32], out[256];

static int digest(void)
{
    return wc_Sha256Update(&sha, message, sizeof message) == 0 && wc_Sha256Final(&sha, hash) == 0;
}

int main(int argc, char **argv)
{
    size_t repeats = repeats_of(argc, argv);
    static ecc_key key[KEYS];
    static byte sig[KEYS][80];
    WC_RNG rng;
    word32 len[KEYS], n;
    int right = 0;

    if (wc_InitRng(&rng) != 0 || wc_InitSha256(&sha) != 0)
        die("wc_InitRng");
    for (int k = 0; k < KEYS; k++) {
        len[k] = sizeof sig[k];
        if (wc_ecc_init(&key[k]) != 0 || wc_ecc_make_key_ex(&rng, 32, &key[k], ECC_SECP256R1) != 0 || !digest() ||
            wc_ecc_sign_hash(hash, 32, sig[k], &len[k], &rng, &key[k]) != 0)
            die("wc_ecc_sign_hash");
    }
    if (is(argv, "ecdsa-p256-sha256/sign")) {
        LOOP(repeats, (n = sizeof out, digest()) && wc_ecc_sign_hash(hash, 32, out, &n, &rng, &key[0]) == 0);
    } else if (is(argv, "ecdsa-p256-sha256/verify")) {
        LOOP(repeats, digest() &&
                          wc_ecc_verify_hash(sig[i % KEYS], len[i % KEYS], hash, 32, &right, &key[i % KEYS]) == 0 &&
                          right == 1);
    } else {
        if (wc_ecc_set_rng(&key[0], &rng) != 0)
            die("wc_ecc_set_rng");
        LOOP(repeats, (n = sizeof out, wc_ecc_shared_secret(&key[0], &key[1], out, &n) == 0));
    }
    return 0;
}
