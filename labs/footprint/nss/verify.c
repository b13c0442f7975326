/* SPDX-License-Identifier: Apache-2.0
 *
 * ECDSA on P-256 with SHA-256, verified; signatures as two numbers. The key is filled as the library's TLS does.
 */
#include "own.h"

enum { DIGEST_BYTES = 32, BITS = 256 };

int main(void)
{
    static uint8_t p256[] = {0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07};
    SECKEYPublicKey key = {.keyType = ecKey, .pkcs11ID = CK_INVALID_HANDLE};
    uint8_t digest[DIGEST_BYTES];
    SECItem signature, hashed = {siBuffer, digest, sizeof digest};
    span pub, sig, msg;

    if (!read_input() || !begun())
        return BROKEN;
    pub = field(), sig = field(), msg = rest();
    key.u.ec.DEREncodedParams = (SECItem){siBuffer, p256, sizeof p256};
    key.u.ec.publicValue = item(pub), key.u.ec.size = BITS;
    signature = item(sig);
    if (PK11_HashBuf(SEC_OID_SHA256, digest, msg.data, (PRInt32)msg.len) != SECSuccess)
        return BROKEN;
    return PK11_Verify(&key, &signature, &hashed, NULL) == SECSuccess ? YES : NO;
}
