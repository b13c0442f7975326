/* SPDX-License-Identifier: Apache-2.0
 *
 * Botan 2.19 and 3.x through its C++ classes, which have the least between the caller and the algorithm. NOTES.md says
 * which class serves which family, and where bytes are copied because Botan works in place.
 */
#include "adapter.h"
#include "adapter_bignum.h"
#include "adapter_curve448.h"
#include "adapter_digests.h"
#include "adapter_import.h"
#include "adapter_x509.h"
#include "adapter_kem.h"
#include "adapter_keys.h"
#include "adapter_modes.h"
#include "adapter_pq.h"
#include "adapter_wrap.h"
#include "adapter_rsa.h"
#include "adapter_ffdh.h"
#include "adapter_dsa.h"
#include "adapter_kdf.h"

#include <botan/aead.h>
#include <botan/block_cipher.h>
#include <botan/hash.h>
#include <botan/mac.h>
#include <botan/stream_cipher.h>
#include <botan/version.h>

#if __has_include(<botan/cpuid.h>)
#include <botan/cpuid.h>
#endif

#include <algorithm>
#include <cstring>
#include <memory>
#include <sstream>
#include <string>

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

/* ---- the table ---- */

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

cs_op cbc_row(const char *id, const char *spec, const Botan::Cipher_Dir &direction, size_t block)
{
    return {.id = id,
            .impl = "default",
            .name = spec,
            .setup = setup_cbc,
            .call = call_cbc,
            .teardown = teardown_cbc,
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
            .teardown = teardown_aead,
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
            .teardown = teardown_aead,
            .param = &decryption,
            .rekey = rekey_aead};
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

#define ECDH_ROW(ALGORITHM, CURVE)                                                                                     \
    {.id = ALGORITHM "/derive",                                                                                        \
     .impl = "default",                                                                                                \
     .name = "PK_Key_Agreement ECDH",                                                                                  \
     .setup = setup_ecdh,                                                                                              \
     .call = call_ecdh,                                                                                                \
     .teardown = teardown_ecdh,                                                                                        \
     .param = CURVE,                                                                                                   \
     .unavailable = curve_unavailable,                                                                                 \
     .rekey = cs_setup_again,                                                                                          \
     .seed = seed_rng,                                                                                                 \
     .counts_random = 1}
#define ECDSA_ROWS(ALGORITHM, CURVE, HASH)                                                                             \
    {.id = ALGORITHM "/sign",                                                                                          \
     .impl = "default",                                                                                                \
     .name = "PK_Signer ECDSA " HASH,                                                                                  \
     .setup = setup_ecdsa_sign,                                                                                        \
     .call = call_sign,                                                                                                \
     .teardown = teardown_sign,                                                                                        \
     .param = CURVE,                                                                                                   \
     .form = "p1363",                                                                                                  \
     .unavailable = curve_unavailable,                                                                                 \
     .rekey = cs_setup_again,                                                                                          \
     .seed = seed_rng,                                                                                                 \
     .counts_random = 1},                                                                                              \
        {.id = ALGORITHM "/verify",                                                                                    \
         .impl = "default",                                                                                            \
         .name = "PK_Verifier ECDSA " HASH,                                                                            \
         .setup = setup_ecdsa_verify,                                                                                  \
         .call = call_verify,                                                                                          \
         .teardown = teardown_verify,                                                                                  \
         .param = CURVE,                                                                                               \
         .form = "p1363",                                                                                              \
         .unavailable = curve_unavailable,                                                                             \
         .rekey = cs_setup_again},                                                                                     \
    {                                                                                                                  \
        .id = ALGORITHM "/verify", .impl = "fresh_key", .name = "PK_Verifier ECDSA " HASH ", made in the call",        \
        .setup = setup_ecdsa_fresh, .call = call_verify_fresh, .teardown = teardown_fresh, .param = CURVE,             \
        .form = "p1363", .unavailable = curve_unavailable                                                              \
    }

const cs_op ops[] = {hash_row("md5/hash", "MD5"),
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
                     OTHER_HASHES RANDOM_ROWS,
                     mac_row("hmac-sha-1/mac", "HMAC(SHA-1)"),
                     mac_row("hmac-sha-256/mac", "HMAC(SHA-256)"),
                     mac_row("hmac-sha-384/mac", "HMAC(SHA-384)"),
                     mac_row("hmac-sha-512/mac", "HMAC(SHA-512)"),
                     SIPHASH_ROW mac_row("cmac-aes-128/mac", "CMAC(AES-128)"),
                     mac_row("cmac-aes-256/mac", "CMAC(AES-256)"),
#if BOTAN_VERSION_MAJOR < 3
                     {.id = "ghash/mac",
                      .impl = "default",
                      .name = "GHASH",
                      .setup = setup_ghash,
                      .call = call_ghash,
                      .teardown = teardown_ghash},
#endif
                     {.id = "poly1305/mac",
                      .impl = "default",
                      .name = "Poly1305",
                      .setup = setup_mac,
                      .call = call_one_time_mac,
                      .teardown = teardown<MacState>,
                      .rekey = cs_key_in_call},
                     cbc_row("aes-128-cbc/encrypt", "AES-128/CBC/NoPadding", encryption, 16),
                     cbc_row("aes-192-cbc/encrypt", "AES-192/CBC/NoPadding", encryption, 16),
                     cbc_row("aes-128-cbc/decrypt", "AES-128/CBC/NoPadding", decryption, 16),
                     cbc_row("aes-192-cbc/decrypt", "AES-192/CBC/NoPadding", decryption, 16),
                     cbc_row("aes-256-cbc/encrypt", "AES-256/CBC/NoPadding", encryption, 16),
                     cbc_row("aes-256-cbc/decrypt", "AES-256/CBC/NoPadding", decryption, 16),
                     cbc_row("3des-cbc/encrypt", "3DES/CBC/NoPadding", encryption, 8),
                     cbc_row("3des-cbc/decrypt", "3DES/CBC/NoPadding", decryption, 8),
                     stream_row("aes-128-ctr/encrypt", "CTR-BE(AES-128)"),
                     stream_row("aes-192-ctr/encrypt", "CTR-BE(AES-192)"),
                     stream_row("aes-256-ctr/encrypt", "CTR-BE(AES-256)"),
                     stream_row("chacha20/encrypt", "ChaCha(20)"),
                     seal_row("aes-128-gcm/seal", "AES-128/GCM"),
                     seal_row("aes-192-gcm/seal", "AES-192/GCM"),
                     open_row("aes-128-gcm/open", "AES-128/GCM"),
                     open_row("aes-192-gcm/open", "AES-192/GCM"),
                     seal_row("aes-256-gcm/seal", "AES-256/GCM"),
                     open_row("aes-256-gcm/open", "AES-256/GCM"),
                     seal_row("chacha20-poly1305/seal", "ChaCha20Poly1305"),
                     open_row("chacha20-poly1305/open", "ChaCha20Poly1305"),
                     MODE_ROWS cbc_copied("aes-128-cbc/encrypt", "AES-128/CBC/NoPadding", encryption, 16),
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
                     {.id = "x25519/derive",
                      .impl = "default",
                      .name = "PK_Key_Agreement X25519",
                      .setup = setup_x25519,
                      .call = call_x25519,
                      .teardown = teardown_x25519,
                      .rekey = cs_setup_again,
                      .seed = seed_rng,
                      .counts_random = 1},
                     {.id = "ed25519/sign",
                      .impl = "default",
                      .name = "PK_Signer Ed25519 Pure",
                      .setup = setup_ed25519_sign,
                      .call = call_sign,
                      .teardown = teardown_sign,
                      .rekey = cs_setup_again,
                      .seed = seed_rng,
                      .counts_random = 1},
                     {.id = "ed25519/verify",
                      .impl = "default",
                      .name = "PK_Verifier Ed25519 Pure",
                      .setup = setup_ed25519_verify,
                      .call = call_verify,
                      .teardown = teardown_verify,
                      .rekey = cs_setup_again},
                     ECDSA_ROWS("ecdsa-p256-sha256", "secp256r1", "SHA-256"),
                     ECDSA_ROWS("ecdsa-secp256k1-sha256", "secp256k1", "SHA-256"),
#if defined(BOTAN_HAS_ECDH)
                     ECDH_AGREE_ROWS,
                     ECDH_ROW("p-256", "secp256r1"),
                     ECDH_ROW("secp256k1", "secp256k1"),
                     ECDH_ROW("p-384", "secp384r1"),
                     ECDH_ROW("p-521", "secp521r1"),
                     ECDH_ROW("brainpool-p256", "brainpool256r1"),
#endif
                     ECDSA_ROWS("ecdsa-p384-sha384", "secp384r1", "SHA-384"),
                     ECDSA_ROWS("ecdsa-p521-sha512", "secp521r1", "SHA-512"),
                     ECDSA_ROWS("ecdsa-brainpoolp256r1-sha256", "brainpool256r1", "SHA-256"),
                     KEYGEN_ROW("brainpool-p256", "ECDSA_PrivateKey", call_ec_keygen, "brainpool256r1", 1),
                     KEYGEN_ROW("p-384", "ECDSA_PrivateKey", call_ec_keygen, "secp384r1", 1),
                     KEYGEN_ROW("p-521", "ECDSA_PrivateKey", call_ec_keygen, "secp521r1", 1),
                     KEYGEN_ROWS,

                     FFDH_ROWS DSA_ROWS RSA_ROWS,
                     IMPORT_ROWS,
                     X509_ROWS
#if defined(BOTAN_HAS_ML_KEM)
                         KEM_ROWS,
#endif
                     ML_DSA_ROWS SLH_DSA_ROWS CURVE448_ROWS BIGNUM_ROWS,
                     KDF_ROWS};

/* ---- the library ---- */

#if __has_include(<botan/cpuid.h>)
std::string cpu_features()
{
    return Botan::CPUID::to_string();
}
#else
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

const cs_table own = CS_TABLE(ops);
const cs_table *const tables[] = {&own, nullptr};

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
