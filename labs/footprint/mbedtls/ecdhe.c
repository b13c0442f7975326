/* SPDX-License-Identifier: Apache-2.0
 *
 * ECDH with a key that is drawn with the system's random bytes, on P-256 or, where the peer's value is that short, on
 * Curve25519: its public value, and the secret.
 */
#include "hooks.h"
#include "random.h"

#include <mbedtls/ecdh.h>
#include <mbedtls/ecp.h>

enum { LENGTH = 32, POINT = 65 };

/* The bytes of a secret are in the order of its curve's public values. */
static int written(const mbedtls_mpi *secret, int is_x25519, uint8_t *to)
{
    return is_x25519 ? mbedtls_mpi_write_binary_le(secret, to, LENGTH) : mbedtls_mpi_write_binary(secret, to, LENGTH);
}

int main(void)
{
    mbedtls_ecp_group group;
    mbedtls_ecp_point own, peer;
    mbedtls_mpi scalar, shared;
    uint8_t out[POINT + LENGTH];
    size_t len;
    int is_x25519;

    if (!read_input())
        return BROKEN;
    is_x25519 = given_len == LENGTH;
    mbedtls_ecp_group_init(&group);
    mbedtls_ecp_point_init(&own);
    mbedtls_ecp_point_init(&peer);
    mbedtls_mpi_init(&scalar);
    mbedtls_mpi_init(&shared);
    if (mbedtls_ecp_group_load(&group, is_x25519 ? MBEDTLS_ECP_DP_CURVE25519 : MBEDTLS_ECP_DP_SECP256R1) != 0 ||
        mbedtls_ecdh_gen_public(&group, &scalar, &own, system_random, NULL) != 0 ||
        mbedtls_ecp_point_write_binary(&group, &own, MBEDTLS_ECP_PF_UNCOMPRESSED, &len, out, POINT) != 0)
        return BROKEN;
    if (mbedtls_ecp_point_read_binary(&group, &peer, given, given_len) != 0 ||
        mbedtls_ecdh_compute_shared(&group, &shared, &peer, &scalar, system_random, NULL) != 0 ||
        written(&shared, is_x25519, out + len) != 0)
        return NO;
    return write_output(out, len + LENGTH);
}
