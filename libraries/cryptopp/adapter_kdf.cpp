/* SPDX-License-Identifier: Apache-2.0
 *
 * Crypto++: HKDF, PBKDF2 and scrypt. Their objects hold nothing, and cost nothing to make.
 */
#include "adapter.h"

#include <cryptopp/hkdf.h>
#include <cryptopp/pwdbased.h>
#include <cryptopp/scrypt.h>
#include <cryptopp/sha.h>

namespace cs_cryptopp
{

namespace
{

struct KdfState {
    cs_span salt, info;
    unsigned iterations;
    CryptoPP::word64 n, r, p;
};

int setup_kdf(cs_case *c, size_t bytes) noexcept
{
    return setup<KdfState>(c, bytes, [c](KdfState &s) {
        s.salt = cs_input(c, "salt");
        s.info = cs_input(c, "info");
        s.iterations = static_cast<unsigned>(cs_param_number(c, "iterations", 0));
        s.n = cs_param_number(c, "n", 0);
        s.r = cs_param_number(c, "r", 0);
        s.p = cs_param_number(c, "p", 0);
        return static_cast<int>(CS_OK);
    });
}

template <typename Hash> int hkdf(cs_case *c) noexcept
{
    return guarded([c] {
        const auto &s = state<KdfState>(c);
        CryptoPP::HKDF<Hash>().DeriveKey(c->out, c->out_len, c->key.data, c->key.len, s.salt.data, s.salt.len,
                                         s.info.data, s.info.len);
        return static_cast<int>(CS_OK);
    });
}

template <typename Hash> int pbkdf2(cs_case *c) noexcept
{
    return guarded([c] {
        const auto &s = state<KdfState>(c);
        CryptoPP::PKCS5_PBKDF2_HMAC<Hash>().DeriveKey(c->out, c->out_len, 0, c->key.data, c->key.len, s.salt.data,
                                                      s.salt.len, s.iterations);
        return static_cast<int>(CS_OK);
    });
}

int setup_hkdf_sha256(cs_case *c) noexcept
{
    return setup_kdf(c, CryptoPP::SHA256::DIGESTSIZE);
}

int call_hkdf_sha256(cs_case *c) noexcept
{
    return hkdf<CryptoPP::SHA256>(c);
}

int setup_hkdf_sha512(cs_case *c) noexcept
{
    return setup_kdf(c, CryptoPP::SHA512::DIGESTSIZE);
}

int call_hkdf_sha512(cs_case *c) noexcept
{
    return hkdf<CryptoPP::SHA512>(c);
}

int setup_pbkdf2_sha1(cs_case *c) noexcept
{
    return setup_kdf(c, CryptoPP::SHA1::DIGESTSIZE);
}

int call_pbkdf2_sha1(cs_case *c) noexcept
{
    return pbkdf2<CryptoPP::SHA1>(c);
}

int setup_pbkdf2_sha256(cs_case *c) noexcept
{
    return setup_kdf(c, CryptoPP::SHA256::DIGESTSIZE);
}

int call_pbkdf2_sha256(cs_case *c) noexcept
{
    return pbkdf2<CryptoPP::SHA256>(c);
}

int setup_pbkdf2_sha512(cs_case *c) noexcept
{
    return setup_kdf(c, CryptoPP::SHA512::DIGESTSIZE);
}

int call_pbkdf2_sha512(cs_case *c) noexcept
{
    return pbkdf2<CryptoPP::SHA512>(c);
}

int setup_scrypt(cs_case *c) noexcept
{
    if (cs_memory_there(128 * cs_param_number(c, "n", 0) * cs_param_number(c, "r", 0)) != CS_OK)
        return CS_ERROR;
    return setup_kdf(c, 64);
}

int call_scrypt(cs_case *c) noexcept
{
    return guarded([c] {
        const auto &s = state<KdfState>(c);
        CryptoPP::Scrypt().DeriveKey(c->out, c->out_len, c->key.data, c->key.len, s.salt.data, s.salt.len, s.n, s.r,
                                     s.p);
        return static_cast<int>(CS_OK);
    });
}

#define KDF_ROW(ALGORITHM, NAME, FUNCTIONS)                                                                            \
    {.id = ALGORITHM "/derive",                                                                                        \
     .impl = "default",                                                                                                \
     .name = NAME,                                                                                                     \
     .setup = setup_##FUNCTIONS,                                                                                       \
     .call = call_##FUNCTIONS,                                                                                         \
     .teardown = teardown<KdfState>,                                                                                   \
     .rekey = cs_key_in_call}

const cs_op rows[] = {
    KDF_ROW("hkdf-sha-256", "HKDF<SHA256>", hkdf_sha256),
    KDF_ROW("hkdf-sha-512", "HKDF<SHA512>", hkdf_sha512),
    KDF_ROW("pbkdf2-hmac-sha-1", "PKCS5_PBKDF2_HMAC<SHA1>", pbkdf2_sha1),
    KDF_ROW("pbkdf2-hmac-sha-256", "PKCS5_PBKDF2_HMAC<SHA256>", pbkdf2_sha256),
    KDF_ROW("pbkdf2-hmac-sha-512", "PKCS5_PBKDF2_HMAC<SHA512>", pbkdf2_sha512),
    KDF_ROW("scrypt", "Scrypt", scrypt),
};

} // namespace

const cs_table cryptopp_kdf = CS_TABLE(rows);

} // namespace cs_cryptopp
