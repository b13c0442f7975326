/* SPDX-License-Identifier: Apache-2.0
 *
 * SHA-256.
 */
#include "../boring.h"

int main(void)
{
    return hashed();
}
