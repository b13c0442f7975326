/* SPDX-License-Identifier: Apache-2.0
 *
 * Botan: key wrap, through the functions on a block cipher that has its key.
 */
#include "adapter.h"

#if defined(BOTAN_HAS_NIST_KEYWRAP)

#include <botan/block_cipher.h>
#include <botan/nist_keywrap.h>

#include <algorithm>

namespace cs_botan
{

namespace
{

struct WrapState {
    std::unique_ptr<Botan::BlockCipher> cipher;
};

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

#define WRAP_ROW(ID, VERB)                                                                                             \
    {.id = ID "/" #VERB,                                                                                               \
     .impl = "default",                                                                                                \
     .name = "nist_key_" #VERB,                                                                                        \
     .setup = setup_wrap,                                                                                              \
     .call = call_##VERB,                                                                                              \
     .teardown = teardown<WrapState>,                                                                                  \
     .block = 8,                                                                                                       \
     .rekey = rekey_wrap}

const cs_op rows[] = {WRAP_ROW("aes-128-kw", wrap), WRAP_ROW("aes-128-kw", unwrap), WRAP_ROW("aes-256-kw", wrap),
                      WRAP_ROW("aes-256-kw", unwrap)};

} // namespace

const cs_table botan_wrap = CS_TABLE(rows);

} // namespace cs_botan

#else
const cs_table cs_botan::botan_wrap = {nullptr, 0};
#endif
