/* SPDX-License-Identifier: Apache-2.0
 *
 * SHA-512.
 */
#include "../boring.h"

int main(void)
{
    return hashed_512();
}
