/* SPDX-License-Identifier: Apache-2.0
 *
 * X25519. A private key is an object of the token's, read as PKCS#8 around the key of RFC 5915 by NSS's own name of the
 * curve; the public value beside it only names it, and the peer's stands in for it.
 */
#include "own.h"

#include <string.h>

enum { KEY_BYTES = 32 };

static const uint8_t head[] = {0x30, 0x67, 0x02, 0x01, 0x00, 0x30, 0x14, 0x06, 0x07, 0x2a, 0x86, 0x48,
                               0xce, 0x3d, 0x02, 0x01, 0x06, 0x09, 0x2b, 0x06, 0x01, 0x04, 0x01, 0xda,
                               0x47, 0x0f, 0x01, 0x04, 0x4c, 0x30, 0x4a, 0x02, 0x01, 0x01, 0x04, 0x20},
                     middle[] = {0xa1, 0x23, 0x03, 0x21, 0x00};
static uint8_t curve[] = {0x06, 0x09, 0x2b, 0x06, 0x01, 0x04, 0x01, 0xda, 0x47, 0x0f, 0x01};

/* NULL if it is none. */
static SECKEYPrivateKey *private_key(span key, span pub)
{
    uint8_t der[sizeof head + sizeof middle + 2 * KEY_BYTES];
    SECItem info = {siBuffer, der, sizeof der}, value = item(pub);
    SECKEYPrivateKey *own = NULL;

    memcpy(der, head, sizeof head);
    memcpy(der + sizeof head, key.data, KEY_BYTES);
    memcpy(der + sizeof head + KEY_BYTES, middle, sizeof middle);
    memcpy(der + sizeof head + KEY_BYTES + sizeof middle, pub.data, KEY_BYTES);
    return PK11_ImportDERPrivateKeyInfoAndReturnKey(PK11_GetInternalSlot(), &info, NULL, &value, PR_FALSE, PR_FALSE,
                                                    KU_ALL, &own, NULL) == SECSuccess
               ? own
               : NULL;
}

int main(void)
{
    SECKEYPublicKey peer = {.keyType = ecKey, .pkcs11ID = CK_INVALID_HANDLE};
    SECKEYPrivateKey *own;
    PK11SymKey *secret;
    span key, pub;

    if (!read_input() || !begun())
        return BROKEN;
    key = field(), pub = rest();
    if (key.len != KEY_BYTES || pub.len != KEY_BYTES || (own = private_key(key, pub)) == NULL)
        return BROKEN;
    peer.u.ec.DEREncodedParams = (SECItem){siBuffer, curve, sizeof curve};
    peer.u.ec.publicValue = item(pub), peer.u.ec.size = 8 * KEY_BYTES - 1;
    secret = PK11_PubDeriveWithKDF(own, &peer, PR_FALSE, NULL, NULL, CKM_ECDH1_DERIVE, CKM_SHA256_HMAC, CKA_SIGN,
                                   KEY_BYTES, CKD_NULL, NULL, NULL);
    if (secret == NULL)
        return NO;
    return PK11_ExtractKeyValue(secret) == SECSuccess ? write_output(PK11_GetKeyData(secret)->data, KEY_BYTES) : BROKEN;
}
