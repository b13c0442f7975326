/* SPDX-License-Identifier: Apache-2.0
 *
 * PKCS#1 v1.5 with SHA-256, verified.
 */
#include "botan.h"

#include <botan/bigint.h>
#include <botan/pubkey.h>
#include <botan/rsa.h>

int main()
{
    struct span modulus, exponent, sig;

    if (!read_input())
        return BROKEN;
    modulus = field(), exponent = field(), sig = field();
    return guarded(NO, [&] {
        const Botan::RSA_PublicKey key(Botan::BigInt::from_bytes(bytes_of(modulus)),
                                       Botan::BigInt::from_bytes(bytes_of(exponent)));
        Botan::PK_Verifier verifier(key, "PKCS1v15(SHA-256)");

        return verifier.verify_message(bytes_of(rest()), bytes_of(sig)) ? YES : NO;
    });
}
