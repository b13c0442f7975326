/* SPDX-License-Identifier: Apache-2.0
 *
 * ChaCha20-Poly1305, opened.
 */
#include "../boring.h"

int main(void)
{
    return chacha_opened();
}
