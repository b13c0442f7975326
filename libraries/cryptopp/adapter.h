/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of this adapter share.
 */
#ifndef CIPHERSTONE_CRYPTOPP_ADAPTER_H
#define CIPHERSTONE_CRYPTOPP_ADAPTER_H

#include <cryptopp/asn.h>
#include <cryptopp/cryptlib.h>
#include <cryptopp/integer.h>

#include <exception>
#include <memory>

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

/* The row's `param`, for rows on another curve than P-256. */
inline constexpr char secp256k1[] = "secp256k1";
inline constexpr char brainpool[] = "brainpoolP256r1";
inline constexpr char secp384r1[] = "secp384r1";
inline constexpr char secp521r1[] = "secp521r1";
CryptoPP::OID curve_of(const cs_op *op);

/* Bytes of a number on the row's curve. */
size_t number_size(const cs_op *op);

/* Writes `number` as `len` bytes after what is at `out`, and sets it to zero: a call that does nothing shows. */
void take(cs_case *c, CryptoPP::Integer &number, size_t len);

/* The rows of each file. */
extern const cs_table cryptopp_curves, cryptopp_keys, cryptopp_ffdh, cryptopp_rsa, cryptopp_dsa, cryptopp_import;
extern const cs_table cryptopp_kdf, cryptopp_random, cryptopp_bignum, cryptopp_bignum_crt;

} // namespace cs_cryptopp

#endif
