/* SPDX-License-Identifier: Apache-2.0
 *
 * X25519, blinded with the system's random bytes.
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
    if (key.len != LENGTH || pub.len != LENGTH || mbedtls_ecp_group_load(&group, MBEDTLS_ECP_DP_CURVE25519) != 0)
        return BROKEN;
    key.data[0] &= 0xf8; /* RFC 7748 section 5 */
    key.data[LENGTH - 1] = (uint8_t)((key.data[LENGTH - 1] & 0x7f) | 0x40);
    if (mbedtls_mpi_read_binary_le(&scalar, key.data, LENGTH) != 0 ||
        mbedtls_ecp_point_read_binary(&group, &point, pub.data, LENGTH) != 0 ||
        mbedtls_ecdh_compute_shared(&group, &shared, &point, &scalar, system_random, NULL) != 0 ||
        mbedtls_mpi_write_binary_le(&shared, out, LENGTH) != 0)
        return NO;
    return write_output(out, LENGTH);
}
