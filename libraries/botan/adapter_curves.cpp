/* SPDX-License-Identifier: Apache-2.0
 *
 * Botan: key agreement and signatures, through PK_Key_Agreement, PK_Signer and PK_Verifier.
 */
#include "adapter.h"

#include <botan/curve25519.h>
#include <botan/ecdsa.h>
#include <botan/ed25519.h>
#include <botan/x509_key.h>

#if defined(BOTAN_HAS_ECDH)
#include <botan/ecdh.h>
#endif

#include <cstring>
#include <string_view>
#include <vector>

namespace cs_botan
{

#if BOTAN_VERSION_MAJOR > 3 || (BOTAN_VERSION_MAJOR == 3 && BOTAN_VERSION_MINOR >= 6)
Botan::EC_Group group_of(const cs_op *op)
{
    return Botan::EC_Group::from_name(curve_of(op));
}
#else
Botan::EC_Group group_of(const cs_op *op)
{
    return Botan::EC_Group(curve_of(op));
}
#endif

/* A build can leave curves out: Botan 3 has each in a module. */
const char *curve_unavailable(const cs_op *op) noexcept
{
    try {
        (void)group_of(op);
        return nullptr;
    } catch (const std::exception &) {
        return "this build of Botan leaves the curve out";
    }
}

/* ---- what signatures share ---- */

int call_sign(cs_case *c) noexcept
{
    return guarded([c] {
        auto *s = static_cast<SignState *>(c->state);
        const auto signature = s->signer.sign_message(c->msg.data, c->msg.len, rng());
        std::memcpy(c->out, signature.data(), signature.size());
        c->out_len = signature.size();
        return static_cast<int>(CS_OK);
    });
}

/* Of Ed25519, whose rows name no curve, and of ECDSA as r||s. */
static size_t signature_size(const cs_op *op)
{
    const std::string_view curve = curve_of(op);
    if (curve == "secp384r1")
        return 2 * CS_P384_BYTES;
    return 2 * size_t(curve == "secp521r1" ? size_t(CS_P521_BYTES) : size_t(CS_P256_BYTES));
}

/* The length is checked here because Botan 2 keeps the message of an Ed25519 verification that it gives up for the
 * length of the signature, and would put the next message after it. */
int call_verify(cs_case *c) noexcept
{
    return guarded([c] {
        auto *s = static_cast<VerifyState *>(c->state);
        if (c->sig.len != signature_size(c->op))
            return static_cast<int>(CS_REJECTED);
        const bool valid = s->verifier.verify_message(c->msg.data, c->msg.len, c->sig.data, c->sig.len);
        return static_cast<int>(valid ? CS_OK : CS_REJECTED);
    });
}

int call_verify_message(cs_case *c) noexcept
{
    return guarded([c] {
        auto *s = static_cast<VerifyState *>(c->state);
        const bool valid = s->verifier.verify_message(c->msg.data, c->msg.len, c->sig.data, c->sig.len);
        return static_cast<int>(valid ? CS_OK : CS_REJECTED);
    });
}

namespace
{

constexpr size_t key_size_25519 = 32;

/* The hash that goes with the curve, as each version names it. */
std::string ecdsa_padding(const cs_op *op)
{
    const std::string_view curve = curve_of(op);
    const std::string hash = curve == "secp384r1" ? "SHA-384" : curve == "secp521r1" ? "SHA-512" : "SHA-256";
#if BOTAN_VERSION_MAJOR >= 3
    return hash;
#else
    return "EMSA1(" + hash + ")";
#endif
}

Botan::secure_vector<uint8_t> secret_bytes(cs_span span)
{
    return Botan::secure_vector<uint8_t>(span.data, span.data + span.len);
}

/* ---- X25519 ---- */

struct X25519State {
    Botan::X25519_PrivateKey key;
    Botan::PK_Key_Agreement agreement;

