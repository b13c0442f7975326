/* SPDX-License-Identifier: Apache-2.0
 *
 * ECDSA on P-256 with SHA-256, verified; signatures as two numbers.
 */
#include "own.h"

enum { NUMBER_BYTES = 32 };

int main(void)
{
    gcry_sexp_t key, signature;
    span pub, sig;

    if (!read_input() || !begun())
        return BROKEN;
    pub = field(), sig = field();
    if (sig.len != 2 * NUMBER_BYTES)
        return NO;
    if (gcry_sexp_build(&key, NULL, "(public-key(ecc(curve \"NIST P-256\")(q %b)))", (int)pub.len, pub.data) != 0 ||
        gcry_sexp_build(&signature, NULL, "(sig-val(ecdsa(r %b)(s %b)))", NUMBER_BYTES, sig.data, NUMBER_BYTES,
                        sig.data + NUMBER_BYTES) != 0)
        return BROKEN;
    return judged(signature, key, "(data(flags raw)(hash sha256 %b))", rest());
}
