/* SPDX-License-Identifier: Apache-2.0
 *
 * Random bytes of the library's own generator.
 */
#include "../boring.h"

int main(void)
{
    return drawn();
}
