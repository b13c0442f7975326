/* SPDX-License-Identifier: Apache-2.0
 *
 * Botan: HKDF, and hashes of passwords, whose objects hold costs and neither password nor salt.
 */
#include "adapter.h"

#if defined(BOTAN_HAS_HKDF) || defined(BOTAN_HAS_PBKDF2) || defined(BOTAN_HAS_SCRYPT) || defined(BOTAN_HAS_ARGON2)
#if defined(BOTAN_HAS_HKDF)
#include <botan/kdf.h>
#endif
#if defined(BOTAN_HAS_PBKDF2) || defined(BOTAN_HAS_SCRYPT) || defined(BOTAN_HAS_ARGON2)
#include <botan/pwdhash.h>
#endif

#include <algorithm>

namespace cs_botan
{

namespace
{

/* What a row points to: the library's name of the function, and the bytes of output. */
struct KdfKind {
    const char *name;
    size_t bytes;
};

#if defined(BOTAN_HAS_HKDF)
struct HkdfState {
    std::unique_ptr<Botan::KDF> kdf;
    cs_span salt, info;
};

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

#endif

#if defined(BOTAN_HAS_PBKDF2) || defined(BOTAN_HAS_SCRYPT) || defined(BOTAN_HAS_ARGON2)
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

[[maybe_unused]] int setup_pbkdf2(cs_case *c) noexcept
{
    return setup_password(c, cost(c, "iterations"));
}

[[maybe_unused]] int setup_scrypt(cs_case *c) noexcept
{
    const size_t n = cost(c, "n"), r = cost(c, "r");

    return cs_memory_there(uint64_t(128) * n * r) == CS_OK ? setup_password(c, n, r, cost(c, "p")) : CS_ERROR;
}

[[maybe_unused]] int setup_argon2id(cs_case *c) noexcept
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

#endif

[[maybe_unused]] constexpr KdfKind hkdf_sha256 = {"HKDF(SHA-256)", 32}, hkdf_sha512 = {"HKDF(SHA-512)", 64},
                                   pbkdf2_sha1 = {"PBKDF2(SHA-1)", 20}, pbkdf2_sha256 = {"PBKDF2(SHA-256)", 32},
                                   pbkdf2_sha512 = {"PBKDF2(SHA-512)", 64}, scrypt_kind = {"Scrypt", 64},
                                   argon2id_kind = {"Argon2id", 32};

#define KDF_ROW(ALGORITHM, NAME, SETUP, CALL, STATE, KIND)                                                             \
    {.id = ALGORITHM "/derive",                                                                                        \
     .impl = "default",                                                                                                \
     .name = NAME,                                                                                                     \
     .setup = setup_##SETUP,                                                                                           \
     .call = call_##CALL,                                                                                              \
     .teardown = teardown<STATE>,                                                                                      \
     .param = &(KIND),                                                                                                 \
     .rekey = cs_key_in_call}
#define PASSWORD_ROW(ALGORITHM, NAME, SETUP, KIND)                                                                     \
    KDF_ROW(ALGORITHM, "PasswordHash " NAME, SETUP, password, PasswordState, KIND)

const cs_op rows[] = {
#if defined(BOTAN_HAS_HKDF)
    KDF_ROW("hkdf-sha-256", "KDF::derive_key HKDF(SHA-256)", hkdf, hkdf, HkdfState, hkdf_sha256),
    KDF_ROW("hkdf-sha-512", "KDF::derive_key HKDF(SHA-512)", hkdf, hkdf, HkdfState, hkdf_sha512),
#endif
#if defined(BOTAN_HAS_PBKDF2)
    PASSWORD_ROW("pbkdf2-hmac-sha-1", "PBKDF2", pbkdf2, pbkdf2_sha1),
    PASSWORD_ROW("pbkdf2-hmac-sha-256", "PBKDF2", pbkdf2, pbkdf2_sha256),
    PASSWORD_ROW("pbkdf2-hmac-sha-512", "PBKDF2", pbkdf2, pbkdf2_sha512),
#endif
#if defined(BOTAN_HAS_SCRYPT)
    PASSWORD_ROW("scrypt", "Scrypt", scrypt, scrypt_kind),
#endif
#if defined(BOTAN_HAS_ARGON2)
    PASSWORD_ROW("argon2id", "Argon2id", argon2id, argon2id_kind),
#endif
};

} // namespace

const cs_table botan_kdf = CS_TABLE(rows);

} // namespace cs_botan

#else
const cs_table cs_botan::botan_kdf = {nullptr, 0};
#endif
