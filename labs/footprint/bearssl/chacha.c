/* SPDX-License-Identifier: Apache-2.0
 *
 * ChaCha20-Poly1305, opened. SMALL: one implementation by name, not the best for the processor. The library gives the
 * tag, and its caller compares.
 */
#include "../program.h"

#include <bearssl.h>

enum { KEY_BYTES = 32, IV_BYTES = 12, TAG_BYTES = 16 };

int main(void)
{
    br_chacha20_run chacha = br_chacha20_ct_run;
    br_poly1305_run poly = br_poly1305_ctmul_run;
    uint8_t own[TAG_BYTES], differs = 0;
    span key, iv, aad, tag, msg;

#ifndef SMALL
    if (br_chacha20_sse2_get() != 0)
        chacha = br_chacha20_sse2_get();
    if (br_poly1305_ctmulq_get() != 0)
        poly = br_poly1305_ctmulq_get();
#endif
    if (!read_input())
        return BROKEN;
    key = field(), iv = field(), aad = field(), tag = field(), msg = rest();
    if (key.len != KEY_BYTES || iv.len != IV_BYTES)
        return BROKEN;
    if (tag.len != TAG_BYTES)
        return NO;
    poly(key.data, iv.data, msg.data, msg.len, aad.data, aad.len, own, chacha, 0);
    for (size_t i = 0; i < TAG_BYTES; i++)
        differs |= own[i] ^ tag.data[i];
    return differs == 0 ? write_output(msg.data, msg.len) : NO;
}
