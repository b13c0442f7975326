/* SPDX-License-Identifier: Apache-2.0
 *
 * Crypto++: key agreement and signatures, through SimpleKeyAgreementDomain, PK_Signer and PK_Verifier.
 */
#include "adapter.h"

#include <cryptopp/eccrypto.h>
#include <cryptopp/oids.h>
#include <cryptopp/sha.h>
#include <cryptopp/xed25519.h>

namespace cs_cryptopp
{

using CryptoPP::ECP;
using CryptoPP::Integer;
using CryptoPP::SHA256;
using CryptoPP::SHA384;
using CryptoPP::SHA512;
using Group = CryptoPP::DL_GroupParameters_EC<ECP>;
template <typename Hash> using Ecdsa = CryptoPP::ECDSA<ECP, Hash>;
template <typename Hash> using Rfc6979 = CryptoPP::ECDSA_RFC6979<ECP, Hash>;

CryptoPP::OID curve_of(const cs_op *op)
{
    if (op->param == secp256k1)
        return CryptoPP::ASN1::secp256k1();
    if (op->param == brainpool)
        return CryptoPP::ASN1::brainpoolP256r1();
    if (op->param == secp384r1)
        return CryptoPP::ASN1::secp384r1();
    return op->param == secp521r1 ? CryptoPP::ASN1::secp521r1() : CryptoPP::ASN1::secp256r1();
}

size_t number_size(const cs_op *op)
{
    if (op->param == secp384r1)
        return CS_P384_BYTES;
    return op->param == secp521r1 ? size_t(CS_P521_BYTES) : size_t(CS_P256_BYTES);
}

namespace
{

constexpr unsigned int on_curve = 1; /* of ValidateElement; the curves here have no other subgroup */

/* Of Ed25519, whose rows name no curve, and of ECDSA as r||s. */
size_t signature_size(const cs_op *op)
{
    return 2 * number_size(op);
}

struct Agreement {
    CryptoPP::x25519 domain;
};

struct Signing {
    std::unique_ptr<CryptoPP::PK_Signer> signer;
};

struct Verifying {
    std::unique_ptr<CryptoPP::PK_Verifier> verifier;
};

Group group_of(const cs_case *c)
{
    return Group(curve_of(c->op));
}

/* A signer of `Scheme` for the scalar in `key`; with tables of the base point if `tables`. */
template <typename Scheme> int setup_scalar_of(cs_case *c, bool tables) noexcept
{
    return setup<Signing>(c, signature_size(c->op), [c, tables](Signing &s) {
        auto signer = std::make_unique<typename Scheme::Signer>();
        signer->AccessKey().Initialize(group_of(c), Integer(c->key.data, c->key.len));
        if (tables)
            signer->AccessKey().Precompute();
        s.signer = std::move(signer);
        return static_cast<int>(CS_OK);
    });
}

/* The hash goes with the curve. */
template <template <typename> class Scheme> int setup_scalar(cs_case *c, bool tables) noexcept
{
    if (c->op->param == secp384r1)
        return setup_scalar_of<Scheme<SHA384>>(c, tables);
    if (c->op->param == secp521r1)
        return setup_scalar_of<Scheme<SHA512>>(c, tables);
    return setup_scalar_of<Scheme<SHA256>>(c, tables);
}

/* The same for the point in `pub`; tables are of the base point and of the key. Reading a point does not check it: an
 * application has to ask. */
template <typename Hash> int setup_point_of(cs_case *c, bool tables) noexcept
{
    return setup<Verifying>(c, 0, [c, tables](Verifying &s) {
        const Group group = group_of(c);
        CryptoPP::ECPPoint point;
        auto verifier = std::make_unique<typename Ecdsa<Hash>::Verifier>();
        if (!group.GetCurve().DecodePoint(point, c->pub.data, c->pub.len))
            return static_cast<int>(CS_BAD_KEY);
        if (!group.ValidateElement(on_curve, point, nullptr))
            return static_cast<int>(CS_BAD_KEY);
        verifier->AccessKey().Initialize(group, point);
        if (tables)
            verifier->AccessKey().Precompute();
        s.verifier = std::move(verifier);
        return static_cast<int>(CS_OK);
    });
}

int setup_point(cs_case *c, bool tables) noexcept
{
    if (c->op->param == secp384r1)
        return setup_point_of<SHA384>(c, tables);
    return c->op->param == secp521r1 ? setup_point_of<SHA512>(c, tables) : setup_point_of<SHA256>(c, tables);
}

/* ---- X25519 ---- */

int setup_x25519(cs_case *c) noexcept
{
    return setup<Agreement>(c, key_25519, [](Agreement &) { return static_cast<int>(CS_OK); });
}

/* Agree looks for points of small order first, unless the caller switches this off. */
int call_x25519(cs_case *c) noexcept
{
    return guarded([c] {
        const bool agreed = state<Agreement>(c).domain.Agree(c->out, c->key.data, c->pub.data);
        return static_cast<int>(agreed ? CS_OK : CS_REJECTED);
    });
}

/* ---- ECDH ---- */

struct Ecdh {
    std::unique_ptr<CryptoPP::ECDH<ECP>::Domain> domain;
};

int setup_ecdh(cs_case *c) noexcept
{
    return setup<Ecdh>(c, number_size(c->op), [c](Ecdh &s) {
        s.domain = std::make_unique<CryptoPP::ECDH<ECP>::Domain>(curve_of(c->op));
        return static_cast<int>(CS_OK);
    });
}

/* Keys are bytes in every call. Agree checks the peer's point, unless the caller switches this off. */
int call_ecdh(cs_case *c) noexcept
{
    return guarded([c] {
        const bool agreed = state<Ecdh>(c).domain->Agree(c->out, c->key.data, c->pub.data);
        return static_cast<int>(agreed ? CS_OK : CS_BAD_KEY);
    });
}

/* ---- signing ---- */

int setup_ed25519_sign(cs_case *c) noexcept
{
    return setup<Signing>(c, signature_size(c->op), [c](Signing &s) {
        s.signer = std::make_unique<CryptoPP::ed25519Signer>(c->pub.data, c->key.data);
        return static_cast<int>(CS_OK);
    });
}

int setup_ecdsa_sign(cs_case *c) noexcept
{
    return setup_scalar<Ecdsa>(c, false);
}

int setup_ecdsa_sign_tables(cs_case *c) noexcept
{
    return setup_scalar<Ecdsa>(c, true);
}

int setup_ecdsa_rfc6979(cs_case *c) noexcept
{
    return setup_scalar<Rfc6979>(c, false);
}

int call_sign(cs_case *c) noexcept
{
    return guarded([c] {
        const size_t len = state<Signing>(c).signer->SignMessage(rng(), c->msg.data, c->msg.len, c->out);
        return static_cast<int>(len == signature_size(c->op) ? CS_OK : CS_ERROR);
    });
}

/* ---- verifying ---- */

int setup_ed25519_verify(cs_case *c) noexcept
{
    return setup<Verifying>(c, 0, [c](Verifying &s) {
        s.verifier = std::make_unique<CryptoPP::ed25519Verifier>(c->pub.data);
        return static_cast<int>(CS_OK);
    });
}

int setup_ecdsa_verify(cs_case *c) noexcept
{
    return setup_point(c, false);
}

int setup_ecdsa_verify_tables(cs_case *c) noexcept
{
    return setup_point(c, true);
}

/* The library reads as many bytes as it needs and does not check the length. */
int call_verify(cs_case *c) noexcept
{
    return guarded([c] {
        if (c->sig.len != signature_size(c->op))
            return static_cast<int>(CS_REJECTED);
        const auto &verifier = *state<Verifying>(c).verifier;
        const bool valid = verifier.VerifyMessage(c->msg.data, c->msg.len, c->sig.data, c->sig.len);
        return static_cast<int>(valid ? CS_OK : CS_REJECTED);
    });
}

using Call = int (*)(cs_case *);

/* `param` names the curve; P-256 if it is null. */
cs_op sign_row(const char *id, const char *impl, const char *name, Call setup, const char *curve)
{
    return {.id = id,
            .impl = impl,
            .name = name,
            .setup = setup,
            .call = call_sign,
            .teardown = teardown<Signing>,
            .param = curve,
            .form = "p1363",
            .rekey = cs_setup_again,
            .seed = seed_rng,
            .counts_random = 1};
}

cs_op verify_row(const char *id, const char *impl, const char *name, Call setup, const char *curve)
{
    return {.id = id,
            .impl = impl,
            .name = name,
            .setup = setup,
            .call = call_verify,
            .teardown = teardown<Verifying>,
            .param = curve,
            .form = "p1363",
            .rekey = cs_setup_again};
}

#define ECDH_ROW(ALGORITHM, CURVE)                                                                                     \
    {.id = ALGORITHM "/derive",                                                                                        \
     .impl = "default",                                                                                                \
     .name = "ECDH<ECP>::Domain::Agree",                                                                               \
     .setup = setup_ecdh,                                                                                              \
     .call = call_ecdh,                                                                                                \
     .teardown = teardown<Ecdh>,                                                                                       \
     .param = CURVE,                                                                                                   \
     .rekey = cs_key_in_call}
#define ECDSA_ROWS(ALGORITHM, CURVE, HASH)                                                                             \
    sign_row(ALGORITHM "/sign", "default", "ECDSA<ECP, " HASH ">::Signer", setup_ecdsa_sign, CURVE),                   \
        sign_row(ALGORITHM "/sign", "Precompute", "ECDSA<ECP, " HASH ">::Signer, Precompute", setup_ecdsa_sign_tables, \
                 CURVE),                                                                                               \
        sign_row(ALGORITHM "/sign", "rfc6979", "ECDSA_RFC6979<ECP, " HASH ">::Signer", setup_ecdsa_rfc6979, CURVE),    \
        verify_row(ALGORITHM "/verify", "default", "ECDSA<ECP, " HASH ">::Verifier", setup_ecdsa_verify, CURVE),       \
        verify_row(ALGORITHM "/verify", "Precompute", "ECDSA<ECP, " HASH ">::Verifier, Precompute",                    \
                   setup_ecdsa_verify_tables, CURVE)

const cs_op rows[] = {
    {.id = "x25519/derive",
     .impl = "default",
     .name = "x25519::Agree",
     .setup = setup_x25519,
     .call = call_x25519,
     .teardown = teardown<Agreement>,
     .rekey = cs_key_in_call},
    {.id = "ed25519/sign",
     .impl = "default",
     .name = "ed25519Signer",
     .setup = setup_ed25519_sign,
     .call = call_sign,
     .teardown = teardown<Signing>,
     .rekey = cs_setup_again,
     .seed = seed_rng,
     .counts_random = 1},
    {.id = "ed25519/verify",
     .impl = "default",
     .name = "ed25519Verifier",
     .setup = setup_ed25519_verify,
     .call = call_verify,
     .teardown = teardown<Verifying>,
     .rekey = cs_setup_again},
    ECDH_ROW("p-256", nullptr),
    ECDH_ROW("secp256k1", secp256k1),
    ECDH_ROW("p-384", secp384r1),
    ECDH_ROW("p-521", secp521r1),
    ECDH_ROW("brainpool-p256", brainpool),
    ECDSA_ROWS("ecdsa-p256-sha256", nullptr, "SHA256"),
    ECDSA_ROWS("ecdsa-secp256k1-sha256", secp256k1, "SHA256"),
    ECDSA_ROWS("ecdsa-p384-sha384", secp384r1, "SHA384"),
    ECDSA_ROWS("ecdsa-p521-sha512", secp521r1, "SHA512"),
    ECDSA_ROWS("ecdsa-brainpoolp256r1-sha256", brainpool, "SHA256"),
};

} // namespace

const cs_table cryptopp_curves = CS_TABLE(rows);

} // namespace cs_cryptopp
