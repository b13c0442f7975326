/* SPDX-License-Identifier: Apache-2.0
 *
 * X25519.
 */
#include "../boring.h"

int main(void)
{
    return agreed();
}
