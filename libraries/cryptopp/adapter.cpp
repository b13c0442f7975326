/* SPDX-License-Identifier: Apache-2.0
 *
 * Crypto++ 8 through its classes: HashTransformation, SymmetricCipher, AuthenticatedSymmetricCipher. NOTES.md says
 * which class serves which family; the pipelines of filters are for streams, and are not called.
 */
#define CRYPTOPP_ENABLE_NAMESPACE_WEAK 1 /* MD5 */

#include "adapter.h"

#include <cryptopp/aes.h>
#include <cryptopp/aria.h>
#include <cryptopp/blake2.h>
#include <cryptopp/camellia.h>
#include <cryptopp/ccm.h>
#include <cryptopp/chacha.h>
#include <cryptopp/chachapoly.h>
#include <cryptopp/cmac.h>
#include <cryptopp/cpu.h>
#include <cryptopp/des.h>
#include <cryptopp/eax.h>
#include <cryptopp/gcm.h>
#include <cryptopp/hmac.h>
#include <cryptopp/md5.h>
#include <cryptopp/modes.h>
#include <cryptopp/poly1305.h>
#include <cryptopp/ripemd.h>
#include <cryptopp/sha.h>
#include <cryptopp/sha3.h>
#include <cryptopp/siphash.h>
#include <cryptopp/sm3.h>
#include <cryptopp/sm4.h>
#include <cryptopp/xts.h>
#include <cryptopp/shake.h>

#include <string>

