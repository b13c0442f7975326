/* SPDX-License-Identifier: Apache-2.0
 *
 * Botan: key wrap, through the functions on a block cipher that has its key.
 */
#include "adapter_wrap.h"

#if defined(BOTAN_HAS_NIST_KEYWRAP)

#include <botan/block_cipher.h>
#include <botan/nist_keywrap.h>

#include <algorithm>
#include <memory>
#include <string>

namespace cs_botan
{

namespace
{

struct WrapState {
    std::unique_ptr<Botan::BlockCipher> cipher;
};

} // namespace

int setup_wrap(cs_case *c) noexcept
{
    return guarded([c] {
        auto s = std::make_unique<WrapState>();
        s->cipher = Botan::BlockCipher::create_or_throw("AES-" + std::to_string(8 * c->key.len));
        s->cipher->set_key(c->key.data, c->key.len);
        c->state = s.release();
        return static_cast<int>(CS_OK);
    });
}

int rekey_wrap(cs_case *c) noexcept
{
    return guarded([c] {
        static_cast<WrapState *>(c->state)->cipher->set_key(c->key.data, c->key.len);
        return static_cast<int>(CS_OK);
    });
}

/* Both functions return a vector of their own. */
int call_wrap(cs_case *c) noexcept
{
    return guarded([c] {
        const auto wrapped = Botan::nist_key_wrap(c->msg.data, c->msg.len, *static_cast<WrapState *>(c->state)->cipher);
        std::copy(wrapped.begin(), wrapped.end(), c->out);
        c->out_len = wrapped.size();
        return static_cast<int>(CS_OK);
    });
}

int call_unwrap(cs_case *c) noexcept
{
    return guarded([c] {
        const auto key = Botan::nist_key_unwrap(c->msg.data, c->msg.len, *static_cast<WrapState *>(c->state)->cipher);
        std::copy(key.begin(), key.end(), c->out);
        c->out_len = key.size();
        return static_cast<int>(CS_OK);
    });
}

void teardown_wrap(cs_case *c) noexcept
{
    teardown<WrapState>(c);
}

} // namespace cs_botan

#endif
