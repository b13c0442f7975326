/* SPDX-License-Identifier: Apache-2.0
 *
 * ECDSA on P-256 with SHA-256, signed, signatures in DER.
 */
#include "../boring.h"

int main(void)
{
    return signed_by_ec();
}
