/* SPDX-License-Identifier: Apache-2.0
 *
 * Declarations that the files of this adapter share.
 */
#ifndef CIPHERSTONE_BOTAN_ADAPTER_H
#define CIPHERSTONE_BOTAN_ADAPTER_H

/* Botan 2 warns on inclusion that some of its public headers become internal in Botan 3; the adapter knows. */
#define BOTAN_NO_DEPRECATED_WARNINGS

#include <botan/bigint.h>
#include <botan/build.h>
#include <botan/ec_group.h>
#include <botan/exceptn.h>
#include <botan/pubkey.h>
#include <botan/rng.h>

#include <exception>
#include <memory>
#include <string>

#include "cipherstone.h"
#include "cipherstone_encoding.h"

/* Names of paddings that the one version knows and the other does not. */
#if BOTAN_VERSION_MAJOR >= 3
#define RSA_PKCS1 "PKCS1v15(SHA-256)"
#define RSA_PSS "PSS(SHA-256,MGF1,32)"
#else
#define RSA_PKCS1 "EMSA3(SHA-256)"
#define RSA_PSS "EMSA4(SHA-256,MGF1,32)"
#endif

namespace cs_botan
{

/* The generator for blinding and nonces, for rows that have seed_rng; it counts in a process that does. */
Botan::RandomNumberGenerator &rng();

/* Once a process. */
const char *seed_rng() noexcept;

/* Runs `body`, which returns a status, and lets no exception through: the SDK is C. Entering the try block costs no
 * instructions; a rejected tag pays for the exception, as it does for every user of Botan. */
template <typename Body> int guarded(Body body) noexcept
{
    try {
        return body();
    } catch (const Botan::Invalid_Authentication_Tag &) {
        return CS_REJECTED;
    } catch (const std::exception &e) {
        return cs_fail(e.what());
    } catch (...) {
        return cs_fail("an exception that is not a std::exception");
    }
}

/* Frees the state of type State that setup made. */
template <typename State> void teardown(cs_case *c) noexcept
{
    delete static_cast<State *>(c->state);
    c->state = nullptr;
}

/* The row's `param` names the curve; P-256 without it. */
inline const char *curve_of(const cs_op *op) noexcept
{
    return op->param != nullptr ? static_cast<const char *>(op->param) : "secp256r1";
}
Botan::EC_Group group_of(const cs_op *op);
const char *curve_unavailable(const cs_op *op) noexcept;

/* Signers and verifiers, which all signatures share. */
struct SignState {
    std::unique_ptr<Botan::Private_Key> key;
    Botan::PK_Signer signer;

    SignState(std::unique_ptr<Botan::Private_Key> k, const std::string &padding)
        : key(std::move(k)), signer(*key, rng(), padding)
    {
    }
};

struct VerifyState {
    std::unique_ptr<Botan::Public_Key> key;
    Botan::PK_Verifier verifier;

    VerifyState(std::unique_ptr<Botan::Public_Key> k, const std::string &padding)
        : key(std::move(k)), verifier(*key, padding)
    {
    }
};

int call_sign(cs_case *c) noexcept;
int call_verify(cs_case *c) noexcept;
int call_verify_message(cs_case *c) noexcept; /* of signatures whose lengths the verifier checks itself */

/* Returns the bytes of a seed, for operations that take their randomness from the caller. Throws if they draw more. */
class SeedRng final : public Botan::RandomNumberGenerator
{
  public:
    explicit SeedRng(cs_span seed) : stream{seed}
    {
    }
    bool accepts_input() const override
    {
        return false;
    }
    std::string name() const override
    {
        return "seed";
    }
    void clear() override
    {
    }
    bool is_seeded() const override
    {
        return true;
    }
#if BOTAN_VERSION_MAJOR >= 3
  private:
    void fill_bytes_with_input(std::span<uint8_t> out, std::span<const uint8_t>) override
    {
        draw(out.data(), out.size());
    }
#else
    void randomize(uint8_t out[], size_t len) override
    {
        draw(out, len);
    }
    void add_entropy(const uint8_t[], size_t) override
    {
    }
#endif

  private:
    void draw(uint8_t *out, size_t len)
    {
        if (cs_draw(&stream, out, len) != CS_OK)
            throw Botan::Invalid_State("the seed has too few bytes");
    }

    cs_stream stream;
};

/* Appends `number` as `len` bytes to the output, and sets it to zero, so that a call that does nothing is noticed. */
void take(cs_case *c, Botan::BigInt &number, size_t len);

/* The rows of each file; without rows for features that a version or a build lacks. */
extern const cs_table botan_modes, botan_ghash, botan_wrap, botan_kdf, botan_random;
extern const cs_table botan_curves, botan_curve448, botan_keys, botan_multiples, botan_ffdh, botan_dsa, botan_rsa;
extern const cs_table botan_kem, botan_pq, botan_import, botan_x509, botan_bignum, botan_bignum_crt;

} // namespace cs_botan

#endif
