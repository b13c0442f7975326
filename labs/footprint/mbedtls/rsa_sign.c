/* SPDX-License-Identifier: Apache-2.0
 *
 * RSA with 2048 or 4096 bits, PKCS#1 v1.5 with SHA-256, signed, blinded with the system's random bytes. The library
 * computes dP, dQ and qInv itself: there is no way to give them.
 */
#include "hooks.h"
#include "random.h"

#include <mbedtls/rsa.h>
#include <mbedtls/sha256.h>

enum { LENGTH_MOST = 512 };

int main(void)
{
    enum { N, E, D, P, Q, DP, DQ, QINV, NUMBERS };
    mbedtls_rsa_context key;
    uint8_t digest[32], sig[LENGTH_MOST];
    span part[NUMBERS], msg;

    if (!read_input())
        return BROKEN;
    for (int i = 0; i < NUMBERS; i++)
        part[i] = field();
    msg = rest();
    mbedtls_rsa_init(&key);
    if (mbedtls_sha256(msg.data, msg.len, digest, 0) != 0 ||
        mbedtls_rsa_import_raw(&key, part[N].data, part[N].len, part[P].data, part[P].len, part[Q].data, part[Q].len,
                               part[D].data, part[D].len, part[E].data, part[E].len) != 0 ||
        mbedtls_rsa_complete(&key) != 0 || mbedtls_rsa_get_len(&key) > sizeof sig ||
        mbedtls_rsa_pkcs1_sign(&key, system_random, NULL, MBEDTLS_MD_SHA256, sizeof digest, digest, sig) != 0)
        return BROKEN;
    return write_output(sig, part[N].len);
}
