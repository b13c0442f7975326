/* SPDX-License-Identifier: Apache-2.0
 *
 * AES-GCM, opened, by its name. The interface takes the tag behind the message, and works in place.
 */
#include "botan.h"

#include <botan/aead.h>
#include <botan/exceptn.h>

enum { AES_128_BYTES = 16, TAG_BYTES = 16 };

static int opened(struct span key, struct span iv, struct span aad, struct span tag, struct span msg)
{
    const auto mode = Botan::AEAD_Mode::create_or_throw(key.len == AES_128_BYTES ? "AES-128/GCM" : "AES-256/GCM",
                                                        Botan::Cipher_Dir::Decryption);
    Botan::secure_vector<uint8_t> text(msg.data, msg.data + msg.len);

    if (tag.len != TAG_BYTES)
        return NO;
    text.insert(text.end(), tag.data, tag.data + tag.len);
    mode->set_key(bytes_of(key));
    mode->set_associated_data(bytes_of(aad));
    mode->start(bytes_of(iv));
    try {
        mode->finish(text);
    } catch (const Botan::Invalid_Authentication_Tag &) {
        return NO;
    }
    return write_output(text.data(), text.size());
}

int main()
{
    struct span key, iv, aad, tag;

    if (!read_input())
        return BROKEN;
    key = field(), iv = field(), aad = field(), tag = field();
    return guarded(BROKEN, [&] { return opened(key, iv, aad, tag, rest()); });
}
