/* SPDX-License-Identifier: Apache-2.0
 *
 * ECDSA on P-256 with SHA-256, signatures in DER.
 */
#include "../program.h"

#include <wolfssl/options.h>
#include <wolfssl/wolfcrypt/ecc.h>
#include <wolfssl/wolfcrypt/sha256.h>

#include "random.h"

int main(void)
{
    wc_Sha256 hash;
    static ecc_key key;
    uint8_t digest[WC_SHA256_DIGEST_SIZE];
    span pub, sig, msg;
    int right = 0;

    if (!read_input())
        return BROKEN;
    pub = field(), sig = field(), msg = rest();
    if (wc_InitSha256(&hash) != 0 || wc_Sha256Update(&hash, msg.data, (word32)msg.len) != 0 ||
        wc_Sha256Final(&hash, digest) != 0 || wc_ecc_init(&key) != 0)
        return BROKEN;
    if (wc_ecc_import_x963_ex(pub.data, (word32)pub.len, &key, ECC_SECP256R1) != 0 ||
        wc_ecc_verify_hash(sig.data, (word32)sig.len, digest, sizeof digest, &right, &key) != 0)
        return NO;
    return right == 1 ? YES : NO;
}
