/* SPDX-License-Identifier: Apache-2.0
 *
 * Botan: certificates, through X509_Certificate, x509_path_validate and X509_CA::make_cert, where it is built with its
 * module x509.
 */
#include "adapter.h"

#ifdef BOTAN_HAS_X509_CERTIFICATES

#include "x509.h"

#include <botan/certstor.h>
#include <botan/data_src.h>
#include <botan/ecdsa.h>
#include <botan/rsa.h>
#include <botan/x509_ca.h>
#include <botan/x509_ext.h>
#include <botan/x509cert.h>
#include <botan/x509path.h>
#if BOTAN_VERSION_MAJOR >= 3
#include <botan/ec_scalar.h>
#include <span>
#endif

#include <cstring>
#include <new>
#include <vector>

namespace cs_botan
{

namespace
{

/* Below it a key is too weak: of what is measured none is. */
constexpr size_t key_strength = 110;

using Constraints = Botan::Cert_Extension::Basic_Constraints;

std::chrono::system_clock::time_point point_of(cs_span input)
{
    return std::chrono::system_clock::time_point(std::chrono::seconds(cs_x509_time(input)));
}

std::string text_of(cs_span input)
{
    return std::string(reinterpret_cast<const char *>(input.data), input.len);
}

cs_span span_of(const std::vector<uint8_t> &bytes)
{
    return cs_span{bytes.data(), bytes.size()};
}

/* Exceptions of several classes tell what is no certificate; a want of memory is not the input's fault. */
template <typename Body> int judged(Body body) noexcept
{
    return guarded([body] {
        try {
            return static_cast<int>(body());
        } catch (const std::bad_alloc &) {
            throw;
        } catch (const std::exception &) {
            return static_cast<int>(CS_REJECTED);
        }
    });
}

/* Of both versions. */
std::unique_ptr<Botan::Public_Key> key_of(const Botan::X509_Certificate &read)
{
#if BOTAN_VERSION_MAJOR >= 3
    return read.subject_public_key();
#else
    return read.load_subject_public_key();
#endif
}

bool is_ca(const Constraints *constraints)
{
#if BOTAN_VERSION_MAJOR >= 3
    return constraints != nullptr && constraints->is_ca();
#else
    return constraints != nullptr && constraints->get_is_ca();
#endif
}

int put_key(cs_case *c, const Botan::Public_Key &key)
{
    if (const auto *rsa = dynamic_cast<const Botan::RSA_PublicKey *>(&key); rsa != nullptr && cs_x509_is_rsa(c) != 0) {
#if BOTAN_VERSION_MAJOR >= 3
        const auto n = rsa->get_n().serialize(), e = rsa->get_e().serialize();
#else
        const auto n = Botan::BigInt::encode(rsa->get_n()), e = Botan::BigInt::encode(rsa->get_e());
#endif
        return cs_x509_put_rsa(c, span_of(n), span_of(e));
    }
    const auto *ec = dynamic_cast<const Botan::EC_PublicKey *>(&key);
    if (ec == nullptr || cs_x509_is_rsa(c) != 0 || ec->domain().get_curve_oid() != Botan::OID("1.2.840.10045.3.1.7"))
        return CS_REJECTED;
#if BOTAN_VERSION_MAJOR >= 3
    const auto bytes = ec->public_key_bits();
#else
    const auto bytes = ec->public_point().encode(Botan::PointGFp::UNCOMPRESSED);
#endif
    if (bytes.size() != CS_P256_POINT)
        return CS_REJECTED;
    return cs_x509_put_point(c, cs_span{bytes.data() + 1, CS_P256_BYTES},
                             cs_span{bytes.data() + 1 + CS_P256_BYTES, CS_P256_BYTES});
}

const char *x509_unavailable(const cs_op *op) noexcept
{
    (void)op;
    try {
        const Botan::RSA_PublicKey key(Botan::BigInt::power_of_2(2047) + 1, 65537);
        (void)Botan::PK_Verifier(key, RSA_PKCS1);
        return nullptr;
    } catch (const std::exception &) {
        return "this build of Botan leaves the padding of PKCS#1 v1.5 out";
    }
}

int call_x509_parse(cs_case *c) noexcept
{
    return judged([c] {
        const Botan::X509_Certificate read(c->msg.data, c->msg.len);
        const auto since = static_cast<int64_t>(read.not_before().time_since_epoch());
        const auto until = static_cast<int64_t>(read.not_after().time_since_epoch());
        /* Not is_CA_cert, which also asks what the key is for. */
        const auto *constraints = read.v3_extensions().get_extension_object_as<Constraints>();
        const int status = cs_x509_put(c, is_ca(constraints), since, until, span_of(read.serial_number()));
        return status == CS_OK ? put_key(c, *key_of(read)) : status;
    });
}

struct Path {
    Botan::Certificate_Store_In_Memory anchors;
    Botan::Path_Validation_Restrictions restrictions{false, key_strength};
    std::string host;
    std::chrono::system_clock::time_point time;
    cs_span path[CS_X509_PATH];
    size_t length;
};

int setup_x509_verify(cs_case *c) noexcept
{
    return guarded([c] {
        const cs_span root = cs_input(c, "root");
        auto s = std::make_unique<Path>();
        s->anchors.add_certificate(Botan::X509_Certificate(root.data, root.len));
        s->host = text_of(cs_input(c, "host"));
        s->time = point_of(cs_input(c, "time"));
        s->length = cs_x509_path(c, s->path);
        c->state = s.release();
        return static_cast<int>(CS_OK);
    });
}

int call_x509_verify(cs_case *c) noexcept
{
    const auto *s = static_cast<const Path *>(c->state);
    return judged([s] {
        std::vector<Botan::X509_Certificate> path;
        for (size_t i = 0; i < s->length; i++)
            path.emplace_back(s->path[i].data, s->path[i].len);
        const std::vector<Botan::Certificate_Store *> trusted{
            const_cast<Botan::Certificate_Store_In_Memory *>(&s->anchors)};
        const auto result =
            Botan::x509_path_validate(path, s->restrictions, trusted, s->host, Botan::Usage_Type::UNSPECIFIED, s->time);
        return result.successful_validation() ? CS_OK : CS_REJECTED;
    });
}

struct Issuing {
    std::unique_ptr<Botan::Private_Key> key;
    std::unique_ptr<Botan::PK_Signer> signer;
    Botan::AlgorithmIdentifier algorithm;
    std::string name, organization, country, host;
    Botan::BigInt serial;
    std::chrono::system_clock::time_point since, until;
};

#if BOTAN_VERSION_MAJOR >= 3
Botan::PK_Signer &signer_of(const Issuing &s)
{
    return *s.signer;
}

std::unique_ptr<Botan::Private_Key> ec_key_of(cs_span number)
{
    const auto group = Botan::EC_Group::from_name("secp256r1");
    const auto scalar = Botan::EC_Scalar::deserialize(group, std::span(number.data, number.len));
    return std::make_unique<Botan::ECDSA_PrivateKey>(group, scalar.value());
}

/* PKCS1v15(SHA-256), and the pair of numbers in DER. */
void choose_signer(Issuing &s)
{
    s.signer = Botan::X509_Object::choose_sig_format(*s.key, rng(), "SHA-256", "");
    s.algorithm = s.signer->algorithm_identifier();
}

Botan::Extensions extensions_of(const std::string &host)
{
    Botan::Extensions extensions;
    Botan::AlternativeName names;
    names.add_dns(host);
    extensions.add(std::make_unique<Constraints>(), true);
    extensions.add(std::make_unique<Botan::Cert_Extension::Key_Usage>(
                       Botan::Key_Constraints(Botan::Key_Constraints::DigitalSignature)),
                   true);
    extensions.add(std::make_unique<Botan::Cert_Extension::Subject_Alternative_Name>(names));
    return extensions;
}
#else
Botan::PK_Signer *signer_of(const Issuing &s)
{
    return s.signer.get();
}

std::unique_ptr<Botan::Private_Key> ec_key_of(cs_span number)
{
    const Botan::EC_Group group("secp256r1");
    return std::make_unique<Botan::ECDSA_PrivateKey>(rng(), group, Botan::BigInt(number.data, number.len));
}

void choose_signer(Issuing &s)
{
    s.signer.reset(Botan::choose_sig_format(*s.key, rng(), "SHA-256", s.algorithm));
}

Botan::Extensions extensions_of(const std::string &host)
{
    Botan::Extensions extensions;
    extensions.add(new Constraints(false), true);
    extensions.add(new Botan::Cert_Extension::Key_Usage(Botan::DIGITAL_SIGNATURE), true);
    extensions.add(new Botan::Cert_Extension::Subject_Alternative_Name(Botan::AlternativeName("", "", host, "")));
    return extensions;
}
#endif

std::unique_ptr<Botan::Private_Key> key_of(const cs_case *c)
{
    cs_rsa_key numbers;
    if (cs_x509_is_rsa(c) == 0) {
        return ec_key_of(c->key);
    }
    if (cs_rsa_numbers(c, &numbers) != CS_OK)
        throw Botan::Invalid_Argument("the key is not as long as it should be");
    const auto number = [](cs_span span) { return Botan::BigInt(span.data, span.len); };
    return std::make_unique<Botan::RSA_PrivateKey>(number(numbers.part[CS_CRT_P]), number(numbers.part[CS_CRT_Q]),
                                                   number(numbers.e), number(numbers.d), number(numbers.n));
}

int setup_x509_issue(cs_case *c) noexcept
{
    return guarded([c] {
        auto s = std::make_unique<Issuing>();
        s->key = key_of(c);
        choose_signer(*s);
        s->name = text_of(cs_input(c, "name"));
        s->organization = text_of(cs_input(c, "organization"));
        s->country = text_of(cs_input(c, "country"));
        s->host = text_of(cs_input(c, "host"));
        const cs_span serial = cs_input(c, "serial");
        s->serial = Botan::BigInt(serial.data, serial.len);
        s->since = point_of(cs_input(c, "since"));
        s->until = point_of(cs_input(c, "until"));
        c->state = s.release();
        return static_cast<int>(CS_OK);
    });
}

int call_x509_issue(cs_case *c) noexcept
{
    auto *s = static_cast<Issuing *>(c->state);
    return guarded([c, s] {
        Botan::X509_DN name;
        name.add_attribute("X520.CommonName", s->name);
        name.add_attribute("X520.Organization", s->organization);
        name.add_attribute("X520.Country", s->country);
        const auto made = Botan::X509_CA::make_cert(signer_of(*s), rng(), s->serial, s->algorithm,
                                                    s->key->subject_public_key(), Botan::X509_Time(s->since),
                                                    Botan::X509_Time(s->until), name, name, extensions_of(s->host));
        const auto bytes = made.BER_encode();
        if (bytes.size() > c->out_cap)
            return cs_fail("the certificate is longer than its room");
        std::memcpy(c->out, bytes.data(), bytes.size());
        c->out_len = bytes.size();
        return static_cast<int>(CS_OK);
    });
}

#define X509_ROWS_OF(ALGORITHM, CANNOT)                                                                                \
    {.id = ALGORITHM "/parse", .impl = "default", .name = "X509_Certificate", .call = call_x509_parse},                \
        {.id = ALGORITHM "/verify-chain",                                                                              \
         .impl = "default",                                                                                            \
         .name = "x509_path_validate",                                                                                 \
         .setup = setup_x509_verify,                                                                                   \
         .call = call_x509_verify,                                                                                     \
         .teardown = teardown<Path>,                                                                                   \
         .unavailable = CANNOT},                                                                                       \
        {.id = ALGORITHM "/issue",                                                                                     \
         .impl = "default",                                                                                            \
         .name = "X509_CA::make_cert",                                                                                 \
         .setup = setup_x509_issue,                                                                                    \
         .call = call_x509_issue,                                                                                      \
         .teardown = teardown<Issuing>,                                                                                \
         .unavailable = CANNOT,                                                                                        \
         .seed = seed_rng,                                                                                             \
         .counts_random = 1}

const cs_op rows[] = {X509_ROWS_OF("x509-p256", nullptr), X509_ROWS_OF("x509-rsa-2048", x509_unavailable)};

} // namespace

const cs_table botan_x509 = CS_TABLE(rows);

} // namespace cs_botan

#else
const cs_table cs_botan::botan_x509 = {nullptr, 0};
#endif
