/* SPDX-License-Identifier: Apache-2.0
 *
 * ECDSA on P-256 with SHA-256, r and s behind each other.
 */
#include "../program.h"
#include "hooks.h"

#include <mbedtls/ecdsa.h>
#include <mbedtls/sha256.h>

enum { LENGTH = 32 };

int main(void)
{
    mbedtls_ecp_group group;
    mbedtls_ecp_point point;
    mbedtls_mpi r, s;
    uint8_t digest[32];
    span pub, sig, msg;

    if (!read_input())
        return BROKEN;
    pub = field(), sig = field(), msg = rest();
    mbedtls_ecp_group_init(&group);
    mbedtls_ecp_point_init(&point);
    mbedtls_mpi_init(&r);
    mbedtls_mpi_init(&s);
    if (mbedtls_sha256(msg.data, msg.len, digest, 0) != 0 ||
        mbedtls_ecp_group_load(&group, MBEDTLS_ECP_DP_SECP256R1) != 0)
        return BROKEN;
    if (sig.len != 2 * LENGTH || mbedtls_ecp_point_read_binary(&group, &point, pub.data, pub.len) != 0 ||
        mbedtls_ecp_check_pubkey(&group, &point) != 0 || mbedtls_mpi_read_binary(&r, sig.data, LENGTH) != 0 ||
        mbedtls_mpi_read_binary(&s, sig.data + LENGTH, LENGTH) != 0)
        return NO;
    return mbedtls_ecdsa_verify(&group, digest, sizeof digest, &point, &r, &s) == 0 ? YES : NO;
}
