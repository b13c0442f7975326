/* SPDX-License-Identifier: Apache-2.0
 *
 * PKCS#1 v1.5 with SHA-256, verified. The interface takes a signature for a number: its length is looked at here.
 */
#include "own.h"

int main(void)
{
    span modulus, exponent, sig;
    gcry_sexp_t key, signature;

    if (!read_input() || !begun())
        return BROKEN;
    modulus = field(), exponent = field(), sig = field();
    if (sig.len != modulus.len)
        return NO;
    if (gcry_sexp_build(&key, NULL, "(public-key(rsa(n %b)(e %b)))", (int)modulus.len, modulus.data, (int)exponent.len,
                        exponent.data) != 0 ||
        gcry_sexp_build(&signature, NULL, "(sig-val(rsa(s %b)))", (int)sig.len, sig.data) != 0)
        return BROKEN;
    return judged(signature, key, "(data(flags pkcs1)(hash sha256 %b))", rest());
}
