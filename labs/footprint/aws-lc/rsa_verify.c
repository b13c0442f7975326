/* SPDX-License-Identifier: Apache-2.0
 *
 * RSA with 2048 bits, PKCS#1 v1.5 with SHA-256.
 */
#include "../boring.h"

int main(void)
{
    return rsa_verified();
}
