/* SPDX-License-Identifier: Apache-2.0
 *
 * ECDSA on P-256 with SHA-256, verified; signatures in DER.
 */
#include "../program.h"

#include <gnutls/abstract.h>
#include <gnutls/gnutls.h>

enum { COORDINATE = 32, POINT_BYTES = 1 + 2 * COORDINATE, UNCOMPRESSED = 4 };

int main(void)
{
    gnutls_datum_t x, y, signature, text;
    gnutls_pubkey_t key;
    span pub, sig, msg;

    if (!read_input() || gnutls_pubkey_init(&key) < 0)
        return BROKEN;
    pub = field(), sig = field(), msg = rest();
    if (pub.len != POINT_BYTES || pub.data[0] != UNCOMPRESSED)
        return BROKEN;
    x = (gnutls_datum_t){pub.data + 1, COORDINATE}, y = (gnutls_datum_t){pub.data + 1 + COORDINATE, COORDINATE};
    signature = (gnutls_datum_t){sig.data, (unsigned)sig.len}, text = (gnutls_datum_t){msg.data, (unsigned)msg.len};
    return gnutls_pubkey_import_ecc_raw(key, GNUTLS_ECC_CURVE_SECP256R1, &x, &y) >= 0 &&
                   gnutls_pubkey_verify_data2(key, GNUTLS_SIGN_ECDSA_SHA256, 0, &text, &signature) >= 0
               ? YES
               : NO;
}
