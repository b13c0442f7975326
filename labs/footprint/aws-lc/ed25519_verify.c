/* SPDX-License-Identifier: Apache-2.0
 *
 * Ed25519, verified.
 */
#include "../boring.h"

int main(void)
{
    return ed25519_verified();
}
