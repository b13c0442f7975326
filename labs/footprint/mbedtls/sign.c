/* SPDX-License-Identifier: Apache-2.0
 *
 * ECDSA on P-256 with SHA-256, r and s behind each other, drawn with the system's random bytes.
 */
#include "hooks.h"
#include "random.h"

#include <mbedtls/ecdsa.h>
#include <mbedtls/sha256.h>

enum { LENGTH = 32 };

int main(void)
{
    mbedtls_ecp_group group;
    mbedtls_mpi key, r, s;
    uint8_t digest[32], sig[2 * LENGTH];
    span private, msg;

    if (!read_input())
        return BROKEN;
    private = field(), msg = rest();
    mbedtls_ecp_group_init(&group);
    mbedtls_mpi_init(&key);
    mbedtls_mpi_init(&r);
    mbedtls_mpi_init(&s);
    if (mbedtls_sha256(msg.data, msg.len, digest, 0) != 0 ||
        mbedtls_ecp_group_load(&group, MBEDTLS_ECP_DP_SECP256R1) != 0 ||
        mbedtls_mpi_read_binary(&key, private.data, private.len) != 0 ||
        mbedtls_ecdsa_sign(&group, &r, &s, &key, digest, sizeof digest, system_random, NULL) != 0 ||
        mbedtls_mpi_write_binary(&r, sig, LENGTH) != 0 || mbedtls_mpi_write_binary(&s, sig + LENGTH, LENGTH) != 0)
        return BROKEN;
    return write_output(sig, sizeof sig);
}
