/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of this adapter share.
 */
#ifndef CIPHERSTONE_CRYPTOPP_ADAPTER_H
#define CIPHERSTONE_CRYPTOPP_ADAPTER_H

#include <cryptopp/asn.h>
#include <cryptopp/cryptlib.h>

#include <exception>

#include "cipherstone.h"
#include "cipherstone_encoding.h"

namespace cs_cryptopp
{

constexpr size_t key_25519 = 32;

/* The generator for nonces, blinding and keys, for rows that have seed_rng; it counts in a process that does. */
CryptoPP::RandomNumberGenerator &rng();

/* Once a process. */
const char *seed_rng() noexcept;

/* Runs `body`, which returns a status, and lets no exception through: the SDK is C. */
template <typename Body> int guarded(Body body) noexcept
{
    try {
        return body();
    } catch (const std::exception &e) {
        return cs_fail(e.what());
    } catch (...) {
        return cs_fail("an exception that is not a std::exception");
    }
}

/* The state of type State that setup made. */
template <typename State> State &state(cs_case *c)
{
    return *static_cast<State *>(c->state);
}

/* Makes the state of type State. `out_len` is what its calls leave. */
template <typename State> State &make(cs_case *c, size_t out_len)
{
    auto *s = new State;

    c->state = s;
    c->out_len = out_len;
    return *s;
}

template <typename State> void teardown(cs_case *c) noexcept
{
    delete static_cast<State *>(c->state);
    c->state = nullptr;
}

/* Makes the state of type State and runs `prepare` on it; what was made is freed if that fails. */
template <typename State, typename Prepare> int setup(cs_case *c, size_t out_len, Prepare prepare) noexcept
{
    const int status = guarded([c, out_len, prepare] { return prepare(make<State>(c, out_len)); });
    if (status != CS_OK)
        teardown<State>(c);
    return status;
}

int setup_fetch(cs_case *c) noexcept;
int call_fetch(cs_case *c) noexcept;
int setup_fetch_system(cs_case *c) noexcept;
int call_fetch_system(cs_case *c) noexcept;
void teardown_fetch_system(cs_case *c) noexcept;

#define RANDOM_ROWS                                                                                                    \
    {.id = "random/fetch",                                                                                             \
     .impl = "default",                                                                                                \
     .name = "AutoSeededRandomPool::GenerateBlock",                                                                    \
     .setup = setup_fetch,                                                                                             \
     .call = call_fetch,                                                                                               \
     .seed = seed_rng,                                                                                                 \
     .counts_random = 1},                                                                                              \
    {                                                                                                                  \
        .id = "random/fetch", .impl = "NonblockingRng", .name = "NonblockingRng::GenerateBlock",                       \
        .setup = setup_fetch_system, .call = call_fetch_system, .teardown = teardown_fetch_system                      \
    }

/* The row's `param`, for rows on another curve than P-256. */
inline constexpr char secp256k1[] = "secp256k1";
inline constexpr char brainpool[] = "brainpoolP256r1";
inline constexpr char secp384r1[] = "secp384r1";
inline constexpr char secp521r1[] = "secp521r1";
CryptoPP::OID curve_of(const cs_op *op);

/* Bytes of a number on the row's curve. */
size_t number_size(const cs_op *op);

/* Of Ed25519, whose rows name no curve, and of ECDSA as r||s. */
inline size_t signature_size(const cs_op *op)
{
    return 2 * number_size(op);
}

int setup_x25519(cs_case *c) noexcept;
int call_x25519(cs_case *c) noexcept;
void teardown_x25519(cs_case *c) noexcept;

int setup_ecdh(cs_case *c) noexcept;
int call_ecdh(cs_case *c) noexcept;
void teardown_ecdh(cs_case *c) noexcept;

int setup_ed25519_sign(cs_case *c) noexcept;
int setup_ed25519_verify(cs_case *c) noexcept;
int setup_ecdsa_sign(cs_case *c) noexcept;
int setup_ecdsa_sign_tables(cs_case *c) noexcept; /* Precompute in setup */
int setup_ecdsa_rfc6979(cs_case *c) noexcept;
int setup_ecdsa_verify(cs_case *c) noexcept;
int setup_ecdsa_verify_tables(cs_case *c) noexcept;
int call_sign(cs_case *c) noexcept;
int call_verify(cs_case *c) noexcept;
void teardown_sign(cs_case *c) noexcept;
void teardown_verify(cs_case *c) noexcept;

} // namespace cs_cryptopp

#endif
