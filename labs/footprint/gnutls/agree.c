/* SPDX-License-Identifier: Apache-2.0
 *
 * X25519. A private key is taken with its public value, which nothing here asks for.
 */
#include "../program.h"

#include <gnutls/abstract.h>
#include <gnutls/gnutls.h>

enum { KEY_BYTES = 32 };

int main(void)
{
    gnutls_datum_t scalar, value, secret;
    gnutls_privkey_t own;
    gnutls_pubkey_t peer;
    span key, pub;

    if (!read_input() || gnutls_privkey_init(&own) < 0 || gnutls_pubkey_init(&peer) < 0)
        return BROKEN;
    key = field(), pub = rest();
    if (key.len != KEY_BYTES || pub.len != KEY_BYTES)
        return BROKEN;
    scalar = (gnutls_datum_t){key.data, KEY_BYTES}, value = (gnutls_datum_t){pub.data, KEY_BYTES};
    if (gnutls_privkey_import_ecc_raw(own, GNUTLS_ECC_CURVE_X25519, &value, NULL, &scalar) < 0 ||
        gnutls_pubkey_import_ecc_raw(peer, GNUTLS_ECC_CURVE_X25519, &value, NULL) < 0)
        return BROKEN;
    if (gnutls_privkey_derive_secret(own, peer, NULL, &secret, 0) < 0)
        return NO;
    return secret.size == KEY_BYTES ? write_output(secret.data, secret.size) : BROKEN;
}
