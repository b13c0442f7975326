/* SPDX-License-Identifier: Apache-2.0
 *
 * ECDSA on P-256 with SHA-256, verified; signatures as two numbers.
 */
#include "botan.h"

#include <botan/ec_group.h>
#include <botan/ec_apoint.h>
#include <botan/ecdsa.h>
#include <botan/pubkey.h>

int main()
{
    struct span pub, sig;

    if (!read_input())
        return BROKEN;
    pub = field(), sig = field();
    return guarded(NO, [&] {
        const auto group = Botan::EC_Group::from_name("secp256r1");
        const Botan::ECDSA_PublicKey key(group, Botan::EC_AffinePoint(group, bytes_of(pub)));
        Botan::PK_Verifier verifier(key, "SHA-256");

        return verifier.verify_message(bytes_of(rest()), bytes_of(sig)) ? YES : NO;
    });
}
