/* SPDX-License-Identifier: Apache-2.0
 *
 * Botan: CBC and AEAD, through Cipher_Mode and AEAD_Mode, which work in place.
 */
#include "adapter_modes.h"

#include <botan/aead.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>

namespace cs_botan
{

const Botan::Cipher_Dir encryption = Botan::Cipher_Dir::ENCRYPTION;
const Botan::Cipher_Dir decryption = Botan::Cipher_Dir::DECRYPTION;

namespace
{

constexpr size_t tag_size = 16;

/* The message is processed in the output buffer, after one copy, as far as whole granules go; `tail` takes the rest,
 * because Botan finishes a message only in a secure_vector. Its capacity is set once. */
template <typename Mode> struct ModeState {
    std::unique_ptr<Mode> mode;
    Botan::secure_vector<uint8_t> tail;
    size_t bulk = 0; /* bytes before the tail; a whole number of granules */

    /* `suffix` is the number of bytes (an AEAD tag to check) that follow the message into the tail. */
    void plan(size_t msg_len, size_t suffix)
    {
        /* CCM, which needs lengths first, gives everything at the end. */
        if (mode->name().find("/CCM") != std::string::npos) {
            tail.reserve(msg_len + suffix + tag_size);
            return;
        }
        const size_t granule = mode->update_granularity();
        const size_t least = mode->minimum_final_size();
        const size_t spare = msg_len + suffix < least ? 0 : std::min(msg_len, msg_len + suffix - least);
        bulk = spare / granule * granule;
        tail.reserve(msg_len - bulk + suffix + tag_size);
    }

    void process_bulk(const cs_case *c)
    {
        if (bulk == 0)
            return;
        if (c->out != c->msg.data)
            std::memcpy(c->out, c->msg.data, bulk);
        mode->process(c->out, bulk);
    }

    void finish_tail(cs_case *c)
    {
        mode->finish(tail);
        std::copy(tail.begin(), tail.end(), c->out + bulk);
        c->out_len = bulk + tail.size();
    }
};

using CbcState = ModeState<Botan::Cipher_Mode>;
using AeadState = ModeState<Botan::AEAD_Mode>;

} // namespace

int setup_cbc(cs_case *c) noexcept
{
    return guarded([c] {
        auto s = std::make_unique<CbcState>();
        s->mode =
            Botan::Cipher_Mode::create_or_throw(c->op->name, *static_cast<const Botan::Cipher_Dir *>(c->op->param));
        if (c->msg.len < s->mode->minimum_final_size())
            return cs_fail("Botan decrypts no empty message in CBC mode");
        s->mode->set_key(c->key.data, c->key.len);
        s->plan(c->msg.len, 0);
        c->state = s.release();
        return static_cast<int>(CS_OK);
    });
}

int rekey_cbc(cs_case *c) noexcept
{
    return guarded([c] {
        static_cast<CbcState *>(c->state)->mode->set_key(c->key.data, c->key.len);
        return static_cast<int>(CS_OK);
    });
}

int call_cbc(cs_case *c) noexcept
{
    return guarded([c] {
        auto *s = static_cast<CbcState *>(c->state);
        s->mode->start(c->iv.data, c->iv.len);
        s->process_bulk(c);
        s->tail.assign(c->msg.data + s->bulk, c->msg.data + c->msg.len);
        s->finish_tail(c);
        return static_cast<int>(CS_OK);
    });
}

int setup_aead(cs_case *c) noexcept
{
    return guarded([c] {
        auto s = std::make_unique<AeadState>();
        const auto direction = *static_cast<const Botan::Cipher_Dir *>(c->op->param);
        s->mode = Botan::AEAD_Mode::create_or_throw(c->op->name, direction);
        s->mode->set_key(c->key.data, c->key.len);
        s->plan(c->msg.len, direction == decryption ? tag_size : 0);
        c->state = s.release();
        return static_cast<int>(CS_OK);
    });
}

int rekey_aead(cs_case *c) noexcept
{
    return guarded([c] {
        static_cast<AeadState *>(c->state)->mode->set_key(c->key.data, c->key.len);
        return static_cast<int>(CS_OK);
    });
}

/* Additional data come first: Botan takes them before the nonce. */
static void start_aead(cs_case *c, AeadState *s)
{
    s->mode->set_associated_data(c->aad.data, c->aad.len);
    s->mode->start(c->iv.data, c->iv.len);
    s->process_bulk(c);
    s->tail.assign(c->msg.data + s->bulk, c->msg.data + c->msg.len);
}

int call_seal(cs_case *c) noexcept
{
    return guarded([c] {
        auto *s = static_cast<AeadState *>(c->state);
        start_aead(c, s);
        s->finish_tail(c);
        return static_cast<int>(CS_OK);
    });
}

int call_open(cs_case *c) noexcept
{
    return guarded([c] {
        auto *s = static_cast<AeadState *>(c->state);
        try {
            start_aead(c, s);
            s->tail.insert(s->tail.end(), c->tag.data, c->tag.data + c->tag.len);
            s->finish_tail(c);
            return static_cast<int>(CS_OK);
        } catch (const Botan::Exception &) {
            s->mode->reset();
            throw;
        }
    });
}

namespace
{

int rekey_anew(cs_case *c) noexcept
{
    return guarded([c] {
        auto &mode = static_cast<AeadState *>(c->state)->mode;
        mode->set_key(c->key.data, c->key.len);
        mode->reset();
        return static_cast<int>(CS_OK);
    });
}

int call_seal_anew(cs_case *c) noexcept
{
    return guarded([c] {
        static_cast<AeadState *>(c->state)->mode->reset();
        return call_seal(c);
    });
}

} // namespace

cs_op reset_after_key(cs_op row) noexcept
{
    row.rekey = rekey_anew;
    return row;
}

cs_op reset_before_message(cs_op row) noexcept
{
    row.call = call_seal_anew;
    return row;
}

void teardown_cbc(cs_case *c) noexcept
{
    teardown<CbcState>(c);
}

void teardown_aead(cs_case *c) noexcept
{
    teardown<AeadState>(c);
}

} // namespace cs_botan
