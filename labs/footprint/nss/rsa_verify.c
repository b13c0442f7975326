/* SPDX-License-Identifier: Apache-2.0
 *
 * PKCS#1 v1.5 with SHA-256, verified. The key is filled as the library's TLS does.
 */
#include "own.h"

#include <cryptohi.h>

int main(void)
{
    SECKEYPublicKey key = {.keyType = rsaKey, .pkcs11ID = CK_INVALID_HANDLE};
    SECItem signature;
    span sig, msg;

    if (!read_input() || !begun())
        return BROKEN;
    key.u.rsa.modulus = item(field()), key.u.rsa.publicExponent = item(field());
    sig = field(), msg = rest();
    signature = item(sig);
    return VFY_VerifyDataDirect(msg.data, (int)msg.len, &key, &signature, SEC_OID_PKCS1_RSA_ENCRYPTION, SEC_OID_SHA256,
                                NULL, NULL) == SECSuccess
               ? YES
               : NO;
}
