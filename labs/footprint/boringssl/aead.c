/* SPDX-License-Identifier: Apache-2.0
 *
 * AES-128-GCM, opened.
 */
#include "../boring.h"

int main(void)
{
    return opened();
}
