/* SPDX-License-Identifier: Apache-2.0
 *
 * ChaCha20-Poly1305, opened. The library gives the tag, and its caller compares.
 */
#include "../program.h"

#include <nettle/chacha-poly1305.h>
#include <nettle/memops.h>

static uint8_t opened[MOST];

int main(void)
{
    struct chacha_poly1305_ctx chacha;
    uint8_t own[CHACHA_POLY1305_DIGEST_SIZE];
    span key, iv, aad, tag, msg;

    if (!read_input())
        return BROKEN;
    key = field(), iv = field(), aad = field(), tag = field(), msg = rest();
    if (key.len != CHACHA_POLY1305_KEY_SIZE || iv.len != CHACHA_POLY1305_NONCE_SIZE)
        return BROKEN;
    chacha_poly1305_set_key(&chacha, key.data);
    chacha_poly1305_set_nonce(&chacha, iv.data);
    chacha_poly1305_update(&chacha, aad.len, aad.data);
    chacha_poly1305_decrypt(&chacha, msg.len, opened, msg.data);
    chacha_poly1305_digest(&chacha, sizeof own, own);
    if (tag.len != sizeof own || !memeql_sec(own, tag.data, sizeof own))
        return NO;
    return write_output(opened, msg.len);
}
