/* SPDX-License-Identifier: Apache-2.0
 *
 * P-256 or X25519 with a key that is drawn.
 */
#include "../boring.h"

int main(void)
{
    return agreed_ephemeral();
}
