/* SPDX-License-Identifier: Apache-2.0
 *
 * Hand-written loops of long calls of Crypto++'s, with keys of their own.
 */
#include "long.h"

#include <cryptopp/eccrypto.h>
#include <cryptopp/oids.h>
#include <cryptopp/osrng.h>
#include <cryptopp/sha.h>

#include <memory>
#include <vector>

using namespace CryptoPP;
using Ecdsa = ECDSA<ECP, SHA256>;

int main(int argc, char **argv)
{
    const size_t repeats = repeats_of(argc, argv);
    const byte message[33] = "thirty-two bytes to sign, always";
    AutoSeededRandomPool rng;
    byte out[128];

    if (is(argv, "p-256/derive")) {
        ECDH<ECP>::Domain domain(ASN1::secp256r1());
        SecByteBlock key(domain.PrivateKeyLength()), pub(domain.PublicKeyLength());
        SecByteBlock other(domain.PrivateKeyLength()), peer(domain.PublicKeyLength());
        domain.GenerateKeyPair(rng, key, pub);
        domain.GenerateKeyPair(rng, other, peer);
        LOOP(repeats, domain.Agree(out, key, peer));
        return 0;
    }
    std::vector<std::unique_ptr<Ecdsa::Signer>> signers;
    std::vector<std::unique_ptr<Ecdsa::Verifier>> verifiers;
    static byte sig[KEYS][64];
    for (int k = 0; k < KEYS; k++) {
        Ecdsa::PrivateKey key;
        key.Initialize(rng, ASN1::secp256r1());
        signers.push_back(std::make_unique<Ecdsa::Signer>(key));
        verifiers.push_back(std::make_unique<Ecdsa::Verifier>(*signers[k]));
        signers[k]->SignMessage(rng, message, 32, sig[k]);
    }
    if (is(argv, "ecdsa-p256-sha256/sign")) {
        LOOP(repeats, signers[0]->SignMessage(rng, message, 32, out) == 64);
    } else {
        LOOP(repeats, verifiers[i % KEYS]->VerifyMessage(message, 32, sig[i % KEYS], 64));
    }
    return 0;
}
