/* SPDX-License-Identifier: Apache-2.0
 *
 * Crypto++: keys out of DER, through the Load of RSA's keys and of ECDSA's private ones. A call frees the key of the
 * call before.
 */
#include "adapter_import.h"

#include <cryptopp/eccrypto.h>
#include <cryptopp/filters.h>
#include <cryptopp/rsa.h>
#include <cryptopp/sha.h>

#include <memory>

namespace cs_cryptopp
{

namespace
{

constexpr size_t exponent = 4;

struct Import {
    std::unique_ptr<CryptoPP::RSA::PublicKey> pub;
    std::unique_ptr<CryptoPP::RSA::PrivateKey> key;
};

/* An exception of the library's tells what is no key. */
template <typename Key> int load(cs_case *c, std::unique_ptr<Key> &into) noexcept
{
    return guarded([c, &into] {
        into.reset();
        try {
            CryptoPP::ArraySource bytes(c->msg.data, c->msg.len, true);
            into = std::make_unique<Key>();
            into->Load(bytes);
            return static_cast<int>(CS_OK);
        } catch (const CryptoPP::Exception &) {
            return static_cast<int>(CS_REJECTED);
        }
    });
}

void put(uint8_t *at, size_t len, const CryptoPP::Integer &number)
{
    if (number.MinEncodedSize() > len)
        throw CryptoPP::InvalidDataFormat("a number of the key is longer than it should be");
    number.Encode(at, len);
}

} // namespace

int setup_import(cs_case *c) noexcept
{
    return setup<Import>(c, 0, [](Import &) { return static_cast<int>(CS_OK); });
}

void teardown_import(cs_case *c) noexcept
{
    teardown<Import>(c);
}

int call_import_public(cs_case *c) noexcept
{
    return load(c, state<Import>(c).pub);
}

int call_import_private(cs_case *c) noexcept
{
    return load(c, state<Import>(c).key);
}

int finish_import_public(cs_case *c) noexcept
{
    return guarded([c] {
        const auto pub = std::move(state<Import>(c).pub);
        const size_t len = c->out_cap - exponent;
        put(c->out, len, pub->GetModulus());
        put(c->out + len, exponent, pub->GetPublicExponent());
        c->out_len = c->out_cap;
        return static_cast<int>(CS_OK);
    });
}

int finish_import_private(cs_case *c) noexcept
{
    return guarded([c] {
        const auto key = std::move(state<Import>(c).key);
        const size_t len = c->out_cap / 2;
        put(c->out, len, key->GetPrime1());
        put(c->out + len, len, key->GetPrime2());
        c->out_len = c->out_cap;
        return static_cast<int>(CS_OK);
    });
}

/* ---- P-256 ---- */

namespace
{

using Ecdsa = CryptoPP::ECDSA<CryptoPP::ECP, CryptoPP::SHA256>;

struct EcImport {
    std::unique_ptr<Ecdsa::PrivateKey> key;
};

} // namespace

int setup_import_ec(cs_case *c) noexcept
{
    return setup<EcImport>(c, 0, [](EcImport &) { return static_cast<int>(CS_OK); });
}

void teardown_import_ec(cs_case *c) noexcept
{
    teardown<EcImport>(c);
}

int call_import_scalar(cs_case *c) noexcept
{
    return load(c, state<EcImport>(c).key);
}

int finish_import_scalar(cs_case *c) noexcept
{
    return guarded([c] {
        const auto key = std::move(state<EcImport>(c).key);
        put(c->out, c->out_cap, key->GetPrivateExponent());
        c->out_len = c->out_cap;
        return static_cast<int>(CS_OK);
    });
}

} // namespace cs_cryptopp
