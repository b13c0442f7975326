/* SPDX-License-Identifier: Apache-2.0
 *
 * ECDSA on P-256 with SHA-256, signatures in DER.
 */
#include "key.h"

#include <openssl/core_names.h>
#include <openssl/params.h>

int main(void)
{
    char group[] = "P-256";
    OSSL_PARAM parts[3];
    span pub, sig;

    if (!read_input())
        return BROKEN;
    pub = field(), sig = field();
    parts[0] = OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, group, 0);
    parts[1] = OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, pub.data, pub.len);
    parts[2] = OSSL_PARAM_construct_end();
    return verified(public_key("EC", parts), sig, rest());
}
