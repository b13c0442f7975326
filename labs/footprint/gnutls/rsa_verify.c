/* SPDX-License-Identifier: Apache-2.0
 *
 * PKCS#1 v1.5 with SHA-256, verified.
 */
#include "../program.h"

#include <gnutls/abstract.h>
#include <gnutls/gnutls.h>

static gnutls_datum_t datum(span of)
{
    return (gnutls_datum_t){of.data, (unsigned)of.len};
}

int main(void)
{
    gnutls_datum_t modulus, exponent, sig, msg;
    gnutls_pubkey_t key;

    if (!read_input() || gnutls_pubkey_init(&key) < 0)
        return BROKEN;
    modulus = datum(field()), exponent = datum(field()), sig = datum(field()), msg = datum(rest());
    return gnutls_pubkey_import_rsa_raw(key, &modulus, &exponent) >= 0 &&
                   gnutls_pubkey_verify_data2(key, GNUTLS_SIGN_RSA_SHA256, 0, &msg, &sig) >= 0
               ? YES
               : NO;
}
