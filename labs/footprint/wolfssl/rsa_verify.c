/* SPDX-License-Identifier: Apache-2.0
 *
 * RSA with 2048 bits, PKCS#1 v1.5 with SHA-256: the library takes the padding off, and what it leaves is compared.
 */
#include "../program.h"

#include <string.h>

#include <wolfssl/options.h>
#include <wolfssl/wolfcrypt/rsa.h>
#include <wolfssl/wolfcrypt/sha256.h>

#include "random.h"

enum { BYTES = 256, HEAD = 19 };

/* DigestInfo up to the digest, RFC 8017 section 9.2. */
static const uint8_t head[HEAD] = {0x30, 0x31, 0x30, 0x0d, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01,
                                   0x65, 0x03, 0x04, 0x02, 0x01, 0x05, 0x00, 0x04, 0x20};

int main(void)
{
    wc_Sha256 hash;
    static RsaKey key;
    static uint8_t shown[BYTES];
    uint8_t digest[WC_SHA256_DIGEST_SIZE];
    span modulus, exponent, sig, msg;

    if (!read_input())
        return BROKEN;
    modulus = field(), exponent = field(), sig = field(), msg = rest();
    if (wc_InitSha256(&hash) != 0 || wc_Sha256Update(&hash, msg.data, (word32)msg.len) != 0 ||
        wc_Sha256Final(&hash, digest) != 0 || wc_InitRsaKey(&key, NULL) != 0 ||
        wc_RsaPublicKeyDecodeRaw(modulus.data, (word32)modulus.len, exponent.data, (word32)exponent.len, &key) != 0)
        return BROKEN;
    if (wc_RsaSSL_Verify(sig.data, (word32)sig.len, shown, sizeof shown, &key) != HEAD + WC_SHA256_DIGEST_SIZE)
        return NO;
    return memcmp(shown, head, HEAD) == 0 && memcmp(shown + HEAD, digest, sizeof digest) == 0 ? YES : NO;
}
