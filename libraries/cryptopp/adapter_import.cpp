/* SPDX-License-Identifier: Apache-2.0
 *
 * Crypto++: keys out of DER, through the Load of RSA's keys and of ECDSA's private ones. A call frees the key of the
 * call before.
 */
#include "adapter.h"

#include <cryptopp/eccrypto.h>
#include <cryptopp/filters.h>
#include <cryptopp/rsa.h>
#include <cryptopp/sha.h>

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

int setup_import(cs_case *c) noexcept
{
    return setup<Import>(c, 0, [](Import &) { return static_cast<int>(CS_OK); });
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

using Ecdsa = CryptoPP::ECDSA<CryptoPP::ECP, CryptoPP::SHA256>;

struct EcImport {
    std::unique_ptr<Ecdsa::PrivateKey> key;
};

int setup_import_ec(cs_case *c) noexcept
{
    return setup<EcImport>(c, 0, [](EcImport &) { return static_cast<int>(CS_OK); });
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

#define IMPORT_ROW(ID, NAME, KIND)                                                                                     \
    {.id = ID,                                                                                                         \
     .impl = "default",                                                                                                \
     .name = NAME,                                                                                                     \
     .setup = setup_import,                                                                                            \
     .call = call_import_##KIND,                                                                                       \
     .teardown = teardown<Import>,                                                                                     \
     .finish = finish_import_##KIND}
#define IMPORT_ROWS_OF(BITS)                                                                                           \
    IMPORT_ROW("rsa-" BITS "-spki/import-public", "RSA::PublicKey::Load", public),                                     \
        IMPORT_ROW("rsa-" BITS "-pkcs8/import-private", "RSA::PrivateKey::Load", private)

const cs_op rows[] = {IMPORT_ROWS_OF("2048"),
                      IMPORT_ROWS_OF("4096"),
                      {.id = "p-256-pkcs8/import-private",
                       .impl = "default",
                       .name = "ECDSA::PrivateKey::Load",
                       .setup = setup_import_ec,
                       .call = call_import_scalar,
                       .teardown = teardown<EcImport>,
                       .finish = finish_import_scalar}};

} // namespace

const cs_table cryptopp_import = CS_TABLE(rows);

} // namespace cs_cryptopp
