/* SPDX-License-Identifier: Apache-2.0
 *
 * RSA with 2048 bits, PKCS#1 v1.5 with SHA-256.
 */
#include "../program.h"
#include "hooks.h"

#include <mbedtls/rsa.h>
#include <mbedtls/sha256.h>

int main(void)
{
    mbedtls_rsa_context key;
    uint8_t digest[32];
    span modulus, exponent, sig, msg;

    if (!read_input())
        return BROKEN;
    modulus = field(), exponent = field(), sig = field(), msg = rest();
    mbedtls_rsa_init(&key);
    if (mbedtls_sha256(msg.data, msg.len, digest, 0) != 0 ||
        mbedtls_rsa_import_raw(&key, modulus.data, modulus.len, NULL, 0, NULL, 0, NULL, 0, exponent.data,
                               exponent.len) != 0)
        return BROKEN;
    if (mbedtls_rsa_complete(&key) != 0 || sig.len != mbedtls_rsa_get_len(&key))
        return NO;
    return mbedtls_rsa_pkcs1_verify(&key, MBEDTLS_MD_SHA256, sizeof digest, digest, sig.data) == 0 ? YES : NO;
}
