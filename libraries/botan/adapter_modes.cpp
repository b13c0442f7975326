/* SPDX-License-Identifier: Apache-2.0
 *
 * Botan: CBC, XTS and AEADs, through Cipher_Mode and AEAD_Mode, which work in place.
 */
#include "adapter.h"

#include <botan/aead.h>

#include <algorithm>
#include <cstring>

namespace cs_botan
{

namespace
{

/* What a row's `param` points to. */
const Botan::Cipher_Dir encryption = Botan::Cipher_Dir::ENCRYPTION;
const Botan::Cipher_Dir decryption = Botan::Cipher_Dir::DECRYPTION;

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
void start_aead(cs_case *c, AeadState *s)
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

cs_op cbc_row(const char *id, const char *spec, const Botan::Cipher_Dir &direction, size_t block)
{
    return {.id = id,
            .impl = "default",
            .name = spec,
            .setup = setup_cbc,
            .call = call_cbc,
            .teardown = teardown<CbcState>,
            .param = &direction,
            .block = block,
            .rekey = rekey_cbc};
}

cs_op seal_row(const char *id, const char *spec)
{
    return {.id = id,
            .impl = "default",
            .name = spec,
            .setup = setup_aead,
            .call = call_seal,
            .teardown = teardown<AeadState>,
            .param = &encryption,
            .rekey = rekey_aead};
}

cs_op open_row(const char *id, const char *spec)
{
    return {.id = id,
            .impl = "default",
            .name = spec,
            .setup = setup_aead,
            .call = call_open,
            .teardown = teardown<AeadState>,
            .param = &decryption,
            .rekey = rekey_aead};
}

/* OCB keeps what it made of the last nonce under another key. */
[[maybe_unused]] cs_op reset_after_key(cs_op row) noexcept
{
    row.rekey = rekey_anew;
    return row;
}

/* EAX keeps that a sealed message had a nonce, so that no additional data are taken for the next one. */
[[maybe_unused]] cs_op reset_before_message(cs_op row) noexcept
{
    row.call = call_seal_anew;
    return row;
}

/* The lane `two_copies` of an operation that works in place. */
template <int (*Call)(cs_case *)> int call_copied(cs_case *c) noexcept
{
    cs_copy_again(c);
    return Call(c);
}

template <int (*Call)(cs_case *)> cs_op copied(cs_op row)
{
    row.impl = "two_copies";
    row.call = call_copied<Call>;
    row.cannot = "place: the lane shows a copy";
    return row;
}

cs_op cbc_copied(const char *id, const char *spec, const Botan::Cipher_Dir &direction, size_t block)
{
    return copied<call_cbc>(cbc_row(id, spec, direction, block));
}

cs_op seal_copied(const char *id, const char *spec)
{
    return copied<call_seal>(seal_row(id, spec));
}

cs_op open_copied(const char *id, const char *spec)
{
    return copied<call_open>(open_row(id, spec));
}

const cs_op rows[] = {
    cbc_row("aes-128-cbc/encrypt", "AES-128/CBC/NoPadding", encryption, 16),
    cbc_row("aes-192-cbc/encrypt", "AES-192/CBC/NoPadding", encryption, 16),
    cbc_row("aes-128-cbc/decrypt", "AES-128/CBC/NoPadding", decryption, 16),
    cbc_row("aes-192-cbc/decrypt", "AES-192/CBC/NoPadding", decryption, 16),
    cbc_row("aes-256-cbc/encrypt", "AES-256/CBC/NoPadding", encryption, 16),
    cbc_row("aes-256-cbc/decrypt", "AES-256/CBC/NoPadding", decryption, 16),
    cbc_row("3des-cbc/encrypt", "3DES/CBC/NoPadding", encryption, 8),
    cbc_row("3des-cbc/decrypt", "3DES/CBC/NoPadding", decryption, 8),
    seal_row("aes-128-gcm/seal", "AES-128/GCM"),
    seal_row("aes-192-gcm/seal", "AES-192/GCM"),
    open_row("aes-128-gcm/open", "AES-128/GCM"),
    open_row("aes-192-gcm/open", "AES-192/GCM"),
    seal_row("aes-256-gcm/seal", "AES-256/GCM"),
    open_row("aes-256-gcm/open", "AES-256/GCM"),
    seal_row("chacha20-poly1305/seal", "ChaCha20Poly1305"),
    open_row("chacha20-poly1305/open", "ChaCha20Poly1305"),
    cbc_copied("aes-128-cbc/encrypt", "AES-128/CBC/NoPadding", encryption, 16),
    cbc_copied("aes-192-cbc/encrypt", "AES-192/CBC/NoPadding", encryption, 16),
    cbc_copied("aes-128-cbc/decrypt", "AES-128/CBC/NoPadding", decryption, 16),
    cbc_copied("aes-192-cbc/decrypt", "AES-192/CBC/NoPadding", decryption, 16),
    cbc_copied("aes-256-cbc/encrypt", "AES-256/CBC/NoPadding", encryption, 16),
    cbc_copied("aes-256-cbc/decrypt", "AES-256/CBC/NoPadding", decryption, 16),
    cbc_copied("3des-cbc/encrypt", "3DES/CBC/NoPadding", encryption, 8),
    cbc_copied("3des-cbc/decrypt", "3DES/CBC/NoPadding", decryption, 8),
    seal_copied("aes-128-gcm/seal", "AES-128/GCM"),
    seal_copied("aes-192-gcm/seal", "AES-192/GCM"),
    seal_copied("aes-256-gcm/seal", "AES-256/GCM"),
    seal_copied("chacha20-poly1305/seal", "ChaCha20Poly1305"),
    open_copied("aes-128-gcm/open", "AES-128/GCM"),
    open_copied("aes-192-gcm/open", "AES-192/GCM"),
    open_copied("aes-256-gcm/open", "AES-256/GCM"),
    open_copied("chacha20-poly1305/open", "ChaCha20Poly1305"),
#if defined(BOTAN_HAS_AEAD_CCM)
    seal_row("aes-128-ccm/seal", "AES-128/CCM(16,3)"),
    open_row("aes-128-ccm/open", "AES-128/CCM(16,3)"),
    seal_row("aes-256-ccm/seal", "AES-256/CCM(16,3)"),
    open_row("aes-256-ccm/open", "AES-256/CCM(16,3)"),
#endif
#if defined(BOTAN_HAS_AEAD_EAX)
    reset_before_message(seal_row("aes-128-eax/seal", "AES-128/EAX")),
    open_row("aes-128-eax/open", "AES-128/EAX"),
    reset_before_message(seal_row("aes-256-eax/seal", "AES-256/EAX")),
    open_row("aes-256-eax/open", "AES-256/EAX"),
#endif
#if defined(BOTAN_HAS_AEAD_OCB)
    reset_after_key(seal_row("aes-128-ocb/seal", "AES-128/OCB(16)")),
    reset_after_key(open_row("aes-128-ocb/open", "AES-128/OCB(16)")),
    reset_after_key(seal_row("aes-256-ocb/seal", "AES-256/OCB(16)")),
    reset_after_key(open_row("aes-256-ocb/open", "AES-256/OCB(16)")),
#endif
#if defined(BOTAN_HAS_MODE_XTS)
    cbc_row("aes-128-xts/encrypt", "AES-128/XTS", encryption, 16),
    cbc_row("aes-128-xts/decrypt", "AES-128/XTS", decryption, 16),
    cbc_row("aes-256-xts/encrypt", "AES-256/XTS", encryption, 16),
    cbc_row("aes-256-xts/decrypt", "AES-256/XTS", decryption, 16),
#endif
#if defined(BOTAN_HAS_CAMELLIA)
    cbc_row("camellia-128-cbc/encrypt", "Camellia-128/CBC/NoPadding", encryption, 16),
    cbc_row("camellia-128-cbc/decrypt", "Camellia-128/CBC/NoPadding", decryption, 16),
#endif
    seal_row("xchacha20-poly1305/seal", "ChaCha20Poly1305"),
    open_row("xchacha20-poly1305/open", "ChaCha20Poly1305"),
};

} // namespace

const cs_table botan_modes = CS_TABLE(rows);

} // namespace cs_botan
