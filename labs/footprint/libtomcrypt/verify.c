/* SPDX-License-Identifier: Apache-2.0
 *
 * ECDSA on P-256 with SHA-256, r and s behind each other. Numbers are LibTomMath's.
 */
#include "digest.h"

int main(void)
{
    uint8_t digest[SHA256_BYTES];
    span pub, sig, msg;
    ecc_key key;
    int right = 0;

    if (!read_input())
        return BROKEN;
    pub = field(), sig = field(), msg = rest();
    ltc_mp = ltm_desc;
    if (!digest_of(msg, digest))
        return BROKEN;
    if (ecc_ansi_x963_import(pub.data, pub.len, &key) != CRYPT_OK)
        return NO;
    if (ecc_verify_hash_rfc7518(sig.data, sig.len, digest, sizeof digest, &right, &key) != CRYPT_OK)
        right = 0;
    ecc_free(&key);
    return right == 1 ? YES : NO;
}
