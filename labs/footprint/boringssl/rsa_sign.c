/* SPDX-License-Identifier: Apache-2.0
 *
 * RSA with 2048 or 4096 bits, PKCS#1 v1.5 with SHA-256, signed.
 */
#include "../boring.h"

int main(void)
{
    return rsa_signed();
}
