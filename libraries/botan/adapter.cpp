/* SPDX-License-Identifier: Apache-2.0
 *
 * Botan 2.19 and 3.x through its C++ classes, which have the least between the caller and the algorithm. NOTES.md says
 * which class serves which family, and where bytes are copied because Botan works in place.
 */
#include "adapter.h"

#include <botan/aead.h>
#include <botan/block_cipher.h>
#include <botan/hash.h>
#include <botan/mac.h>
#include <botan/stream_cipher.h>
#include <botan/version.h>

#if __has_include(<botan/cpuid.h>)
#include <botan/cpuid.h>
#endif

#include <sstream>

namespace cs_botan
{

namespace
{

/* Botan's name of what a row calls. */
const char *spec_of(const cs_case *c)
{
    return c->op->name;
}

/* ---- hash ---- */

struct HashState {
    std::unique_ptr<Botan::HashFunction> hash;
};

int setup_hash(cs_case *c) noexcept
{
    return guarded([c] {
        auto s = std::make_unique<HashState>();
        s->hash = Botan::HashFunction::create_or_throw(spec_of(c));
        c->out_len = s->hash->output_length();
        c->state = s.release();
        return static_cast<int>(CS_OK);
    });
}

int call_hash(cs_case *c) noexcept
{
    return guarded([c] {
        auto *s = static_cast<HashState *>(c->state);
        s->hash->update(c->msg.data, c->msg.len);
        s->hash->final(c->out);
        return static_cast<int>(CS_OK);
    });
}

/* ---- mac ---- */

struct MacState {
    std::unique_ptr<Botan::MessageAuthenticationCode> mac;
};

int setup_mac(cs_case *c) noexcept
{
    return guarded([c] {
        auto s = std::make_unique<MacState>();
        s->mac = Botan::MessageAuthenticationCode::create_or_throw(spec_of(c));
        s->mac->set_key(c->key.data, c->key.len);
        c->out_len = s->mac->output_length();
        c->state = s.release();
        return static_cast<int>(CS_OK);
    });
}

int rekey_mac(cs_case *c) noexcept
{
    return guarded([c] {
        static_cast<MacState *>(c->state)->mac->set_key(c->key.data, c->key.len);
        return static_cast<int>(CS_OK);
    });
}

int call_mac(cs_case *c) noexcept
{
    return guarded([c] {
        auto *s = static_cast<MacState *>(c->state);
        s->mac->update(c->msg.data, c->msg.len);
        s->mac->final(c->out);
        return static_cast<int>(CS_OK);
    });
}

/* A Poly1305 key serves one message: Botan forgets it in final. It does so in SipHash too. */
int call_one_time_mac(cs_case *c) noexcept
{
    return guarded([c] {
        auto *s = static_cast<MacState *>(c->state);
        s->mac->set_key(c->key.data, c->key.len);
        s->mac->update(c->msg.data, c->msg.len);
        s->mac->final(c->out);
        return static_cast<int>(CS_OK);
    });
}

/* ---- stream ciphers: AES-CTR and ChaCha20 ---- */

struct StreamState {
    std::unique_ptr<Botan::StreamCipher> cipher;
};

int setup_stream(cs_case *c) noexcept
{
    return guarded([c] {
        auto s = std::make_unique<StreamState>();
        s->cipher = Botan::StreamCipher::create_or_throw(spec_of(c));
        s->cipher->set_key(c->key.data, c->key.len);
        c->out_len = c->msg.len;
        c->state = s.release();
        return static_cast<int>(CS_OK);
    });
}

int rekey_stream(cs_case *c) noexcept
{
    return guarded([c] {
        static_cast<StreamState *>(c->state)->cipher->set_key(c->key.data, c->key.len);
        return static_cast<int>(CS_OK);
    });
}

int call_stream(cs_case *c) noexcept
{
    return guarded([c] {
        auto *s = static_cast<StreamState *>(c->state);
        s->cipher->set_iv(c->iv.data, c->iv.len);
        s->cipher->cipher(c->msg.data, c->out, c->msg.len);
        return static_cast<int>(CS_OK);
    });
}

/* ---- rows ---- */

cs_op hash_row(const char *id, const char *spec)
{
    return {.id = id,
            .impl = "default",
            .name = spec,
            .setup = setup_hash,
            .call = call_hash,
            .teardown = teardown<HashState>};
}

cs_op mac_row(const char *id, const char *spec)
{
    return {.id = id,
            .impl = "default",
            .name = spec,
            .setup = setup_mac,
            .call = call_mac,
            .teardown = teardown<MacState>,
            .rekey = rekey_mac};
}

cs_op stream_row(const char *id, const char *spec)
{
    return {.id = id,
            .impl = "default",
            .name = spec,
            .setup = setup_stream,
            .call = call_stream,
            .teardown = teardown<StreamState>,
            .rekey = rekey_stream};
}

const cs_op rows[] = {
    hash_row("md5/hash", "MD5"),
    hash_row("sha-1/hash", "SHA-1"),
    hash_row("sha-256/hash", "SHA-256"),
    hash_row("sha-512/hash", "SHA-512"),
    hash_row("sha3-256/hash", "SHA-3(256)"),
    hash_row("blake2b-512/hash", "BLAKE2b(512)"),
    hash_row("sha-224/hash", "SHA-224"),
    hash_row("sha-384/hash", "SHA-384"),
    hash_row("sha-512-256/hash", "SHA-512-256"),
    hash_row("sha3-384/hash", "SHA-3(384)"),
    hash_row("sha3-512/hash", "SHA-3(512)"),
    hash_row("shake128/hash", "SHAKE-128(256)"),
    hash_row("shake256/hash", "SHAKE-256(512)"),
#if defined(BOTAN_HAS_BLAKE2S)
    hash_row("blake2s-256/hash", "BLAKE2s(256)"),
#endif
#if defined(BOTAN_HAS_SM3)
    hash_row("sm3/hash", "SM3"),
#endif
#if defined(BOTAN_HAS_RIPEMD_160)
    hash_row("ripemd-160/hash", "RIPEMD-160"),
#endif
    mac_row("hmac-sha-1/mac", "HMAC(SHA-1)"),
    mac_row("hmac-sha-256/mac", "HMAC(SHA-256)"),
    mac_row("hmac-sha-384/mac", "HMAC(SHA-384)"),
    mac_row("hmac-sha-512/mac", "HMAC(SHA-512)"),
    mac_row("cmac-aes-128/mac", "CMAC(AES-128)"),
    mac_row("cmac-aes-256/mac", "CMAC(AES-256)"),
    {.id = "poly1305/mac",
     .impl = "default",
     .name = "Poly1305",
     .setup = setup_mac,
     .call = call_one_time_mac,
     .teardown = teardown<MacState>,
     .rekey = cs_key_in_call},
#if defined(BOTAN_HAS_SIPHASH)
    {.id = "siphash-2-4/mac",
     .impl = "default",
     .name = "SipHash(2,4)",
     .setup = setup_mac,
     .call = call_one_time_mac,
     .teardown = teardown<MacState>,
     .rekey = cs_key_in_call},
#endif
    stream_row("aes-128-ctr/encrypt", "CTR-BE(AES-128)"),
    stream_row("aes-192-ctr/encrypt", "CTR-BE(AES-192)"),
    stream_row("aes-256-ctr/encrypt", "CTR-BE(AES-256)"),
    stream_row("chacha20/encrypt", "ChaCha(20)"),
#if defined(BOTAN_HAS_ARIA)
    stream_row("aria-128-ctr/encrypt", "CTR-BE(ARIA-128)"),
#endif
#if defined(BOTAN_HAS_SM4)
    stream_row("sm4-ctr/encrypt", "CTR-BE(SM4)"),
#endif
};

/* ---- the library ---- */

#if __has_include(<botan/cpuid.h>)
std::string cpu_features()
{
    return Botan::CPUID::to_string();
}
#else
constexpr auto encryption = Botan::Cipher_Dir::ENCRYPTION;

/* Botan 3 does not tell what it found, but what of it each algorithm takes. */
std::string cpu_features()
{
    const auto aes = Botan::BlockCipher::create_or_throw("AES-256");
    const auto sha256 = Botan::HashFunction::create_or_throw("SHA-256");
    const auto sha512 = Botan::HashFunction::create_or_throw("SHA-512");
    const auto chacha = Botan::StreamCipher::create_or_throw("ChaCha(20)");
    const auto poly1305 = Botan::MessageAuthenticationCode::create_or_throw("Poly1305");
    const auto gcm = Botan::AEAD_Mode::create_or_throw("AES-256/GCM", encryption);
    return "AES=" + aes->provider() + " GHASH=" + gcm->provider() + " SHA-256=" + sha256->provider() +
           " SHA-512=" + sha512->provider() + " ChaCha=" + chacha->provider() + " Poly1305=" + poly1305->provider();
}
#endif

#if BOTAN_VERSION_MAJOR < 3
/* Botan 3 reads a variable of the environment instead. */
int open_library() noexcept
{
    return guarded([] {
        const char *hidden = cs_hidden_features();
        bool known = hidden == nullptr;

        std::istringstream names(hidden == nullptr ? "" : hidden);
        for (std::string name; std::getline(names, name, ':');) {
            for (const auto bit : Botan::CPUID::bit_from_string(name)) {
                Botan::CPUID::clear_cpuid_bit(bit);
                known = true;
            }
        }
        return known ? static_cast<int>(CS_OK) : cs_fail("Botan knows none of the features that the mask hides");
    });
}
#endif

const char *cpu_path() noexcept
{
    static const std::string features = cpu_features();
    return features.empty() ? nullptr : features.c_str();
}

const char *version() noexcept
{
    return Botan::short_version_cstr();
}

const cs_table own = CS_TABLE(rows);
const cs_table *const tables[] = {&own,          &botan_modes,  &botan_ghash,    &botan_wrap,       &botan_kdf,
                                  &botan_random, &botan_curves, &botan_curve448, &botan_keys,       &botan_multiples,
                                  &botan_ffdh,   &botan_dsa,    &botan_rsa,      &botan_kem,        &botan_pq,
                                  &botan_import, &botan_x509,   &botan_bignum,   &botan_bignum_crt, nullptr};

const cs_library library = {.abi = CS_ABI,
                            .id = "botan",
                            .version = version,
                            .version_from = "library",
                            .cpu_path = cpu_path,
#if BOTAN_VERSION_MAJOR < 3
                            .open = open_library,
#endif
                            .tables = tables};

} // namespace

} // namespace cs_botan

CS_WORKER_MAIN(cs_botan::library)