    explicit X25519State(cs_span secret) : key(secret_bytes(secret)), agreement(key, rng(), "Raw")
    {
    }
};

int setup_x25519(cs_case *c) noexcept
{
    return guarded([c] {
        c->state = new X25519State(c->key);
        c->out_len = key_size_25519;
        return static_cast<int>(CS_OK);
    });
}

int derive(cs_case *c)
{
    const auto *s = static_cast<const X25519State *>(c->state);
    const Botan::SymmetricKey secret = s->agreement.derive_key(0, c->pub.data, c->pub.len);
    if (secret.length() != key_size_25519)
        return CS_ERROR;
    std::memcpy(c->out, secret.begin(), key_size_25519);
    return CS_OK;
}

/* Versions that refuse points of small order do so with Invalid_Argument; the length of the key cannot be the cause,
 * the SDK has checked it. */
int call_x25519(cs_case *c) noexcept
{
    return guarded([c] {
        try {
            return derive(c);
        } catch (const Botan::Invalid_Argument &) {
            return static_cast<int>(CS_REJECTED);
        }
    });
}

/* ---- ECDH ---- */

#if defined(BOTAN_HAS_ECDH)

struct EcdhState {
    Botan::ECDH_PrivateKey key;
    Botan::PK_Key_Agreement agreement;

