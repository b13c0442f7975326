/* SPDX-License-Identifier: Apache-2.0
 *
 * ECDSA on P-256 with SHA-256, r and s behind each other. SMALL: the implementation without code for this curve alone.
 */
#include "../program.h"

#include <bearssl.h>

int main(void)
{
    br_sha256_context hash;
    br_ec_public_key key = {.curve = BR_EC_secp256r1};
    uint8_t digest[br_sha256_SIZE];
    span pub, sig, msg;

    if (!read_input())
        return BROKEN;
    pub = field(), sig = field(), msg = rest();
    br_sha256_init(&hash);
    br_sha256_update(&hash, msg.data, msg.len);
    br_sha256_out(&hash, digest);
    key.q = pub.data, key.qlen = pub.len;
#ifdef SMALL
    return br_ecdsa_i31_vrfy_raw(&br_ec_prime_i31, digest, sizeof digest, &key, sig.data, sig.len) ? YES : NO;
#else
    return br_ecdsa_vrfy_raw_get_default()(br_ec_get_default(), digest, sizeof digest, &key, sig.data, sig.len) ? YES
                                                                                                                : NO;
#endif
}
