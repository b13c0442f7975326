/* SPDX-License-Identifier: Apache-2.0
 *
 * Hand-written loops of long calls of Botan's, with keys of their own.
 */
#include "long.h"

#include <botan/auto_rng.h>
#include <botan/ecdh.h>
#include <botan/ecdsa.h>
#include <botan/pubkey.h>

#include <memory>
#include <vector>

int main(int argc, char **argv)
{
    const size_t repeats = repeats_of(argc, argv);
    const uint8_t message[33] = "thirty-two bytes to sign, always";
    Botan::AutoSeeded_RNG rng;
    const Botan::EC_Group group("secp256r1");

    if (is(argv, "p-256/derive")) {
        Botan::ECDH_PrivateKey own(rng, group), peer(rng, group);
        const auto point = peer.public_value();
        Botan::PK_Key_Agreement agreement(own, rng, "Raw");
        LOOP(repeats, agreement.derive_key(0, point.data(), point.size()).size() == 32);
        return 0;
    }
    std::vector<std::unique_ptr<Botan::ECDSA_PrivateKey>> keys;
    std::vector<std::unique_ptr<Botan::PK_Verifier>> verifiers;
    std::vector<std::vector<uint8_t>> sigs;
    for (int k = 0; k < KEYS; k++) {
        keys.push_back(std::make_unique<Botan::ECDSA_PrivateKey>(rng, group));
        sigs.push_back(Botan::PK_Signer(*keys[k], rng, "EMSA1(SHA-256)").sign_message(message, 32, rng));
        verifiers.push_back(std::make_unique<Botan::PK_Verifier>(*keys[k], "EMSA1(SHA-256)"));
    }
    if (is(argv, "ecdsa-p256-sha256/sign")) {
        Botan::PK_Signer signer(*keys[0], rng, "EMSA1(SHA-256)");
        LOOP(repeats, signer.sign_message(message, 32, rng).size() == 64);
    } else {
        LOOP(repeats, verifiers[i % KEYS]->verify_message(message, 32, sigs[i % KEYS].data(), sigs[i % KEYS].size()));
    }
    return 0;
}