namespace cs_cryptopp
{

using CryptoPP::AES;

namespace
{

constexpr size_t tag_size = 16;

/* ---- hash ---- */

template <typename Hash> int setup_hash(cs_case *c) noexcept
{
    return setup<Hash>(c, Hash::DIGESTSIZE, [](Hash &) { return static_cast<int>(CS_OK); });
}

/* Update and Final, which leaves a fresh state. */
template <typename Hash> int call_hash(cs_case *c) noexcept
{
    return guarded([c] {
        state<Hash>(c).CalculateDigest(c->out, c->msg.data, c->msg.len);
        return static_cast<int>(CS_OK);
    });
}

template <typename Hash> cs_op hash_row(const char *id, const char *name)
{
    return {.id = id,
            .impl = "default",
            .name = name,
            .setup = setup_hash<Hash>,
            .call = call_hash<Hash>,
            .teardown = teardown<Hash>};
}

/* ---- mac ---- */

template <typename Mac> int rekey(cs_case *c) noexcept
{
    return guarded([c] {
        state<Mac>(c).SetKey(c->key.data, c->key.len);
        return static_cast<int>(CS_OK);
    });
}

template <typename Mac> int setup_mac(cs_case *c) noexcept
{
    return setup<Mac>(c, 0, [c](Mac &mac) {
        mac.SetKey(c->key.data, c->key.len);
        c->out_len = mac.DigestSize();
        return static_cast<int>(CS_OK);
    });
}

template <typename Mac> cs_op mac_row(const char *id, const char *name)
{
    return {.id = id,
            .impl = "default",
            .name = name,
            .setup = setup_mac<Mac>,
            .call = call_hash<Mac>,
            .teardown = teardown<Mac>,
            .rekey = rekey<Mac>};
}

/* A Poly1305 key serves one message. */
int call_poly1305(cs_case *c) noexcept
{
    return guarded([c] {
        auto &mac = state<CryptoPP::Poly1305TLS>(c);
        mac.SetKey(c->key.data, c->key.len);
        mac.CalculateDigest(c->out, c->msg.data, c->msg.len);
        return static_cast<int>(CS_OK);
    });
}

/* ---- cipher: CBC, CTR, ChaCha20 ---- */

/* A key comes with an IV in this interface. */
template <typename Cipher> int rekey_cipher(cs_case *c) noexcept
{
    return guarded([c] {
        state<Cipher>(c).SetKeyWithIV(c->key.data, c->key.len, c->iv.data, c->iv.len);
        return static_cast<int>(CS_OK);
    });
}

template <typename Cipher> int setup_cipher(cs_case *c) noexcept
{
    return setup<Cipher>(c, c->msg.len, [c](Cipher &) { return rekey_cipher<Cipher>(c); });
}

template <typename Cipher> int call_cipher(cs_case *c) noexcept
{
    return guarded([c] {
        auto &cipher = state<Cipher>(c);
        cipher.Resynchronize(c->iv.data, static_cast<int>(c->iv.len));
        cipher.ProcessData(c->out, c->msg.data, c->msg.len);
        return static_cast<int>(CS_OK);
    });
}

template <typename Cipher> cs_op cipher_row(const char *id, const char *name, size_t block)
{
    return {.id = id,
            .impl = "default",
            .name = name,
            .setup = setup_cipher<Cipher>,
            .call = call_cipher<Cipher>,
            .teardown = teardown<Cipher>,
            .block = block,
            .rekey = rekey_cipher<Cipher>};
}

/* ---- aead ---- */

template <typename Aead> int setup_seal(cs_case *c) noexcept
{
    return setup<Aead>(c, c->msg.len + tag_size, [c](Aead &) { return rekey_cipher<Aead>(c); });
}

template <typename Aead> int call_seal(cs_case *c) noexcept
{
    return guarded([c] {
        state<Aead>(c).EncryptAndAuthenticate(c->out, c->out + c->msg.len, tag_size, c->iv.data,
                                              static_cast<int>(c->iv.len), c->aad.data, c->aad.len, c->msg.data,
                                              c->msg.len);
        return static_cast<int>(CS_OK);
    });
}

template <typename Aead> int call_open(cs_case *c) noexcept
{
    return guarded([c] {
        const bool authentic =
            state<Aead>(c).DecryptAndVerify(c->out, c->tag.data, c->tag.len, c->iv.data, static_cast<int>(c->iv.len),
                                            c->aad.data, c->aad.len, c->msg.data, c->msg.len);
        return static_cast<int>(authentic ? CS_OK : CS_REJECTED);
    });
}

template <typename Aead> cs_op seal_row(const char *id, const char *name)
{
    return {.id = id,
            .impl = "default",
            .name = name,
            .setup = setup_seal<Aead>,
            .call = call_seal<Aead>,
            .teardown = teardown<Aead>,
            .rekey = rekey_cipher<Aead>};
}

template <typename Aead> cs_op open_row(const char *id, const char *name)
{
    return {.id = id,
            .impl = "default",
            .name = name,
            .setup = setup_cipher<Aead>,
            .call = call_open<Aead>,
            .teardown = teardown<Aead>,
            .rekey = rekey_cipher<Aead>};
}

/* EAX counts a nonce that no message followed into the next one: the nonce that comes with the key is used up. */
template <typename Eax> int rekey_eax(cs_case *c) noexcept
{
    return guarded([c] {
        CryptoPP::byte unused[tag_size];
        auto &eax = state<Eax>(c);
        eax.SetKeyWithIV(c->key.data, c->key.len, c->iv.data, c->iv.len);
        eax.TruncatedFinal(unused, sizeof unused);
        return static_cast<int>(CS_OK);
    });
}

template <typename Eax> int setup_eax(cs_case *c) noexcept
{
    const size_t tag = c->tag.data == nullptr ? tag_size : 0;
    return setup<Eax>(c, c->msg.len + tag, [c](Eax &) { return rekey_eax<Eax>(c); });
}

template <typename Eax> cs_op eax_row(cs_op row)
{
    row.setup = setup_eax<Eax>;
    row.rekey = rekey_eax<Eax>;
    return row;
}

/* ---- rows ---- */

using AesCbc = CryptoPP::CBC_Mode<AES>;
using CamelliaCbc = CryptoPP::CBC_Mode<CryptoPP::Camellia>;
using AesCtr = CryptoPP::CTR_Mode<AES>;
using DesCbc = CryptoPP::CBC_Mode<CryptoPP::DES_EDE3>;
using AesGcm = CryptoPP::GCM<AES>;
using AesCcm = CryptoPP::CCM<AES, tag_size>;
using AesEax = CryptoPP::EAX<AES>;
using AesXts = CryptoPP::XTS_Mode<AES>;
using AesCmac = CryptoPP::CMAC<AES>;
using CryptoPP::ChaCha20Poly1305;
using CryptoPP::XChaCha20Poly1305;

const cs_op rows[] = {
    hash_row<CryptoPP::Weak::MD5>("md5/hash", "Weak::MD5"),
    hash_row<CryptoPP::SHA1>("sha-1/hash", "SHA1"),
    hash_row<CryptoPP::SHA256>("sha-256/hash", "SHA256"),
    hash_row<CryptoPP::SHA512>("sha-512/hash", "SHA512"),
    hash_row<CryptoPP::SHA3_256>("sha3-256/hash", "SHA3_256"),
    hash_row<CryptoPP::BLAKE2b>("blake2b-512/hash", "BLAKE2b"),
    hash_row<CryptoPP::SHA224>("sha-224/hash", "SHA224"),
    hash_row<CryptoPP::SHA384>("sha-384/hash", "SHA384"),
    hash_row<CryptoPP::SHA3_384>("sha3-384/hash", "SHA3_384"),
    hash_row<CryptoPP::SHA3_512>("sha3-512/hash", "SHA3_512"),
    hash_row<CryptoPP::SHAKE128>("shake128/hash", "SHAKE128"),
    hash_row<CryptoPP::SHAKE256>("shake256/hash", "SHAKE256"),
    hash_row<CryptoPP::BLAKE2s>("blake2s-256/hash", "BLAKE2s"),
    hash_row<CryptoPP::SM3>("sm3/hash", "SM3"),
    hash_row<CryptoPP::RIPEMD160>("ripemd-160/hash", "RIPEMD160"),
    mac_row<CryptoPP::HMAC<CryptoPP::SHA1>>("hmac-sha-1/mac", "HMAC<SHA1>"),
    mac_row<CryptoPP::HMAC<CryptoPP::SHA256>>("hmac-sha-256/mac", "HMAC<SHA256>"),
    mac_row<CryptoPP::HMAC<CryptoPP::SHA384>>("hmac-sha-384/mac", "HMAC<SHA384>"),
    mac_row<CryptoPP::HMAC<CryptoPP::SHA512>>("hmac-sha-512/mac", "HMAC<SHA512>"),
    mac_row<CryptoPP::SipHash<2, 4, false>>("siphash-2-4/mac", "SipHash<2, 4>"),
    mac_row<AesCmac>("cmac-aes-128/mac", "CMAC<AES>"),
    mac_row<AesCmac>("cmac-aes-256/mac", "CMAC<AES>"),
    {.id = "poly1305/mac",
     .impl = "default",
     .name = "Poly1305TLS",
     .setup = setup_mac<CryptoPP::Poly1305TLS>,
     .call = call_poly1305,
     .teardown = teardown<CryptoPP::Poly1305TLS>,
     .rekey = cs_key_in_call},
    cipher_row<AesCbc::Encryption>("aes-128-cbc/encrypt", "CBC_Mode<AES>", AES::BLOCKSIZE),
    cipher_row<AesCbc::Encryption>("aes-192-cbc/encrypt", "CBC_Mode<AES>", AES::BLOCKSIZE),
    cipher_row<AesCbc::Decryption>("aes-128-cbc/decrypt", "CBC_Mode<AES>", AES::BLOCKSIZE),
    cipher_row<AesCbc::Decryption>("aes-192-cbc/decrypt", "CBC_Mode<AES>", AES::BLOCKSIZE),
    cipher_row<AesCbc::Encryption>("aes-256-cbc/encrypt", "CBC_Mode<AES>", AES::BLOCKSIZE),
    cipher_row<AesCbc::Decryption>("aes-256-cbc/decrypt", "CBC_Mode<AES>", AES::BLOCKSIZE),
    cipher_row<DesCbc::Encryption>("3des-cbc/encrypt", "CBC_Mode<DES_EDE3>", CryptoPP::DES_EDE3::BLOCKSIZE),
    cipher_row<DesCbc::Decryption>("3des-cbc/decrypt", "CBC_Mode<DES_EDE3>", CryptoPP::DES_EDE3::BLOCKSIZE),
    cipher_row<AesCtr::Encryption>("aes-128-ctr/encrypt", "CTR_Mode<AES>", 0),
    cipher_row<AesCtr::Encryption>("aes-192-ctr/encrypt", "CTR_Mode<AES>", 0),
    cipher_row<AesCtr::Encryption>("aes-256-ctr/encrypt", "CTR_Mode<AES>", 0),
    cipher_row<CryptoPP::ChaChaTLS::Encryption>("chacha20/encrypt", "ChaChaTLS", 0),
    cipher_row<CamelliaCbc::Encryption>("camellia-128-cbc/encrypt", "CBC_Mode<Camellia>", 16),
    cipher_row<CamelliaCbc::Decryption>("camellia-128-cbc/decrypt", "CBC_Mode<Camellia>", 16),
    cipher_row<CryptoPP::CTR_Mode<CryptoPP::ARIA>::Encryption>("aria-128-ctr/encrypt", "CTR_Mode<ARIA>", 0),
    cipher_row<CryptoPP::CTR_Mode<CryptoPP::SM4>::Encryption>("sm4-ctr/encrypt", "CTR_Mode<SM4>", 0),
    seal_row<AesGcm::Encryption>("aes-128-gcm/seal", "GCM<AES>"),
    seal_row<AesGcm::Encryption>("aes-192-gcm/seal", "GCM<AES>"),
    open_row<AesGcm::Decryption>("aes-128-gcm/open", "GCM<AES>"),
    open_row<AesGcm::Decryption>("aes-192-gcm/open", "GCM<AES>"),
    seal_row<AesGcm::Encryption>("aes-256-gcm/seal", "GCM<AES>"),
    open_row<AesGcm::Decryption>("aes-256-gcm/open", "GCM<AES>"),
    seal_row<ChaCha20Poly1305::Encryption>("chacha20-poly1305/seal", "ChaCha20Poly1305"),
    open_row<ChaCha20Poly1305::Decryption>("chacha20-poly1305/open", "ChaCha20Poly1305"),
    seal_row<XChaCha20Poly1305::Encryption>("xchacha20-poly1305/seal", "XChaCha20Poly1305"),
    open_row<XChaCha20Poly1305::Decryption>("xchacha20-poly1305/open", "XChaCha20Poly1305"),
    seal_row<AesCcm::Encryption>("aes-128-ccm/seal", "CCM<AES, 16>"),
    open_row<AesCcm::Decryption>("aes-128-ccm/open", "CCM<AES, 16>"),
    seal_row<AesCcm::Encryption>("aes-256-ccm/seal", "CCM<AES, 16>"),
    open_row<AesCcm::Decryption>("aes-256-ccm/open", "CCM<AES, 16>"),
    eax_row<AesEax::Encryption>(seal_row<AesEax::Encryption>("aes-128-eax/seal", "EAX<AES>")),
    eax_row<AesEax::Decryption>(open_row<AesEax::Decryption>("aes-128-eax/open", "EAX<AES>")),
    eax_row<AesEax::Encryption>(seal_row<AesEax::Encryption>("aes-256-eax/seal", "EAX<AES>")),
    eax_row<AesEax::Decryption>(open_row<AesEax::Decryption>("aes-256-eax/open", "EAX<AES>")),
    cipher_row<AesXts::Encryption>("aes-128-xts/encrypt", "XTS_Mode<AES>", AES::BLOCKSIZE),
    cipher_row<AesXts::Decryption>("aes-128-xts/decrypt", "XTS_Mode<AES>", AES::BLOCKSIZE),
    cipher_row<AesXts::Encryption>("aes-256-xts/encrypt", "XTS_Mode<AES>", AES::BLOCKSIZE),
    cipher_row<AesXts::Decryption>("aes-256-xts/decrypt", "XTS_Mode<AES>", AES::BLOCKSIZE),
};

/* ---- the library ---- */

#if defined(__x86_64__) || defined(__i386__)
std::string cpu_features()
{
    const struct {
        const char *name;
        bool there;
    } features[] = {
        {"sse2", CryptoPP::HasSSE2()},   {"ssse3", CryptoPP::HasSSSE3()}, {"sse4.1", CryptoPP::HasSSE41()},
        {"aesni", CryptoPP::HasAESNI()}, {"clmul", CryptoPP::HasCLMUL()}, {"sha", CryptoPP::HasSHA()},
        {"avx2", CryptoPP::HasAVX2()},
    };
    std::string text;

    for (const auto &feature : features)
        if (feature.there)
            text += (text.empty() ? "" : " ") + std::string(feature.name);
    return text;
}
#else
std::string cpu_features()
{
    return {};
}
#endif

const char *cpu_path() noexcept
{
    static const std::string features = cpu_features();
    return features.empty() ? nullptr : features.c_str();
}

/* Three digits: 870 is 8.7.0. */
const char *version() noexcept
{
    static const int number = CryptoPP::LibraryVersion();
    static const std::string text =
        std::to_string(number / 100) + "." + std::to_string(number / 10 % 10) + "." + std::to_string(number % 10);
    return text.c_str();
}

const cs_table own = CS_TABLE(rows);
const cs_table *const tables[] = {&own,
                                  &cryptopp_curves,
                                  &cryptopp_keys,
                                  &cryptopp_ffdh,
                                  &cryptopp_rsa,
                                  &cryptopp_dsa,
                                  &cryptopp_import,
                                  &cryptopp_kdf,
                                  &cryptopp_random,
                                  &cryptopp_bignum,
                                  &cryptopp_bignum_crt,
                                  nullptr};

const cs_library library = {.abi = CS_ABI,
                            .id = "cryptopp",
                            .version = version,
                            .version_from = "library",
                            .cpu_path = cpu_path,
                            .tables = tables};

} // namespace

} // namespace cs_cryptopp

CS_WORKER_MAIN(cs_cryptopp::library)