    EcdhState(const Botan::EC_Group &group, const Botan::BigInt &scalar)
        : key(rng(), group, scalar), agreement(key, rng(), "Raw")
    {
    }
};

int setup_ecdh(cs_case *c) noexcept
{
    return guarded([c] {
        c->state = new EcdhState(group_of(c->op), Botan::BigInt(c->key.data, c->key.len));
        c->out_len = c->key.len;
        return static_cast<int>(CS_OK);
    });
}

/* The peer's point is read in every call. Versions differ in the exception for what is no point; the length cannot be
 * the cause, the SDK has checked it. */
int call_ecdh(cs_case *c) noexcept
{
    return guarded([c] {
        try {
            const auto *s = static_cast<const EcdhState *>(c->state);
            const Botan::SymmetricKey secret = s->agreement.derive_key(0, c->pub.data, c->pub.len);
            if (secret.length() != c->out_len)
                return static_cast<int>(CS_ERROR);
            std::memcpy(c->out, secret.begin(), c->out_len);
            return static_cast<int>(CS_OK);
        } catch (const Botan::Exception &) {
            return static_cast<int>(CS_BAD_KEY);
        }
    });
}

#endif

/* ---- signing ---- */

int setup_ed25519_sign(cs_case *c) noexcept
{
    return guarded([c] {
        c->state = new SignState(std::make_unique<Botan::Ed25519_PrivateKey>(secret_bytes(c->key)), "Pure");
        return static_cast<int>(CS_OK);
    });
}

int setup_ecdsa_sign(cs_case *c) noexcept
{
    return guarded([c] {
        const Botan::BigInt scalar(c->key.data, c->key.len);
        c->state = new SignState(std::make_unique<Botan::ECDSA_PrivateKey>(rng(), group_of(c->op), scalar),
                                 ecdsa_padding(c->op));
        return static_cast<int>(CS_OK);
    });
}

/* ---- verifying ---- */

int setup_ed25519_verify(cs_case *c) noexcept
{
    return guarded([c] {
        auto key = std::make_unique<Botan::Ed25519_PublicKey>(c->pub.data, c->pub.len);
        c->state = new VerifyState(std::move(key), "Pure");
        return static_cast<int>(CS_OK);
    });
}

/* The classes for points differ between Botan 2 and 3; SubjectPublicKeyInfo reads the same in both. */
std::unique_ptr<Botan::Public_Key> ec_key(const cs_case *c)
{
    static const struct {
        std::string_view curve;
        size_t len;
        int (*wrap)(cs_span pub, uint8_t *out);
    } forms[] = {{"secp256r1", CS_P256_SPKI, cs_p256_spki},
                 {"secp256k1", CS_SECP256K1_SPKI, cs_secp256k1_spki},
                 {"brainpool256r1", CS_BRAINPOOL_P256_SPKI, cs_brainpool_p256_spki},
                 {"secp384r1", CS_P384_SPKI, cs_p384_spki},
                 {"secp521r1", CS_P521_SPKI, cs_p521_spki}};
    std::vector<uint8_t> info;
    for (const auto &form : forms) {
        if (form.curve != curve_of(c->op))
            continue;
        info.resize(form.len);
        if (form.wrap(c->pub, info.data()) != CS_OK)
            throw Botan::Invalid_Argument("pub is not an uncompressed point");
    }
    return std::unique_ptr<Botan::Public_Key>(Botan::X509::load_key(info));
}

int setup_ecdsa_verify(cs_case *c) noexcept
{
    return guarded([c] {
        c->state = new VerifyState(ec_key(c), ecdsa_padding(c->op));
        return static_cast<int>(CS_OK);
    });
}

struct FreshState {
    std::unique_ptr<Botan::Public_Key> key;
};

int setup_ecdsa_fresh(cs_case *c) noexcept
{
    return guarded([c] {
        c->state = new FreshState{ec_key(c)};
        return static_cast<int>(CS_OK);
    });
}

/* What the constructor of PK_Verifier computes for a key is computed in every call. */
int call_verify_fresh(cs_case *c) noexcept
{
    return guarded([c] {
        const auto *s = static_cast<const FreshState *>(c->state);
        if (c->sig.len != signature_size(c->op))
            return static_cast<int>(CS_REJECTED);
        Botan::PK_Verifier verifier(*s->key, ecdsa_padding(c->op));
        const bool valid = verifier.verify_message(c->msg.data, c->msg.len, c->sig.data, c->sig.len);
        return static_cast<int>(valid ? CS_OK : CS_REJECTED);
    });
}

#define ECDH_ROW(ALGORITHM, CURVE)                                                                                     \
    {.id = ALGORITHM "/derive",                                                                                        \
     .impl = "default",                                                                                                \
     .name = "PK_Key_Agreement ECDH",                                                                                  \
     .setup = setup_ecdh,                                                                                              \
     .call = call_ecdh,                                                                                                \
     .teardown = teardown<EcdhState>,                                                                                  \
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
     .teardown = teardown<SignState>,                                                                                  \
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
         .teardown = teardown<VerifyState>,                                                                            \
         .param = CURVE,                                                                                               \
         .form = "p1363",                                                                                              \
         .unavailable = curve_unavailable,                                                                             \
         .rekey = cs_setup_again},                                                                                     \
    {                                                                                                                  \
        .id = ALGORITHM "/verify", .impl = "fresh_key", .name = "PK_Verifier ECDSA " HASH ", made in the call",        \
        .setup = setup_ecdsa_fresh, .call = call_verify_fresh, .teardown = teardown<FreshState>, .param = CURVE,       \
        .form = "p1363", .unavailable = curve_unavailable                                                              \
    }

const cs_op rows[] = {
    {.id = "x25519/derive",
     .impl = "default",
     .name = "PK_Key_Agreement X25519",
     .setup = setup_x25519,
     .call = call_x25519,
     .teardown = teardown<X25519State>,
     .rekey = cs_setup_again,
     .seed = seed_rng,
     .counts_random = 1},
    {.id = "ed25519/sign",
     .impl = "default",
     .name = "PK_Signer Ed25519 Pure",
     .setup = setup_ed25519_sign,
     .call = call_sign,
     .teardown = teardown<SignState>,
     .rekey = cs_setup_again,
     .seed = seed_rng,
     .counts_random = 1},
    {.id = "ed25519/verify",
     .impl = "default",
     .name = "PK_Verifier Ed25519 Pure",
     .setup = setup_ed25519_verify,
     .call = call_verify,
     .teardown = teardown<VerifyState>,
     .rekey = cs_setup_again},
#if defined(BOTAN_HAS_ECDH)
    ECDH_ROW("p-256", "secp256r1"),
    ECDH_ROW("secp256k1", "secp256k1"),
    ECDH_ROW("p-384", "secp384r1"),
    ECDH_ROW("p-521", "secp521r1"),
    ECDH_ROW("brainpool-p256", "brainpool256r1"),
#endif
    ECDSA_ROWS("ecdsa-p256-sha256", "secp256r1", "SHA-256"),
    ECDSA_ROWS("ecdsa-secp256k1-sha256", "secp256k1", "SHA-256"),
    ECDSA_ROWS("ecdsa-p384-sha384", "secp384r1", "SHA-384"),
    ECDSA_ROWS("ecdsa-p521-sha512", "secp521r1", "SHA-512"),
    ECDSA_ROWS("ecdsa-brainpoolp256r1-sha256", "brainpool256r1", "SHA-256"),
};

} // namespace

const cs_table botan_curves = CS_TABLE(rows);

} // namespace cs_botan
