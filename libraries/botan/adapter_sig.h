/* SPDX-License-Identifier: Apache-2.0
 *
 * Botan: the states of signers and verifiers, which all signatures share.
 */
#ifndef CIPHERSTONE_BOTAN_SIG_H
#define CIPHERSTONE_BOTAN_SIG_H

#include "adapter.h"

#include <botan/pubkey.h>

#include <memory>
#include <string>

namespace cs_botan
{

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

} // namespace cs_botan

#endif
