/* SPDX-License-Identifier: Apache-2.0
 *
 * X25519. A private operation takes a generator, whatever it draws.
 */
#include "botan.h"

#include <botan/pubkey.h>
#include <botan/x25519.h>

enum { KEY_BYTES = 32 };

int main()
{
    struct span secret, pub;

    if (!read_input())
        return BROKEN;
    secret = field(), pub = rest();
    if (secret.len != KEY_BYTES || pub.len != KEY_BYTES)
        return BROKEN;
    return guarded(NO, [&] {
        Generator generator;
        const Botan::X25519_PrivateKey key(Botan::secure_vector<uint8_t>(secret.data, secret.data + secret.len));
        const Botan::PK_Key_Agreement agreement(key, generator, "Raw");
        const auto shared = agreement.derive_key(KEY_BYTES, bytes_of(pub)).bits_of();

        return write_output(shared.data(), shared.size());
    });
}
