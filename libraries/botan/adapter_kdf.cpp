/* SPDX-License-Identifier: Apache-2.0
 *
 * Botan: HKDF, and hashes of passwords, whose objects hold costs and neither password nor salt.
 */
#include "adapter_kdf.h"

#include <algorithm>
#include <memory>

#if defined(BOTAN_HAS_HKDF)

#include <botan/kdf.h>

namespace cs_botan
{

namespace
{

struct HkdfState {
    std::unique_ptr<Botan::KDF> kdf;
    cs_span salt, info;
};

} // namespace

int setup_hkdf(cs_case *c) noexcept
{
    return guarded([c] {
        const auto *kind = static_cast<const KdfKind *>(c->op->param);
        auto s = std::make_unique<HkdfState>();
        s->kdf = Botan::KDF::create_or_throw(kind->name);
        s->salt = cs_input(c, "salt");
        s->info = cs_input(c, "info");
        c->out_len = kind->bytes;
        c->state = s.release();
        return static_cast<int>(CS_OK);
    });
}

/* The library gives a vector of its own. */
int call_hkdf(cs_case *c) noexcept
{
    return guarded([c] {
        const auto *s = static_cast<const HkdfState *>(c->state);
        const auto key = s->kdf->derive_key(c->out_len, c->key.data, c->key.len, s->salt.data, s->salt.len,
                                            s->info.data, s->info.len);
        std::copy(key.begin(), key.end(), c->out);
        return static_cast<int>(CS_OK);
    });
}

void teardown_hkdf(cs_case *c) noexcept
{
    teardown<HkdfState>(c);
}

} // namespace cs_botan

#endif

#if defined(BOTAN_HAS_PBKDF2) || defined(BOTAN_HAS_SCRYPT) || defined(BOTAN_HAS_ARGON2)

#include <botan/pwdhash.h>

namespace cs_botan
{

namespace
{

struct PasswordState {
    std::unique_ptr<Botan::PasswordHash> hash;
    cs_span salt;
};

int setup_password(cs_case *c, size_t first, size_t second = 0, size_t third = 0) noexcept
{
    return guarded([=] {
        const auto *kind = static_cast<const KdfKind *>(c->op->param);
        auto s = std::make_unique<PasswordState>();
        s->hash = Botan::PasswordHashFamily::create_or_throw(kind->name)->from_params(first, second, third);
        s->salt = cs_input(c, "salt");
        c->out_len = kind->bytes;
        c->state = s.release();
        return static_cast<int>(CS_OK);
    });
}

size_t cost(const cs_case *c, const char *name) noexcept
{
    return static_cast<size_t>(cs_param_number(c, name, 0));
}

} // namespace

int setup_pbkdf2(cs_case *c) noexcept
{
    return setup_password(c, cost(c, "iterations"));
}

int setup_scrypt(cs_case *c) noexcept
{
    const size_t n = cost(c, "n"), r = cost(c, "r");

    return cs_memory_there(uint64_t(128) * n * r) == CS_OK ? setup_password(c, n, r, cost(c, "p")) : CS_ERROR;
}

int setup_argon2id(cs_case *c) noexcept
{
    const size_t m = cost(c, "m");

    return cs_memory_there(uint64_t(1024) * m) == CS_OK ? setup_password(c, m, cost(c, "t"), cost(c, "p")) : CS_ERROR;
}

int call_password(cs_case *c) noexcept
{
    return guarded([c] {
        const auto *s = static_cast<const PasswordState *>(c->state);
        s->hash->derive_key(c->out, c->out_len, reinterpret_cast<const char *>(c->key.data), c->key.len, s->salt.data,
                            s->salt.len);
        return static_cast<int>(CS_OK);
    });
}

void teardown_password(cs_case *c) noexcept
{
    teardown<PasswordState>(c);
}

} // namespace cs_botan

#endif
