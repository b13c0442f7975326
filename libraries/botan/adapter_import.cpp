/* SPDX-License-Identifier: Apache-2.0
 *
 * Botan: keys out of DER, through X509::load_key and PKCS8::load_key. A call frees the key of the call before.
 */
#include "adapter.h"

#include <botan/data_src.h>
#include <botan/ecdsa.h>
#include <botan/pkcs8.h>
#include <botan/rsa.h>
#include <botan/x509_key.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <string_view>

namespace cs_botan
{

namespace
{

constexpr size_t exponent = 4;

struct Import {
    std::unique_ptr<Botan::Public_Key> pub;
    std::unique_ptr<Botan::Private_Key> key;
};

/* Exceptions of several classes tell what is no key; a want of memory is not the input's fault. */
template <typename Parse> int parsed(Parse parse) noexcept
{
    return guarded([parse] {
        try {
            return static_cast<int>(parse() ? CS_OK : CS_REJECTED);
        } catch (const std::bad_alloc &) {
            throw;
        } catch (const std::exception &) {
            return static_cast<int>(CS_REJECTED);
        }
    });
}

/* The row's `param`, as the library names its keys. */
std::string_view kind_of(const cs_case *c)
{
    return static_cast<const char *>(c->op->param);
}

void put(uint8_t *at, size_t len, const Botan::BigInt &number)
{
    if (number.bytes() > len)
        throw Botan::Encoding_Error("a number of the key is longer than it should be");
    std::fill_n(at, len, static_cast<uint8_t>(0));
    number.binary_encode(at + len - number.bytes());
}

int setup_import(cs_case *c) noexcept
{
    return guarded([c] {
        c->state = new Import;
        return static_cast<int>(CS_OK);
    });
}

int call_import_public(cs_case *c) noexcept
{
    auto *s = static_cast<Import *>(c->state);
    return parsed([c, s] {
        s->pub.reset();
        Botan::DataSource_Memory bytes(c->msg.data, c->msg.len);
        s->pub = std::unique_ptr<Botan::Public_Key>(Botan::X509::load_key(bytes));
        return s->pub != nullptr && s->pub->algo_name() == kind_of(c);
    });
}

int call_import_private(cs_case *c) noexcept
{
    auto *s = static_cast<Import *>(c->state);
    return parsed([c, s] {
        s->key.reset();
        Botan::DataSource_Memory bytes(c->msg.data, c->msg.len);
        s->key = Botan::PKCS8::load_key(bytes);
        return s->key != nullptr && s->key->algo_name() == kind_of(c);
    });
}

int finish_import_public(cs_case *c) noexcept
{
    return guarded([c] {
        auto pub = std::move(static_cast<Import *>(c->state)->pub);
        const auto &rsa = dynamic_cast<const Botan::RSA_PublicKey &>(*pub);
        const size_t len = c->out_cap - exponent;
        put(c->out, len, rsa.get_n());
        put(c->out + len, exponent, rsa.get_e());
        c->out_len = c->out_cap;
        return static_cast<int>(CS_OK);
    });
}

int finish_import_private(cs_case *c) noexcept
{
    return guarded([c] {
        auto key = std::move(static_cast<Import *>(c->state)->key);
        const auto &rsa = dynamic_cast<const Botan::RSA_PrivateKey &>(*key);
        const size_t len = c->out_cap / 2;
        put(c->out, len, rsa.get_p());
        put(c->out + len, len, rsa.get_q());
        c->out_len = c->out_cap;
        return static_cast<int>(CS_OK);
    });
}

/* Keys that name elliptic curves alone are read as those of ECDSA. */
int finish_import_point(cs_case *c) noexcept
{
    return guarded([c] {
        auto pub = std::move(static_cast<Import *>(c->state)->pub);
        const auto point = dynamic_cast<const Botan::ECDSA_PublicKey &>(*pub).public_key_bits();
        if (point.size() != c->out_cap)
            return cs_fail("the point has another length");
        std::memcpy(c->out, point.data(), point.size());
        c->out_len = point.size();
        return static_cast<int>(CS_OK);
    });
}

int finish_import_scalar(cs_case *c) noexcept
{
    return guarded([c] {
        auto key = std::move(static_cast<Import *>(c->state)->key);
        put(c->out, c->out_cap, dynamic_cast<const Botan::ECDSA_PrivateKey &>(*key).private_value());
        c->out_len = c->out_cap;
        return static_cast<int>(CS_OK);
    });
}

#define IMPORT_ROW(ID, NAME, CALL, FINISH, KIND)                                                                       \
    {.id = ID,                                                                                                         \
     .impl = "default",                                                                                                \
     .name = NAME,                                                                                                     \
     .setup = setup_import,                                                                                            \
     .call = call_import_##CALL,                                                                                       \
     .teardown = teardown<Import>,                                                                                     \
     .param = KIND,                                                                                                    \
     .finish = finish_import_##FINISH,                                                                                 \
     .seed = seed_rng,                                                                                                 \
     .counts_random = 1}
#define IMPORT_ROWS_OF(KEYS, PUBLIC, PRIVATE, KIND)                                                                    \
    IMPORT_ROW(KEYS "-spki/import-public", "X509::load_key", public, PUBLIC, KIND),                                    \
        IMPORT_ROW(KEYS "-pkcs8/import-private", "PKCS8::load_key", private, PRIVATE, KIND)

const cs_op rows[] = {IMPORT_ROWS_OF("rsa-2048", public, private, "RSA"),
                      IMPORT_ROWS_OF("rsa-4096", public, private, "RSA"),
                      IMPORT_ROWS_OF("p-256", point, scalar, "ECDSA")};

} // namespace

const cs_table botan_import = CS_TABLE(rows);

} // namespace cs_botan
