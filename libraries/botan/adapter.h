/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of this adapter share.
 */
#ifndef CIPHERSTONE_BOTAN_ADAPTER_H
#define CIPHERSTONE_BOTAN_ADAPTER_H

/* Botan 2 warns on inclusion that some of its public headers become internal in Botan 3; the adapter knows. */
#define BOTAN_NO_DEPRECATED_WARNINGS

#include <botan/ec_group.h>
#include <botan/exceptn.h>
#include <botan/rng.h>

#include <exception>

#include "cipherstone.h"
#include "cipherstone_encoding.h"

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

int setup_fetch(cs_case *c) noexcept;
int call_fetch(cs_case *c) noexcept;
int call_fetch_system(cs_case *c) noexcept;

#define RANDOM_ROWS                                                                                                    \
    {.id = "random/fetch",                                                                                             \
     .impl = "default",                                                                                                \
     .name = "AutoSeeded_RNG::randomize",                                                                              \
     .setup = setup_fetch,                                                                                             \
     .call = call_fetch,                                                                                               \
     .seed = seed_rng,                                                                                                 \
     .counts_random = 1},                                                                                              \
    {                                                                                                                  \
        .id = "random/fetch", .impl = "System_RNG", .name = "System_RNG::randomize", .setup = setup_fetch,             \
        .call = call_fetch_system                                                                                      \
    }

struct X25519State;
struct SignState;
struct VerifyState;

/* The row's `param` names the curve; P-256 without it. */
inline const char *curve_of(const cs_op *op) noexcept
{
    return op->param != nullptr ? static_cast<const char *>(op->param) : "secp256r1";
}
Botan::EC_Group group_of(const cs_op *op);
const char *curve_unavailable(const cs_op *op) noexcept;

int setup_x25519(cs_case *c) noexcept;
int call_x25519(cs_case *c) noexcept;
void teardown_x25519(cs_case *c) noexcept;

int setup_ecdh(cs_case *c) noexcept;
int call_ecdh(cs_case *c) noexcept;
void teardown_ecdh(cs_case *c) noexcept;

int setup_ed25519_sign(cs_case *c) noexcept;
int setup_ed25519_verify(cs_case *c) noexcept;
int setup_ecdsa_sign(cs_case *c) noexcept;
int setup_ecdsa_verify(cs_case *c) noexcept;
int call_sign(cs_case *c) noexcept;
int call_verify(cs_case *c) noexcept;
int call_verify_message(cs_case *c) noexcept; /* of signatures whose lengths the verifier checks itself */
void teardown_sign(cs_case *c) noexcept;
void teardown_verify(cs_case *c) noexcept;
int setup_ecdsa_fresh(cs_case *c) noexcept; /* the key is kept, the verifier made in every call */
int call_verify_fresh(cs_case *c) noexcept;
void teardown_fresh(cs_case *c) noexcept;

} // namespace cs_botan

#endif
