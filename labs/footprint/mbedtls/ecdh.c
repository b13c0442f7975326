/* SPDX-License-Identifier: Apache-2.0
 *
 * ECDH on P-256, blinded with the system's random bytes.
 */
#include "hooks.h"
#include "random.h"

#include <mbedtls/ecdh.h>
#include <mbedtls/ecp.h>

enum { LENGTH = 32 };

int main(void)
{
    mbedtls_ecp_group group;
    mbedtls_ecp_point point;
    mbedtls_mpi scalar, shared;
    uint8_t out[LENGTH];
    span key, pub;

    if (!read_input())
        return BROKEN;
    key = field(), pub = rest();
    mbedtls_ecp_group_init(&group);
    mbedtls_ecp_point_init(&point);
    mbedtls_mpi_init(&scalar);
    mbedtls_mpi_init(&shared);
    if (mbedtls_ecp_group_load(&group, MBEDTLS_ECP_DP_SECP256R1) != 0)
        return BROKEN;
    if (mbedtls_mpi_read_binary(&scalar, key.data, key.len) != 0 ||
        mbedtls_ecp_point_read_binary(&group, &point, pub.data, pub.len) != 0 ||
        mbedtls_ecdh_compute_shared(&group, &shared, &point, &scalar, system_random, NULL) != 0 ||
        mbedtls_mpi_write_binary(&shared, out, LENGTH) != 0)
        return NO;
    return write_output(out, LENGTH);
}
